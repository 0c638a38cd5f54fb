package contract_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
)

// webTool is a tool as a registry sees it, with what the test changes.
func webTool(change ...func(*contract.Offer)) contract.Offer {
	o := contract.Offer{Confirmation: capability.Required, Seen: contract.Seen{
		CapabilityID: "domain:clear_cart", Kind: capability.Procedure, Description: "Clears", Effect: capability.Destructive,
		InputSchema: `{"type":"object","properties":{}}`, Audit: capability.AuditFull,
	}}
	for _, c := range change {
		c(&o)
	}
	return o
}

func defining(t *testing.T) (*contract.Tools, *contract.Authority) {
	t.Helper()
	s, _ := newAuthorities(t, "")
	tools := contract.NewTools()
	a, err := s.Defining(tools)
	if err != nil {
		t.Fatal(err)
	}
	return tools, a
}

func TestDefinedToolsAreAdmitted(t *testing.T) {
	tools, a := defining(t)
	if a.Mode() != contract.ModeContract || a.Hash() != "" {
		t.Errorf("mode %s, hash %q", a.Mode(), a.Hash())
	}
	offer := []contract.Offer{webTool()}
	var refusal *contract.AdmissionError
	if err := a.Admit("web-tool", offer); !errors.As(err, &refusal) || !strings.Contains(err.Error(), "no tool that this page has defined") {
		t.Errorf("before it is defined: %v", err)
	}
	if err := tools.Add(webTool(func(o *contract.Offer) { o.InputSchema = `{ "properties": {}, "type": "object" }` })); err != nil {
		t.Fatal(err)
	}
	if err := a.Admit("web-tool", offer); err != nil {
		t.Errorf("after that: %v", err)
	}
}

func TestOnlyWhatWasDefinedIsAdmitted(t *testing.T) {
	for name, change := range map[string]func(*contract.Offer){
		"another id":     func(o *contract.Offer) { o.CapabilityID = "domain:other" },
		"another text":   func(o *contract.Offer) { o.Description = "Clears all" },
		"another effect": func(o *contract.Offer) { o.Effect = capability.ServerQuery },
		"another schema": func(o *contract.Offer) { o.InputSchema = `{"type":"object"}` },
		"asking less":    func(o *contract.Offer) { o.Confirmation = capability.Optional },
		"no JSON":        func(o *contract.Offer) { o.InputSchema = `{` },
	} {
		t.Run(name, func(t *testing.T) {
			tools, a := defining(t)
			if err := tools.Add(webTool()); err != nil {
				t.Fatal(err)
			}
			if err := a.Admit("web-tool", []contract.Offer{webTool(change)}); err == nil {
				t.Error("it was admitted")
			}
		})
	}
}

// TestWeakestDefinitionCounts: a tool that is defined twice may be registered either way.
func TestWeakestDefinitionCounts(t *testing.T) {
	tools, a := defining(t)
	for _, level := range []capability.Confirmation{capability.Required, capability.Optional, capability.Required} {
		if err := tools.Add(webTool(func(o *contract.Offer) { o.Confirmation = level })); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Admit("web-tool", []contract.Offer{webTool(func(o *contract.Offer) { o.Confirmation = capability.Optional })}); err != nil {
		t.Error(err)
	}
}

func TestToolThatCannotBeCompared(t *testing.T) {
	if err := contract.NewTools().Add(webTool(func(o *contract.Offer) { o.InputSchema = `{` })); err == nil {
		t.Error("it was taken")
	}
}

// TestToolsBesideAContract: in production they are no second contract; where one is pinned there are none.
func TestToolsBesideAContract(t *testing.T) {
	reviewed := mustCompile(t, table())
	s, _ := newAuthorities(t, "")
	a, err := s.Defining(contract.NewTools())
	if err != nil {
		t.Fatal(err)
	}
	for _, used := range []*contract.Authority{a, mustAdmit(t, s, reviewed), a} {
		if err := used.Use(capability.Production); err != nil {
			t.Error(err)
		}
	}
	pinned, _ := newAuthorities(t, contract.PinPrefix+reviewed.Hash)
	if _, err := pinned.Defining(contract.NewTools()); err == nil || !strings.Contains(err.Error(), "pinned to a contract") {
		t.Errorf("got %v", err)
	}
}
