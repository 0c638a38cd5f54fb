package registry

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/canonical"
	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/host"
)

// fuzzWorld offers one capability of each kind; the action's schema uses most keywords.
func fuzzWorld(t *testing.T, handled *capability.JSON) *world {
	on := host.NewFake(dawn)
	t.Cleanup(on.Close)
	w := newWorld(t, loopDriver{on})
	keep := func(_ context.Context, in capability.JSON, _ *Call) (capability.JSON, error) {
		*handled = in
		return in, nil
	}
	w.SetExecutor(ExecutorFunc(func(c context.Context, _ string, in capability.JSON, call *Call) (capability.JSON, error) {
		return keep(c, in, call)
	}))
	a := action("poke", keep)
	a.Input.Document = `{"type":"object","properties":{"ids":{"type":"array","items":{"type":"string","pattern":"^[a-z]+$"},"uniqueItems":true},
		"n":{"type":"integer","minimum":-5,"multipleOf":3},"any":{},"one":{"anyOf":[{"type":"null"},{"const":"x"}]},"at":{"type":"string","format":"date-time"}},"additionalProperties":false}`
	p := bound(func() (capability.JSON, error) { return `{"tenant":"t1","page":1}`, nil })
	w.mount(widget(observation("readState", gives(`1`)), a, p, procedure("items.remove", capability.Destructive)))
	return w
}

// FuzzInvoke feeds whole requests: whatever they hold, there is one result, it is JSON, its code is of the
// closed set, and what a handler got is the JSON value that was sent.
func FuzzInvoke(f *testing.F) {
	for _, seed := range []Request{
		{CapabilityID: poke, Input: `{"ids":["a","b"],"n":3,"any":{"__proto__":[1e2]},"one":null,"at":"2020-01-01T00:00:00Z"}`},
		{CapabilityID: poke, Input: `{"n":1e999}`, InvocationID: "a"},
		{CapabilityID: poke, Input: `{"any":` + capability.JSON(strings.Repeat("[", 100)) + `}`},
		{CapabilityID: poke, Input: "{\"any\":\"\xff\\ud800\"}"},
		{CapabilityID: poke, Input: `{"a":1,"a":2}`, SurfaceVersion: "1", RegistrationID: "reg_x", InstanceID: "default"},
		{CapabilityID: readState, Input: `null`},
		{CapabilityID: "domain:items.find", Input: `{"q":"x","tenant":"evil"}`},
		{CapabilityID: removeItem, Input: `{"id":9007199254740993}`, ConfirmationID: "cnf_x"},
		{CapabilityID: "view:\x00", Input: ` `},
	} {
		f.Add(seed.CapabilityID, string(seed.Input), seed.InvocationID, seed.InstanceID, seed.RegistrationID, seed.SurfaceVersion, seed.ConfirmationID)
	}
	f.Fuzz(func(t *testing.T, id, input, invocation, instance, registration, version, confirmation string) {
		var handled capability.JSON
		w := fuzzWorld(t, &handled)
		q := Request{
			InvocationID: invocation, CapabilityID: id, InstanceID: instance, RegistrationID: registration,
			SurfaceVersion: version, Input: capability.JSON(input), ConfirmationID: confirmation,
		}
		result := w.call(q).result()
		if !json.Valid([]byte(result.JSON())) {
			t.Fatalf("the result is not JSON: %q", result.JSON())
		}
		if result.Error != nil {
			if _, known := result.Error.Code.Info(); !known {
				t.Fatalf("the code is %s", result.Error.Code)
			}
			return
		}
		if id == poke && input != "" && !canonical.Equal(handled, capability.JSON(input)) {
			t.Fatalf("the handler got %s for %s", handled, input)
		}
		if again := w.call(q).result(); invocation != "" && again != result {
			t.Fatalf("the replay is %s, the result was %s", again.JSON(), result.JSON())
		}
	})
}

// FuzzConfirmation asks for one input and answers with another: the approval is good exactly for equal
// values.
func FuzzConfirmation(f *testing.F) {
	f.Add(`{"id":7}`, `{ "id" : 7.0 }`)
	f.Add(`{"id":7}`, `{"id":"7"}`)
	f.Add(`{"a":1,"b":2}`, `{"b":2,"a":1}`)
	f.Add(`{"a":"\u0061"}`, `{"a":"a"}`)
	f.Add(`{"a":0}`, `{"a":-0}`)
	f.Add(`{"a":9007199254740993}`, `{"a":9007199254740992}`)
	f.Add(`{"a":"é"}`, `{"a":"e\u0301"}`)
	f.Fuzz(func(t *testing.T, asked, sent string) {
		var handled capability.JSON
		w := fuzzWorld(t, &handled)
		first := w.call(Request{CapabilityID: removeItem, Input: capability.JSON(asked)}).result()
		if first.Error == nil {
			t.Fatal("it ran without a confirmation")
		}
		if first.Error.Code != capability.CodeConfirmationRequired {
			return
		}
		id := first.Error.Detail("confirmationId")
		w.approve(id)
		result := w.call(Request{CapabilityID: removeItem, Input: capability.JSON(sent), ConfirmationID: id}).result()
		if equal := canonical.Equal(orEmpty(asked), orEmpty(sent)); result.OK() != equal {
			t.Fatalf("approved %s, sent %s: %s", asked, sent, result.JSON())
		}
		if bound, _ := canonical.Encode(orEmpty(asked), w.inputLimits()); result.OK() && handled != bound {
			t.Fatalf("the handler got %s", handled)
		}
	})
}

// orEmpty is input as the pipeline takes it.
func orEmpty(input string) capability.JSON {
	if input == "" {
		return capability.EmptyObject
	}
	return capability.JSON(input)
}
