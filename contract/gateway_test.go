package contract_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
)

func echo(_ context.Context, input capability.JSON) (capability.JSON, error) { return input, nil }

func bound(t testing.TB, change func(x *contract.ExternalTool)) *contract.Tool {
	t.Helper()
	x := weather()
	change(&x)
	tool, err := x.Bind(echo)
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

func asDeclared(*contract.ExternalTool) {}

func TestABoundToolIsWhatWasDeclared(t *testing.T) {
	tool := bound(t, func(x *contract.ExternalTool) { x.Input = `{ "type": "object" }` })
	if tool.ID() != "external:weather.today" || tool.Name() != "external_weather__today" || tool.Description() != "The weather of today" || tool.InputSchema() != `{"type":"object"}` {
		t.Errorf("got %+v", tool)
	}
	if output, err := tool.Execute(t.Context(), `{"a":1}`); output != `{"a":1}` || err != nil {
		t.Errorf("got %s, %v", output, err)
	}
}

func TestBindRefuses(t *testing.T) {
	bad := weather()
	bad.Input = ""
	_, err := bad.Bind(nil)
	var typed *contract.DeclarationError
	if !errors.As(err, &typed) || !strings.Contains(err.Error(), "inputSchema: an input schema is required") || !strings.Contains(err.Error(), "execute: a function is required") {
		t.Errorf("got %v", err)
	}
}

func TestExpose(t *testing.T) {
	tomorrow := func(x *contract.ExternalTool) {
		x.ID, x.Confirmation = "external:weather.tomorrow", capability.Required
	}
	declared := weather()
	tomorrow(&declared)
	s, _ := newAuthorities(t, "")
	a := mustAdmit(t, s, mustCompile(t, weather(), declared, table()))
	g, err := contract.NewGateway(a, capability.Test)
	if err != nil {
		t.Fatal(err)
	}
	today, next := bound(t, asDeclared), bound(t, tomorrow)
	exposed, err := g.Expose(next, today)
	if err != nil || len(exposed) != 2 || exposed[0] != next || exposed[1] != today {
		t.Errorf("got %v, %v", exposed, err)
	}
	if exposed, err := g.Expose(); err != nil || len(exposed) != 0 {
		t.Errorf("got %v, %v", exposed, err)
	}
	for _, test := range []struct {
		tool *contract.Tool
		want string
	}{
		{nil, "tool 1: was not made by the bind"},
		{&contract.Tool{}, "tool 1: was not made by the bind"},
		{today, "tool 1: external_weather__today is the name of another one"},
		{bound(t, func(x *contract.ExternalTool) { x.ID = "external:weather__today" }), "tool 1: external_weather__today is the name of another one"},
		{bound(t, func(x *contract.ExternalTool) { x.ID = "external:other" }), "external:other: is not in the contract"},
		{bound(t, func(x *contract.ExternalTool) { tomorrow(x); x.Description = "Now" }), "external:weather.tomorrow, description: the contract says"},
		{bound(t, func(x *contract.ExternalTool) { tomorrow(x); x.Effect = capability.Destructive }), "effect: the contract says"},
		{bound(t, func(x *contract.ExternalTool) { tomorrow(x); x.Confirmation = "" }), "confirmation: the contract asks for required"},
	} {
		exposed, err := g.Expose(today, test.tool)
		if exposed != nil || err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, %v, want %s", exposed, err, test.want)
		}
	}
}

func TestGatewaysNeedAnAuthority(t *testing.T) {
	if _, err := contract.NewGateway(nil, capability.Test); err == nil {
		t.Error("nil makes a gateway")
	}
	open := contract.NewOpenAuthority(contract.OpenOptions{})
	if _, err := contract.NewGateway(open, ""); err == nil || !strings.Contains(err.Error(), "refused in production") {
		t.Errorf("got %v", err)
	}
	g, err := contract.NewGateway(open, capability.Development)
	if err != nil {
		t.Fatal(err)
	}
	if exposed, err := g.Expose(bound(t, asDeclared)); err != nil || len(exposed) != 1 {
		t.Errorf("got %v, %v", exposed, err)
	}
}
