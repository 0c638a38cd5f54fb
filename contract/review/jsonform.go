package review

import (
	"encoding/json"
	"fmt"
	"io"
)

// The shapes of the JSON format. Every list is there, if empty, so that a program need not ask.
type jsonReport struct {
	Command  string `json:"command"`
	Contract string `json:"contract"`
	State    State  `json:"state,omitempty"`
	Reason   string `json:"reason,omitempty"`
	Hash     string `json:"hash,omitempty"`
	// Findings is 0 where the command ends with 0.
	Findings     int           `json:"findings"`
	Problems     []jsonProblem `json:"problems"`
	Changes      []Change      `json:"changes"`
	Base         *jsonDrift    `json:"base,omitempty"`
	Capabilities []Row         `json:"capabilities"`
}

type jsonProblem struct {
	File       string `json:"file,omitempty"`
	Line       int    `json:"line,omitempty"`
	Column     int    `json:"column,omitempty"`
	Expression string `json:"expression,omitempty"`
	Message    string `json:"message"`
	Fix        string `json:"fix,omitempty"`
}

type jsonDrift struct {
	Ref     string   `json:"ref"`
	Policy  Policy   `json:"policy"`
	Changes []Change `json:"changes"`
}

func (r *Report) writeJSON(w io.Writer) error {
	out := jsonReport{
		Command: r.Command, Contract: r.contractFile(), State: r.State, Reason: r.Reason, Hash: r.Hash, Findings: r.Findings(),
		Problems: []jsonProblem{}, Changes: listed(r.Changes), Capabilities: listed(r.Capabilities),
	}
	for _, p := range r.Problems {
		out.Problems = append(out.Problems, jsonProblem(r.located(p)))
	}
	if r.Base != nil {
		out.Base = &jsonDrift{r.Base.Ref, r.Policy, listed(r.Base.Changes)}
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(out); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

// listed is list, and an empty one for none.
func listed[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
