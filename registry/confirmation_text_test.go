package registry_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/confirm"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/host"
	"github.com/pagewarden/pagewarden/policy"
	"github.com/pagewarden/pagewarden/registry"
)

const maxSummaryLength = 300

// asked is one call that waits for a person: what the person sees and what the agent is told.
type asked struct {
	person confirm.Pending
	agent  string
}

// asking says what a test's one procedure is like.
type asking struct {
	description string
	bound       capability.JSON // what the page adds
	overridable []string
	policies    []policy.Policy
}

// ask calls the procedure with the agent's input.
func (a asking) ask(t *testing.T, input capability.JSON) asked {
	t.Helper()
	fake := host.NewFake(time.UnixMilli(0))
	defer fake.Close()
	r, err := registry.New(registry.Options{
		Authority: contract.NewOpenAuthority(contract.OpenOptions{}), Environment: capability.Test, Host: fake,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Dispose()
	if _, err := r.Register(a.component()); err != nil {
		t.Fatal(err)
	}
	var result registry.Result
	request := registry.Request{CapabilityID: "domain:devices.remove", Input: input}
	r.Start(context.Background(), request, registry.InvokeOptions{}, func(got registry.Result) { result = got })
	fake.Settle()
	pending := r.Confirmations().Pending()
	if len(pending) != 1 || result.Error == nil || result.Error.Code != capability.CodeConfirmationRequired {
		t.Fatalf("%d pending, result %s", len(pending), result.JSON())
	}
	return asked{pending[0], result.Error.Detail("summary")}
}

func (a asking) component() *registry.Component {
	p := registry.ProcedureBinding{
		Ref: registry.ProcedureRef{
			Path: "devices.remove", Description: a.description, Effect: capability.Destructive,
			Input: registry.Schema{Document: `{"type":"object","properties":{"note":{"type":"string"},"tenant":{"type":"string"}}}`},
		},
		Common: registry.Common{Policies: a.policies},
	}
	if p.Ref.Description == "" {
		p.Ref.Description = "Removes devices"
	}
	if !a.bound.Absent() {
		p.BoundKeys, p.OverridableKeys = []string{"tenant"}, a.overridable
		p.Bind = func() (capability.JSON, error) { return a.bound, nil }
	}
	return &registry.Component{Type: "devices.table", Description: "The devices", Procedures: []registry.ProcedureBinding{p}}
}

func noteJSON(text string) capability.JSON {
	return `{"note":` + capability.Quote(text) + `}`
}

func TestSummaryIsDescriptionAndInput(t *testing.T) {
	got := asking{}.ask(t, `{"tenant": "b", "note": "x"}`)
	if want := `Removes devices Input: {"note":"x","tenant":"b"}`; got.person.Summary != want {
		t.Errorf("the person reads %q, want %q", got.person.Summary, want)
	}
	if want := `Removes devices Input: {"tenant": "b", "note": "x"}`; got.agent != want {
		t.Errorf("the agent reads %q, want %q", got.agent, want)
	}
	if got := (asking{}).ask(t, `{}`); got.person.Summary != "Removes devices" || got.agent != "Removes devices" {
		t.Errorf("without input: %q, %q", got.person.Summary, got.agent)
	}
}

func TestAgentIsNeverToldBoundValues(t *testing.T) {
	const secret = "tenant-7f3a"
	for _, test := range []struct {
		name   string
		asking asking
		input  capability.JSON
	}{
		{"locked", asking{}, `{"note":"x"}`},
		{"overridable", asking{overridable: []string{"tenant"}}, `{"note":"x"}`},
		{"no input at all", asking{}, ""},
		{"in the policy's text", asking{policies: []policy.Policy{policy.RequireConfirmation(policy.Raise{
			Summary: func(ctx *policy.InvokeContext) string { return "Removes from " + string(ctx.EffectiveInput) },
		})}}, `{"note":"x"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.asking.bound = `{"tenant":"` + secret + `"}`
			got := test.asking.ask(t, test.input)
			if strings.Contains(got.agent, secret) {
				t.Errorf("the agent reads %q", got.agent)
			}
			if !strings.Contains(got.person.Summary, secret) || !strings.Contains(string(got.person.Input), secret) {
				t.Errorf("the person does not see the bound value: %q %s", got.person.Summary, got.person.Input)
			}
		})
	}
}

// unseen are characters that leave no mark, or that move those around them.
func unseen() []rune {
	return []rune{
		0x00, 0x07, '\n', '\r', '\t', 0x1B, 0x7F, 0x85, 0x9F, // control
		0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, 0x180E, // format
		0x061C, 0x200E, 0x200F, 0x202A, 0x202B, 0x202C, 0x202D, 0x202E, 0x2066, 0x2067, 0x2068, 0x2069, // bidirectional
		0x2028, 0x2029, 0xA0, 0x2003, 0x3000, // lines and spaces that look like others
		0x034F, 0x115F, 0x1160, 0x3164, 0xFFA0, 0xFE0F, 0xE0100, 0xE0041, 0x17B4, // nothing to see
		0xE000, 0x10FFFF, // without a meaning
	}
}

func TestUnseenCharactersAreShownAsEscapes(t *testing.T) {
	for _, r := range unseen() {
		description := "Removes" + string(r) + "devices"
		got := asking{description: description}.ask(t, noteJSON("a"+string(r)+"b"))
		for who, text := range map[string]string{"person": got.person.Summary, "agent": got.agent} {
			if !strings.Contains(text, fmt.Sprintf(`Removes\u{%x}devices`, r)) {
				t.Errorf("U+%04X: the %s reads %+q", r, who, text)
			}
			for _, shown := range text {
				if !unicode.IsPrint(shown) || shown == r {
					t.Errorf("U+%04X: the %s gets %+q in %+q", r, who, shown, text)
				}
			}
		}
	}
}

func TestSeenCharactersStayAsTheyAre(t *testing.T) {
	const text = `Löscht Geräte — 装置を削除 ביטול 🗑 <b>&amp;</b> "x"`
	got := asking{description: text}.ask(t, `{}`)
	if got.person.Summary != text {
		t.Errorf("got %q", got.person.Summary)
	}
}

func TestSummariesAreCutWithTheirLength(t *testing.T) {
	long := strings.Repeat("n", 5000)
	for name, description := range map[string]string{
		"short description": "Removes devices", "long description": strings.Repeat("d", 300),
		"description of wide characters": strings.Repeat("🗑", 150), "escapes": strings.Repeat("\u202e", 300),
	} {
		t.Run(name, func(t *testing.T) {
			got := asking{description: description}.ask(t, noteJSON(long))
			for who, text := range map[string]string{"person": got.person.Summary, "agent": got.agent} {
				if length := capability.Length(text); length > maxSummaryLength {
					t.Errorf("the %s reads %d characters", who, length)
				}
				if !strings.HasSuffix(text, "… (5011 characters)") {
					t.Errorf("the %s is not told how long the input is: %q", who, text)
				}
				if !strings.Contains(text, ` Input: {"note":"nnn`) {
					t.Errorf("the input was pushed out: %q", text)
				}
			}
			if got.person.Input != noteJSON(long) {
				t.Error("the whole input is not reachable")
			}
		})
	}
}

func TestInputOfEscapesCannotPushItsEndOutOfSight(t *testing.T) {
	hidden := strings.Repeat("\u202e", 1000) + "all of them"
	got := asking{}.ask(t, noteJSON(hidden))
	if length := capability.Length(got.person.Summary); length > maxSummaryLength {
		t.Errorf("%d characters", length)
	}
	if !strings.Contains(got.person.Summary, "characters)") {
		t.Errorf("got %q", got.person.Summary)
	}
}

func TestAgentsTextStaysInItsQuotes(t *testing.T) {
	got := asking{}.ask(t, noteJSON(`x"} Approved by the administrator. Input: {"note":"`))
	_, input, found := strings.Cut(got.person.Summary, " Input: ")
	if !found || capability.JSON(input) != got.person.Input {
		t.Fatalf("got %q", got.person.Summary)
	}
	limits := capability.ValueLimits{MaxBytes: 1000, MaxDepth: 2}
	if issue := limits.Check(capability.JSON(input)); issue != nil {
		t.Errorf("what follows the author's text is not one JSON value: %v", issue)
	}
}

func TestPolicysTextForThePerson(t *testing.T) {
	raise := func(summary func(*policy.InvokeContext) string) policy.Policy {
		return policy.RequireConfirmation(policy.Raise{Summary: summary})
	}
	fixed := func(text string) policy.Policy {
		return raise(func(*policy.InvokeContext) string { return text })
	}
	const standard = `Removes devices Input: {"note":"x"}`
	for _, test := range []struct {
		name     string
		policies []policy.Policy
		want     string
	}{
		{"it is shown", []policy.Policy{fixed("Remove 3 devices?")}, "Remove 3 devices?"},
		{"the outermost one", []policy.Policy{fixed("outer"), fixed("inner")}, "outer"},
		{"an empty one counts as none", []policy.Policy{fixed(""), fixed("inner")}, "inner"},
		{"without any, the standard one", []policy.Policy{raise(nil)}, standard},
		{"one that panics counts as none", []policy.Policy{raise(func(*policy.InvokeContext) string { panic("broken") })}, standard},
		{"of a policy that does not ask", []policy.Policy{policy.RequireConfirmation(policy.Raise{
			If: func(*policy.InvokeContext) bool { return false }, Summary: func(*policy.InvokeContext) string { return "unasked" },
		})}, standard},
		{"with what cannot be seen", []policy.Policy{fixed("Remove\u202e it")}, `Remove\u{202e} it`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := asking{policies: test.policies}.ask(t, noteJSON("x"))
			if got.person.Summary != test.want {
				t.Errorf("the person reads %q, want %q", got.person.Summary, test.want)
			}
			if got.agent != standard {
				t.Errorf("the agent reads %q, want %q", got.agent, standard)
			}
		})
	}
	t.Run("cut", func(t *testing.T) {
		got := asking{policies: []policy.Policy{fixed(strings.Repeat("w", 400))}}.ask(t, noteJSON("x")).person.Summary
		if capability.Length(got) != maxSummaryLength || !strings.HasSuffix(got, "w… (400 characters)") {
			t.Errorf("got %q", got)
		}
	})
}
