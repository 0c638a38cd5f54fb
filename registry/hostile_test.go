package registry

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/policy"
)

// hostileNames mean something to a JavaScript object and nothing here.
var hostileNames = []string{"__proto__", "constructor", "toString", "hasOwnProperty", "valueOf", "then", ""}

func TestHostileNamesAreNames(t *testing.T) {
	for _, name := range hostileNames {
		t.Run(name, func(t *testing.T) {
			key := string(capability.Quote(name))
			w := newWorld(t, onLoop(t))
			a := action("poke", echo)
			a.Input.Document = capability.JSON(`{"type":"object","properties":{` + key + `:{"type":"integer"}},"required":[` + key + `],"additionalProperties":false}`)
			a.Output = a.Input
			w.mount(widget(a, func(c *Component) { c.Meta = capability.JSON(`{` + key + `:1}`) }))
			good := capability.JSON(`{` + key + `:1}`)
			w.invoke(poke, good).wantOutput(t, good)
			path := capability.PathName("", name)
			for _, bad := range []capability.JSON{`{}`, capability.JSON(`{` + key + `:"x"}`)} {
				e := wantError(t, w.invoke(poke, bad), capability.CodeInvalidInput)
				if !strings.Contains(string(e.Details), `"path":`+string(capability.Quote(path))) {
					t.Errorf("%s: details are %s", bad, e.Details)
				}
			}
			for _, other := range hostileNames {
				if other != name {
					w.invoke(poke, capability.JSON(`{`+key+`:1,`+string(capability.Quote(other))+`:1}`)).wantCode(t, capability.CodeInvalidInput)
				}
			}
		})
	}
}

func TestHostileNamesCanBeLocked(t *testing.T) {
	w, x := newWorld(t, onLoop(t)), &carrying{output: `1`}
	w.SetExecutor(x)
	p := procedure("items.find", capability.ServerQuery)
	p.Ref.Input.Document = `{"type":"object","properties":{"__proto__":{"type":"string"},"q":{"type":"string"}},"required":["__proto__","q"],"additionalProperties":false}`
	p.BoundKeys, p.Bind = []string{"__proto__"}, func() (capability.JSON, error) { return `{"__proto__":"bound","constructor":"no"}`, nil }
	w.mount(widget(p))
	wantError(t, w.invoke("domain:items.find", `{"q":"x","__proto__":"evil"}`), capability.CodeInvalidInput, `lockedFields=["__proto__"]`)
	wantError(t, w.invoke("domain:items.find", `{"q":"x","\u005f_proto__":"evil"}`), capability.CodeInvalidInput, `lockedFields=["__proto__"]`)
	w.invoke("domain:items.find", `{"q":"x"}`).wantOutput(t, `1`)
	want(t, "input", x.input, `{"q":"x","__proto__":"bound"}`)
}

func TestHostileValues(t *testing.T) {
	rep := strings.Repeat
	for _, test := range []struct {
		name   string
		input  string
		issue  string // part of the issue, "" for ok
		script bool   // refused only where JavaScript holds the numbers
	}{
		{"depth 64", rep("[", 63) + rep("]", 63), "", false},
		{"depth 65", rep("[", 64) + rep("]", 64), "64 levels", false},
		{"depth 100,000", rep("[", 100000) + rep("]", 100000), "64 levels", false},
		{"depth 100,000, unclosed", rep("[", 100000), "64 levels", false},
		{"objects 20,000 deep", rep(`{"a":`, 20000) + "1" + rep("}", 20000), "64 levels", false},
		{"ten megabytes", `"` + rep("x", 10<<20) + `"`, "262144 bytes", false},
		{"a million elements", "[" + rep("1,", 999999) + "1]", "262144 bytes", false},
		{"as many elements as fit", "[" + rep("1,", 130000) + "1]", "", false},
		{"1e999", "1e999", "exponent", false},
		{"-1e999", "-1e999", "exponent", false},
		{"1e400", "1e400", "64-bit float", false},
		{"1e308", "1e308", "", false},
		{"exponent of a billion digits", "1e" + rep("9", 1000), "exponent", false},
		{"-0", "-0", "", false},
		{"-0.0", "-0.0", "", false},
		{"2^53", "9007199254740992", "", false},
		{"2^53+1", "9007199254740993", "2^53", true},
		{"-2^53-1", "-9007199254740993", "2^53", true},
		{"400 digits", rep("9", 400), "64-bit float", false},
		{"300 digits", rep("9", 300), "2^53", true},
		{"2,000 characters", "0." + rep("1", 2000), "1000 characters", false},
		{"invalid UTF-8", "\"\xff\"", "UTF-8", false},
		{"overlong UTF-8", "\"\xc0\xaf\"", "UTF-8", false},
		{"surrogate in UTF-8", "\"\xed\xa0\x80\"", "UTF-8", false},
		{"lone high surrogate", `"\ud800"`, "surrogate", false},
		{"lone low surrogate", `"\udc00x"`, "surrogate", false},
		{"surrogates in the wrong order", `"\udc00\ud800"`, "surrogate", false},
		{"surrogate pair", `"\ud83d\ude00"`, "", false},
		{"escaped NUL", `"\u0000"`, "", false},
		{"raw NUL", "\"\x00\"", "JSON", false},
		{"byte order mark", "\ufeff1", "JSON", false},
		{"a name twice", `{"a":1,"a":2}`, "twice", false},
		{"a name twice, escaped", `{"a":1,"\u0061":2}`, "twice", false},
		{"two values", "1 2", "JSON", false},
		{"NaN", "NaN", "JSON", false},
		{"nothing", " ", "JSON", false},
		{"comment", "/**/1", "JSON", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, script := range []bool{false, true} {
				w := newWorld(t, onLoop(t), func(o *Options) { o.JavaScriptNumbers = script })
				ran := false
				w.mount(widget(action("poke", func(context.Context, capability.JSON, *Call) (capability.JSON, error) { ran = true; return "", nil }), anyInput))
				input := capability.JSON(`{"v":` + test.input + `}`)
				began := time.Now()
				result := w.invoke(poke, input)
				if took := time.Since(began); took > 5*time.Second {
					t.Errorf("took %v", took)
				}
				if test.issue == "" || test.script && !script {
					wantOK(t, result, "")
					continue
				}
				e := wantError(t, result, capability.CodeInvalidInput)
				if !strings.Contains(string(e.Details), test.issue) {
					t.Errorf("details are %s, want %q in them", e.Details, test.issue)
				}
				if len(e.Details) > 4096 {
					t.Errorf("details have %d bytes", len(e.Details))
				}
				want(t, "handler ran", ran, false)
			}
		})
	}
}

func anyInput(c *Component) { c.Actions[0].Input.Document = anyObject }

func TestMillionElementsWhereTheyFit(t *testing.T) {
	w := newWorld(t, onLoop(t), limited(func(l *capability.Limits) { l.MaxInputBytes = 4 << 20 }))
	a := action("poke", func(_ context.Context, in capability.JSON, _ *Call) (capability.JSON, error) {
		return capability.JSON(fmt.Sprint(len(in))), nil
	})
	a.Input.Document = `{"type":"object","properties":{"v":{"type":"array","items":{"type":"integer"},"maxItems":1000000}},"required":["v"]}`
	w.mount(widget(a))
	w.invoke(poke, capability.JSON(`{"v":[`+strings.Repeat("1,", 999999)+`1]}`)).wantOutput(t, `2000007`)
	w.invoke(poke, capability.JSON(`{"v":[`+strings.Repeat("1,", 1000000)+`1]}`)).wantCode(t, capability.CodeInvalidInput)
}

func TestHostileIdentifiers(t *testing.T) {
	w := newWorld(t, onLoop(t))
	w.mount(plain())
	for _, text := range append(hostileNames[:6:6], "\x00", "\xff\xfe", "\u202e", "view:", "domain:", "view:.", "view:a.", "domain:\x00", "view:bench.widget.poke ", "view:bench.widget.\u0440oke") {
		w.call(Request{CapabilityID: text}).wantError(capability.CodeNotFound)
		w.call(Request{CapabilityID: poke, InstanceID: text + "x"}).wantError(capability.CodeNotFound)
		w.call(Request{CapabilityID: poke, RegistrationID: text + "x"}).wantError(capability.CodeStale, "reason=surface-reloaded")
		w.call(Request{CapabilityID: poke, InvocationID: text + "y", SurfaceVersion: text}).wantOK(`{}`)
		w.call(Request{CapabilityID: poke, ConfirmationID: text + "x"}).wantOK(`{}`) // nothing asks for one
	}
}

func TestSummariesShowWhatCannotBeSeen(t *testing.T) {
	for name, hidden := range map[string]string{
		"bidirectional override": "\u202e", "isolate": "\u2066", "zero width": "\u200b", "byte order mark": "\ufeff", "soft hyphen": "\u00ad",
		"tag": "\U000e0041", "line separator": "\u2028", "delete": "\x7f",
	} {
		t.Run(name, func(t *testing.T) {
			w, _, _ := destructive(t, onLoop(t))
			e := w.call(Request{CapabilityID: removeItem, Input: capability.JSON(`{"name":"a` + hidden + `b"}`)}).wantError(capability.CodeConfirmationRequired)
			for _, summary := range []string{e.Detail("summary"), w.Confirmations().Pending()[0].Summary} {
				if strings.Contains(summary, hidden) || !strings.Contains(summary, `a\u{`) {
					t.Errorf("the summary is %q", summary)
				}
			}
		})
	}
}

func TestTenThousandConfirmations(t *testing.T) {
	w, _, _ := destructive(t, onLoop(t))
	for i := range 10000 {
		result := w.call(Request{CapabilityID: removeItem, Input: capability.JSON(fmt.Sprintf(`{"n":%d}`, i))}, as(capability.OtherConsumer, fmt.Sprint(i%1000))).result()
		if i < 32 {
			wantError(t, result, capability.CodeConfirmationRequired)
		} else {
			wantError(t, result, capability.CodeRateLimited, "reason=queue-full")
		}
	}
	want(t, "pending", len(w.Confirmations().Pending()), 32)
	w.inspect(func(s *state) { want(t, "calls kept", len(s.calls.byKey), 0) })
	w.on.advance(2 * time.Minute)
	want(t, "pending after their time", len(w.Confirmations().Pending()), 0)
	w.ask(Request{CapabilityID: removeItem})
}

func TestThousandsPendingWhereAllowed(t *testing.T) {
	const many = 3000
	w, _, _ := destructive(t, onLoop(t), limited(func(l *capability.Limits) {
		l.MaxPendingConfirmations, l.MaxPendingConfirmationsPerConsumer = many, many
	}))
	ids := make([]string, many)
	q := func(i int) Request {
		return Request{CapabilityID: removeItem, Input: capability.JSON(fmt.Sprintf(`{"n":%d}`, i))}
	}
	for i := range ids {
		ids[i] = w.ask(q(i))
	}
	for _, i := range []int{many - 1, 0, many / 2} { // in any order
		w.approve(ids[i])
		w.call(q(i).with(ids[i])).wantOK(`"removed"`)
		w.call(q(i).with(ids[i])).wantError(capability.CodeConfirmationInvalid, "reason=consumed")
	}
	want(t, "pending", len(w.Confirmations().Pending()), many-3)
}

func TestFloodOfOneConsumerStarvesNobody(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		w, g := newWorld(t, on), newGate(on)
		w.mount(widget(observation("readState", g.read), observation("other", gives(`1`)), action("poke", g.run)))
		flood := as(capability.WebMCPConsumer, "flood")
		refused := 0
		for i := range 2000 {
			for _, id := range []string{readState, poke} {
				p := w.call(Request{InvocationID: fmt.Sprint(i), CapabilityID: id, Input: `{}`}, flood)
				if p.over() && !p.result().OK() {
					refused++
				}
			}
		}
		want(t, "running", g.started(), 9) // eight reads and an action
		want(t, "refused", refused, 4000-16-3)
		w.invoke("view:bench.widget.other", "", as(capability.EmbeddedConsumer, "user")).wantOutput(t, `1`)
		w.inspect(func(s *state) {
			if len(s.calls.byKey) > 19+capability.DefaultLimits().DedupeCacheSize {
				t.Errorf("%d calls are kept", len(s.calls.byKey))
			}
		})
		w.Dispose()
		g.openAll(w)
	})
}

func TestFloodOfSettledCallsIsBounded(t *testing.T) {
	w := newWorld(t, onLoop(t))
	w.mount(plain())
	for i := range 5000 {
		w.call(Request{InvocationID: fmt.Sprint(i), CapabilityID: poke, Input: `{}`}).wantOK(`{}`)
	}
	w.inspect(func(s *state) {
		want(t, "calls kept", len(s.calls.byKey), 200)
		want(t, "settled", s.calls.settled.length, 200)
	})
}

func TestLargeInputsAreNotKept(t *testing.T) {
	f := fingerprintOf(Request{Input: `"` + capability.JSON(long(200000)) + `"`}, capability.ValueLimits{MaxBytes: 1 << 20, MaxDepth: 64})
	want(t, "kept", len(f.request.Input), 0)
	onBothHosts(t, func(t *testing.T, on driver) {
		w := newWorld(t, on)
		w.mount(widget(action("poke", func(context.Context, capability.JSON, *Call) (capability.JSON, error) { return `1`, nil })))
		large := capability.JSON(`{"v":"` + long(20000) + `"}`)
		w.call(Request{InvocationID: "a", CapabilityID: poke, Input: large}).wantOK(`1`)
		on.turn()
		w.inspect(func(s *state) {
			c := s.calls.settled.oldest
			want(t, "bytes of input that the stored call has", len(c.given)+len(c.input)+len(c.request.Input), 0)
		})
		w.call(Request{InvocationID: "a", CapabilityID: poke, Input: large}).wantOK(`1`)
		w.call(Request{InvocationID: "a", CapabilityID: poke, Input: large[:len(large)-3] + `"}`}).wantError(capability.CodeConflict)
	})
}

func TestPatternThatHangsABacktrackingEngine(t *testing.T) {
	w := newWorld(t, onLoop(t))
	a := action("poke", echo)
	a.Input.Document = `{"type":"object","properties":{"v":{"type":"string","pattern":"^(a+)+$"}}}`
	w.mount(widget(a))
	began := time.Now()
	w.invoke(poke, capability.JSON(`{"v":"`+strings.Repeat("a", 30000)+`!"}`)).wantCode(t, capability.CodeInvalidInput)
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestSchemaThatRefersToItself(t *testing.T) {
	w := newWorld(t, onLoop(t))
	a := action("poke", echo)
	a.Input.Document = `{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[{"$ref":"#/$defs/a"}]}}}`
	if found, ok := IsDefinitionError(w.Validate(widget(a))); !ok || found.Code != UnsupportedSchema {
		t.Errorf("got %v", found)
	}
}

func TestRemountsLeaveNothingBehind(t *testing.T) {
	w := newWorld(t, onLoop(t))
	for range 5000 {
		w.mount(plain()).Unregister()
		w.on.settle()
	}
	w.inspect(func(s *state) {
		want(t, "live", len(s.live), 0)
		want(t, "offers", len(s.offers), 0)
		want(t, "tombstones", len(s.tombs.list), 100)
		if cap(s.tombs.list) > 400 {
			t.Errorf("the list of tombstones has grown to %d", cap(s.tombs.list))
		}
	})
}

func TestHintsOfAConsumerDecideNothing(t *testing.T) {
	w, x, _ := destructive(t, onLoop(t))
	w.mount(widget(procedure("items.purge", capability.Destructive), instance("hint"), func(c *Component) {
		c.Procedures[0].Meta = `{"readOnlyHint":true,"destructiveHint":false}`
		c.Policies = []policy.Policy{always(policy.Expose, "")}
	}))
	w.call(Request{CapabilityID: "domain:items.purge"}, func(o *InvokeOptions) {
		o.Consumer = capability.Consumer{ID: "x", Kind: capability.WebMCPConsumer, ClaimedName: "admin", Grants: []string{"all"}}
	}).wantError(capability.CodeConfirmationRequired)
	want(t, "the executor ran", x.path, "")
}

func TestIDsThatAreTooLongAreRefusedAndForgotten(t *testing.T) {
	w := newWorld(t, onLoop(t))
	long := strings.Repeat("x", capability.MaxIDLength+1)
	for name, q := range map[string]Request{
		"confirmationId": {CapabilityID: poke, ConfirmationID: long},
		"instanceId":     {CapabilityID: poke, InstanceID: long},
		"invocationId":   {CapabilityID: poke, InvocationID: long},
		"registrationId": {CapabilityID: poke, RegistrationID: long},
		"surfaceVersion": {CapabilityID: poke, SurfaceVersion: long},
	} {
		e := w.call(q).wantError(capability.CodeInvalidInput)
		if want := capability.JSON(`{"issues":[{"path":"` + name + `","message":"must be at most 128 characters"}]}`); e.Details != want {
			t.Errorf("%s: details %s, want %s", name, e.Details, want)
		}
	}
	w.call(Request{CapabilityID: "domain:" + long}).wantError(capability.CodeNotFound)
	if n := len(w.Registry.state.calls.byKey); n != 0 {
		t.Errorf("%d refused requests are remembered", n)
	}
}
