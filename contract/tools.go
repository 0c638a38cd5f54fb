package contract

import (
	"errors"
	"sync"

	"github.com/pagewarden/pagewarden/capability"
)

// Tools are the web tools that have been defined in one runtime so far (webtools.md). A page that has no contract
// defines its tools one by one; what an authority of them admits is what was defined, and nothing else. It is safe for
// concurrent use.
type Tools struct {
	mu sync.Mutex
	// defined is the weakest confirmation of each definition, by its admission hash.
	defined map[string]capability.Confirmation
}

// NewTools makes a set without a tool.
func NewTools() *Tools { return &Tools{defined: map[string]capability.Confirmation{}} }

// Add notes a definition, as the registry will see it. The error is an *AdmissionError: there is a schema that cannot be
// compared.
func (t *Tools) Add(o Offer) error {
	e, err := o.entry()
	if err != nil {
		return err
	}
	hash := e.AdmissionHash()
	t.mu.Lock()
	defer t.mu.Unlock()
	if least, known := t.defined[hash]; !known || o.Confirmation.Rank() < least.Rank() {
		t.defined[hash] = o.Confirmation
	}
	return nil
}

// admit is Authority.admit for tools.
func (t *Tools) admit(o *Offer) error {
	e, err := o.entry()
	if err != nil {
		return err
	}
	t.mu.Lock()
	least, known := t.defined[e.AdmissionHash()]
	t.mu.Unlock()
	switch {
	case !known:
		return &AdmissionError{o.CapabilityID, "", "is no tool that this page has defined"}
	case o.Confirmation.Rank() < least.Rank():
		return &AdmissionError{o.CapabilityID, "confirmation", "the definition asks for " + string(least) + ", and this is weaker"}
	}
	return nil
}

// Defining makes an authority that admits the tools that are defined, now or later. It is an error where a contract is
// pinned: there the contract must hold the tools.
func (s *Authorities) Defining(t *Tools) (*Authority, error) {
	if s.pin != "" {
		return nil, errors.New("this runtime is pinned to a contract: register web tools with a registry whose contract holds them")
	}
	return &Authority{home: s, tools: t}, nil
}
