package jsbridge

import (
	"context"
	"fmt"
	"strconv"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/registry"
)

// maxAuthorities bounds what a page can have kept. A page has one contract, and perhaps an open authority.
const maxAuthorities = 64

// authorities are those of the runtime, by the script's number: the place in the list, from 1. One that is asked for
// again is the same, and none is let go of.
type authorities struct {
	home *contract.Authorities
	list []known
}

// known is an authority and what it was made of: a mode and a hash.
type known struct {
	name      string
	authority *contract.Authority
}

func newAuthorities(page Page) authorities {
	home, err := contract.NewAuthorities("", func(text string) { page.Tell(TellLog, 0, 0, text) })
	if err != nil {
		panic(err) // there is no pin that could be wrong
	}
	return authorities{home: home}
}

// pin pins the runtime to a contract, before there is any authority.
func (b *Bridge) pin(text string) error {
	if text == "" || len(b.authorities.list) > 0 {
		return typeError("the pin of a contract is given once, when the runtime is loaded: sha256- and its hash")
	}
	home, err := contract.NewAuthorities(text, nil)
	if err == nil {
		b.authorities.home = home
	}
	return err
}

// authority makes one: of the manifest in text, or, without text, an open one, which n = 1 allows in production; n = 2 is
// that of the page's web tools. Back comes its number, and the hash of the manifest after a space.
func (b *Bridge) authority(n int32, text string) (string, error) {
	var a *contract.Authority
	var err error
	name := "open " + strconv.Itoa(int(n))
	if n == 2 {
		a, err = b.authorities.home.Defining(b.tools)
	} else if text == "" {
		a, err = b.authorities.home.Open(contract.OpenOptions{AllowInProduction: n == 1})
	} else if a, err = b.authorities.home.Admitting(capability.JSON(text)); err == nil {
		name = a.Hash()
	}
	if err != nil {
		return "", err
	}
	number, err := b.authorities.keep(name, a)
	return strconv.Itoa(number) + " " + a.Hash(), err
}

func (s *authorities) keep(name string, a *contract.Authority) (number int, err error) {
	for i := range s.list {
		if s.list[i].name == name {
			return i + 1, nil
		}
	}
	if len(s.list) == maxAuthorities {
		return 0, typeError(fmt.Sprintf("a runtime has at most %d authorities", maxAuthorities))
	}
	s.list = append(s.list, known{name, a})
	return len(s.list), nil
}

// get is the authority of a number, nil for none.
func (s *authorities) get(number int) *contract.Authority {
	if number < 1 || number > len(s.list) {
		return nil
	}
	return s.list[number-1].authority
}

// gateway checks that there may be one over authority a: text is { environment? }.
func (b *Bridge) gateway(a int32, text string) error {
	f, err := decodeObject("createAgentExposureGateway", text)
	if err != nil {
		return err
	}
	env := capability.Environment(f.text("environment"))
	if name := f.unknown(); f.err == nil && name != "" {
		f.err = typeError("createAgentExposureGateway: " + name + " is not an option")
	}
	if f.err != nil {
		return f.err
	}
	_, err = contract.NewGateway(b.authorities.get(int(a)), env)
	return err
}

// expose asks the gateway over authority a for the tools that text lists, as they were declared.
func (b *Bridge) expose(a int32, text string) error {
	if issue := messageLimits().Check(capability.JSON(text)); issue != nil {
		return typeError(issue.Error())
	}
	gateway, err := contract.NewGateway(b.authorities.get(int(a)), capability.Test) // its environment was looked at
	if err != nil {
		return err
	}
	var tools []*contract.Tool
	for _, element := range capability.JSON(text).Elements() {
		tool, err := externalTool(element)
		if err != nil {
			return err
		}
		tools = append(tools, tool)
	}
	if _, err := gateway.Expose(tools...); err != nil {
		return &registry.DefinitionError{Code: registry.InvalidDefinition, Reason: err.Error()}
	}
	return nil
}

// externalTool is a tool as the page declared it. It is carried out in the page, and so not here.
func externalTool(text capability.JSON) (*contract.Tool, error) {
	f, err := objectOf("tool", text)
	if err != nil {
		return nil, err
	}
	declared := contract.ExternalTool{
		Declaration: "page#tool", ID: f.text("id"), Title: f.text("title"), Description: f.text("description"), Input: f.raw("input"),
		Output: f.raw("output"), Effect: capability.Effect(f.text("effect")), Confirmation: capability.Confirmation(f.text("confirmation")),
		UntrustedContent: f.boolean("untrustedContent", false),
	}
	if name := f.unknown(); f.err == nil && name != "" {
		f.err = typeError(fmt.Sprintf("tool %s: unknown field %q", declared.ID, name))
	}
	if f.err != nil {
		return nil, f.err
	}
	tool, err := declared.Bind(func(context.Context, capability.JSON) (capability.JSON, error) { return "", errFailed })
	if err != nil {
		return nil, &registry.DefinitionError{Code: registry.InvalidDefinition, Reason: err.Error()}
	}
	return tool, nil
}
