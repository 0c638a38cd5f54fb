package review

import (
	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/contract/compiler"
)

// State is what a command found the contract file to be, or made of it.
type State string

// The states of the file: what check finds, what snapshot did, what inspect shows.
const (
	Current   State = "current"   // it says what the sources say
	Stale     State = "stale"     // the sources say something else
	Missing   State = "missing"   // there is none
	Damaged   State = "damaged"   // it does not stand up by itself
	Unread    State = "unread"    // the sources have problems, so that nothing could be compared
	Created   State = "created"   // by snapshot
	Updated   State = "updated"   // by snapshot
	Unchanged State = "unchanged" // by snapshot
	Committed State = "committed" // inspect shows the file
	Proposed  State = "proposed"  // inspect shows what snapshot would write
)

// Report is all that a command of the contract has to say.
type Report struct {
	// Command is snapshot, check or inspect.
	Command string
	// Folder is the project's, relative to where the command runs, with a slash at its end; "" for the same folder.
	Folder string
	// State is that of the contract file; Reason says why it is damaged, or stale although it says the same.
	State  State
	Reason string
	// Hash is that of the contract that the command is about: what the page pins.
	Hash string
	// Problems keep the sources from having a contract; Notes are no findings.
	Problems, Notes []compiler.Problem
	// Changes are from the file to the sources (check), or from the old file to the new one (snapshot).
	Changes []Change
	// Base is what the file was compared with besides, nil for nothing.
	Base *Drift
	// Policy chooses which drift counts.
	Policy Policy
	// Capabilities are the inventory, in the order of the contract.
	Capabilities []Row
}

// Drift is how the contract differs from that of another revision.
type Drift struct {
	Ref     string
	Changes []Change
}

// Findings counts what makes the command fail.
func (r *Report) Findings() int {
	n := len(r.Problems)
	switch r.State {
	case Stale, Missing, Damaged:
		n++
	}
	if r.Base != nil {
		for _, c := range r.Base.Changes {
			if r.Policy.counts(c.Class) {
				n++
			}
		}
	}
	return n
}

// contractFile is the contract's path from where the command runs.
func (r *Report) contractFile() string { return r.Folder + compiler.ContractFile }

// Row is a line of the inventory.
type Row struct {
	Capability string `json:"capability"`
	Kind       string `json:"kind"`
	Effect     string `json:"effect"`
	Reach      Reach  `json:"reach"`
	// Confirm is the confirmation level; "" for what is never confirmed.
	Confirm  string   `json:"confirm,omitempty"`
	Policies []string `json:"policies,omitempty"`
	// Description, Declaration and Origin are for those who want to know more.
	Description string `json:"description"`
	Declaration string `json:"declaration"`
	Origin      string `json:"origin"`
}

// Reach says how far a capability's effect goes.
type Reach string

// The reaches: within the page, as far as the server, and beyond what the application can take back.
const (
	Low    Reach = "low"
	Medium Reach = "medium"
	High   Reach = "high"
)

// ReachOf is the reach of an effect.
func ReachOf(e capability.Effect) Reach {
	switch {
	case e.Consequential():
		return High
	case e == capability.ServerQuery, e == capability.ServerMutation:
		return Medium
	}
	return Low
}

// Inventory is a manifest as rows.
func Inventory(m *contract.Manifest) []Row {
	rows := []Row{}
	for i := range m.Capabilities {
		e := &m.Capabilities[i]
		row := Row{
			Capability: e.CapabilityID, Kind: string(e.Kind), Effect: string(e.Effect), Reach: ReachOf(e.Effect), Confirm: string(e.Confirmation),
			Description: e.Description, Declaration: e.Declaration, Origin: e.Origin,
		}
		for _, p := range e.Policies {
			row.Policies = append(row.Policies, p.String())
		}
		rows = append(rows, row)
	}
	return rows
}
