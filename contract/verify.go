package contract

import (
	"github.com/pagewarden/pagewarden/canonical"
	"github.com/pagewarden/pagewarden/capability"
)

// SnapshotCommand is what an author runs when the contract and what is registered differ.
const SnapshotCommand = "pagewarden contract snapshot"

// Verify checks what Parse does not look at: every hash, that a capability id occurs once and a component type
// belongs to one declaration, and that each dependency is what was approved. The error is a *ManifestError that
// names the field.
func (m *Manifest) Verify() error {
	right := &sums{whole: m.ManifestHash()}
	for i := range m.Capabilities {
		e := &m.Capabilities[i]
		right.entries = append(right.entries, sum{e.AdmissionHash(), e.EntryHash()})
	}
	return m.verify(right)
}

// verify is Verify with the hashes that m must have.
func (m *Manifest) verify(right *sums) error {
	for i, e := range m.Capabilities {
		if e.Admission != right.entries[i].admission {
			return m.altered(i, "admission")
		}
		if e.Hash != right.entries[i].whole {
			return m.altered(i, "hash")
		}
	}
	if clash := clashOf(m.Capabilities); clash != nil {
		return &ManifestError{capability.PathIndex("capabilities", clash.second) + "." + clash.field, clash.reason}
	}
	for i, d := range m.External {
		if d.Digest != d.ApprovedDigest {
			return &ManifestError{capability.PathIndex("external", i) + ".digest", d.Package + " is not what was approved: approve it anew or take it out"}
		}
	}
	if m.Hash != right.whole {
		return &ManifestError{"hash", "does not fit the manifest, which was changed by hand: run " + SnapshotCommand}
	}
	return nil
}

// sums are the hashes that a manifest must have.
type sums struct {
	entries []sum
	whole   string
}

// sum are those of an entry.
type sum struct{ admission, whole string }

// add sums an entry by its members as they stand in the canonical text; e is what they were read as.
func (s *sums) add(members []capability.Member, e *Entry) {
	whole := digestOf(members, func(name string) bool { return name != "hash" && name != "origin" })
	if e.Audit == "" && e.effectiveAudit() != "" || len(e.BoundFields) > 1 {
		s.entries = append(s.entries, sum{e.AdmissionHash(), whole}) // what admission sees is not quite what is written
		return
	}
	s.entries = append(s.entries, sum{digestOf(members, isSeen), whole})
}

// isSeen reports whether admission covers a member of an entry.
func isSeen(name string) bool {
	switch name {
	case "capabilityId", "kind", "title", "description", "componentDescription", "effect", "inputSchema", "outputSchema",
		"untrustedContent", "audit", "boundFields":
		return true
	}
	return false
}

// digestOf is the hash of an object of those members, which are canonical and in order.
func digestOf(members []capability.Member, of func(name string) bool) string {
	var o capability.ObjectWriter
	for _, member := range members {
		if of(member.Name) {
			o.Raw(member.Name, member.Value)
		}
	}
	return canonical.DigestForm(o.JSON())
}

func (m *Manifest) altered(i int, field string) error {
	e := &m.Capabilities[i]
	return &ManifestError{
		capability.PathIndex("capabilities", i) + "." + field,
		"does not fit what the entry of " + e.CapabilityID + " says, which was changed by hand: run " + SnapshotCommand,
	}
}
