package registry_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/registry"
)

const anySchema = `{}`

// newTypedRegistry makes a registry with one component and an executor.
func newTypedRegistry(t testing.TB, c registry.Component, executor registry.Executor) *registry.Registry {
	t.Helper()
	r, err := registry.New(registry.Options{
		Authority: contract.NewOpenAuthority(contract.OpenOptions{}), Environment: capability.Test,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Dispose)
	c.Type, c.Description = "typed.thing", "A thing"
	if _, err := r.Register(&c); err != nil {
		t.Fatal(err)
	}
	r.SetExecutor(executor)
	return r
}

func invokeTyped(t testing.TB, r *registry.Registry, id string, input capability.JSON) registry.Result {
	t.Helper()
	return r.Invoke(context.Background(), registry.Request{CapabilityID: id, Input: input}, registry.InvokeOptions{})
}

// decoded gives input to an action that takes an In, and says what the action got.
func decoded[In any](t *testing.T, schema, input capability.JSON) (got In, result registry.Result) {
	t.Helper()
	action := registry.TypedAction(
		registry.Action{Name: "take", Description: "Takes", Effect: capability.LocalState, Input: registry.Schema{Document: schema}},
		func(_ context.Context, in In, _ *registry.Call) (registry.None, error) {
			got = in
			return registry.None{}, nil
		},
	)
	r := newTypedRegistry(t, registry.Component{Actions: []registry.Action{action}}, nil)
	result = invokeTyped(t, r, "view:typed.thing.take", input)
	return got, result
}

// mustDecode is decoded for input that fits.
func mustDecode[In any](t *testing.T, input capability.JSON) In {
	t.Helper()
	got, result := decoded[In](t, anySchema, input)
	if !result.OK() {
		t.Fatalf("%s: %s", input, result.JSON())
	}
	if !result.Output.Absent() {
		t.Errorf("None became the output %s", result.Output)
	}
	return got
}

type inner struct {
	Amount int `json:"amount"`
}

type Embedded struct {
	Shared string `json:"shared"`
	Hidden string `json:"hidden"`
}

type everything struct {
	inner
	*Embedded
	Name   string            `json:"name"`
	Hidden int               `json:"hidden"`
	Rows   []inner           `json:"rows"`
	Map    map[string]inner  `json:"map"`
	Ptr    *inner            `json:"ptr"`
	Any    any               `json:"any"`
	When   time.Time         `json:"when"`
	Raw    capability.JSON   `json:"raw"`
	Labels map[string]string `json:"labels"`
	Skip   string            `json:"-"`
	Plain  string
}

func TestTypedInputIsDecoded(t *testing.T) {
	got := mustDecode[everything](t, `{"amount":1,"shared":"s","name":"n","hidden":2,"rows":[{"amount":3}],"map":{"k":{"amount":4}},
		"ptr":{"amount":5},"any":{"n":9007199254740993},"when":"2026-01-02T03:04:05Z","raw":[1, 2],"labels":{"a":"b"},"Plain":"p"}`)
	if got.Amount != 1 || got.Shared != "s" || got.Name != "n" || got.Hidden != 2 || got.Rows[0].Amount != 3 ||
		got.Map["k"].Amount != 4 || got.Ptr.Amount != 5 || got.Labels["a"] != "b" || got.Plain != "p" {
		t.Errorf("got %+v", got)
	}
	if n := got.Any.(map[string]any)["n"]; n != json.Number("9007199254740993") {
		t.Errorf("a number was rounded: %v", n)
	}
	if !got.When.Equal(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)) || got.Raw != `[1,2]` {
		t.Errorf("got %v %s", got.When, got.Raw)
	}
}

func TestNamesAreComparedExactly(t *testing.T) {
	for _, input := range []capability.JSON{
		`{"Amount":1,"NAME":"n","Rows":[{"amount":1}],"Skip":"s","skip":"s","plain":"p","-":"x"}`,
		`{"rows":[{"Amount":1},{"AMOUNT":1}],"map":{"k":{"aMount":1}},"ptr":{"Amount":1}}`,
		`{"ſhared":"s","SHARED":"s","Embedded":{"shared":"s"},"inner":{"amount":1}}`, // ſ folds to s
	} {
		got := mustDecode[everything](t, input)
		if got.Amount != 0 || got.Name != "" || got.Skip != "" || got.Plain != "" || got.Embedded != nil {
			t.Errorf("%s filled %+v", input, got)
		}
		for _, row := range append(got.Rows, got.Map["k"]) {
			if row.Amount != 0 {
				t.Errorf("%s filled %+v", input, got)
			}
		}
	}
}

func TestHostileNamesAreOrdinaryMembers(t *testing.T) {
	got := mustDecode[map[string]int](t, `{"__proto__":1,"constructor":2,"":3,"toString":4}`)
	if len(got) != 4 || got["__proto__"] != 1 || got[""] != 3 {
		t.Errorf("got %v", got)
	}
}

func TestAmbiguousFieldsTakeNothing(t *testing.T) {
	type a struct{ X string }
	type b struct {
		X string
		Y string `json:"y"`
	}
	type both struct {
		a
		b
		Z string `json:"x"` // must not be filled by X, which is ambiguous
	}
	got := mustDecode[both](t, `{"X":"1","y":"2"}`)
	if got.a.X != "" || got.b.X != "" || got.Y != "2" || got.Z != "" {
		t.Errorf("got %+v", got)
	}
}

func TestNumbersAreExact(t *testing.T) {
	type numbers struct {
		I int64       `json:"i"`
		U uint64      `json:"u"`
		F float64     `json:"f"`
		N json.Number `json:"n"`
		B *big.Int    `json:"b"`
	}
	got := mustDecode[numbers](t, `{"i":-9223372036854775808,"u":18446744073709551615,"f":0.1,"n":1234567890123456789012,"b":9007199254740993}`)
	if got.I != math.MinInt64 || got.U != math.MaxUint64 || got.F != 0.1 || got.B.String() != "9007199254740993" {
		t.Errorf("got %+v", got)
	}
	if got = mustDecode[numbers](t, `{"i":1.0,"u":1e2,"f":-0}`); got.I != 1 || got.U != 100 || got.F != 0 {
		t.Errorf("integers in other spellings: got %+v", got)
	}
}

func TestInputThatDoesNotFitIsInvalid(t *testing.T) {
	type row struct {
		Small int8      `json:"small"`
		Pair  [2]int    `json:"pair"`
		When  time.Time `json:"when"`
		Text  string    `json:"text"`
		Float float32   `json:"float"`
		Count uint      `json:"count"`
	}
	type table struct {
		Rows []row `json:"rows"`
	}
	const secret = "5551234"
	for _, test := range []struct {
		input capability.JSON
		path  string
		says  string
	}{
		{`{"rows":[{"small":1},{"small":5551234}]}`, "rows[1].small", "int8"},
		{`{"rows":[{"small":1.5}]}`, "rows[0].small", "int8"},
		{`{"rows":[{"count":-5551234}]}`, "rows[0].count", "uint"},
		{`{"rows":[{"float":1e39}]}`, "rows[0].float", "float32"},
		{`{"rows":[{"pair":[1,2,5551234]}]}`, "rows[0].pair", "exactly 2"},
		{`{"rows":[{"pair":[]}]}`, "rows[0].pair", "exactly 2"},
		{`{"rows":[{"when":"5551234"}]}`, "", "form"},
		{`{"rows":[{"text":5551234}]}`, "rows.text", "another type than number"},
		{`{"rows":5551234}`, "rows", "another type than number"},
		{`["5551234"]`, "", "another type than array"},
	} {
		_, result := decoded[table](t, anySchema, test.input)
		if result.Error == nil || result.Error.Code != capability.CodeInvalidInput {
			t.Errorf("%s: %s", test.input, result.JSON())
			continue
		}
		details := string(result.Error.Details)
		if !strings.Contains(details, `"path":"`+test.path+`"`) || !strings.Contains(details, test.says) {
			t.Errorf("%s: %s", test.input, details)
		}
		if strings.Contains(details, secret) {
			t.Errorf("the issue holds the value: %s", details)
		}
	}
}

func TestUnknownMembersAreTheSchemasMatter(t *testing.T) {
	const closed = `{"type":"object","properties":{"amount":{"type":"integer"}},"additionalProperties":false}`
	if _, result := decoded[inner](t, closed, `{"amount":1,"Amount":2}`); result.Error == nil || result.Error.Code != capability.CodeInvalidInput {
		t.Errorf("closed: %s", result.JSON())
	}
	if got := mustDecode[inner](t, `{"amount":1,"more":2}`); got.Amount != 1 {
		t.Errorf("open: %+v", got)
	}
}

func TestNoneAndAbsentInput(t *testing.T) {
	mustDecode[registry.None](t, `{"whatever":1}`)
	if got := mustDecode[inner](t, ""); got != (inner{}) {
		t.Errorf("got %+v", got)
	}
	if got := mustDecode[*inner](t, `null`); got != nil {
		t.Errorf("got %+v", got)
	}
}

// encoded is what an action that gives output comes to.
func encoded[Out any](t *testing.T, output Out) registry.Result {
	t.Helper()
	action := registry.TypedAction(
		registry.Action{Name: "give", Description: "Gives", Effect: capability.LocalState, Input: registry.Schema{Document: anySchema}},
		func(context.Context, registry.None, *registry.Call) (Out, error) { return output, nil },
	)
	r := newTypedRegistry(t, registry.Component{Actions: []registry.Action{action}}, nil)
	return invokeTyped(t, r, "view:typed.thing.give", "")
}

func gives[Out any](t *testing.T, output Out, want capability.JSON) {
	t.Helper()
	if got := encoded(t, output); !got.OK() || got.Output != want {
		t.Errorf("%#v: got %s, want the output %s", output, got.JSON(), want)
	}
}

type lists struct {
	Rows   []inner          `json:"rows"`
	Map    map[string]int   `json:"map"`
	Bytes  []byte           `json:"bytes"`
	Ptr    *lists           `json:"ptr"`
	Any    any              `json:"any"`
	Nested map[string][]int `json:"nested,omitempty"`
	Zero   []int            `json:"zero,omitzero"`
	Empty  []int            `json:"empty,omitempty"`
}

func TestEmptyListsAreNeverNull(t *testing.T) {
	gives(t, lists{}, `{"rows":[],"map":{},"bytes":"","ptr":null,"any":null}`)
	gives(t, lists{Ptr: &lists{}, Any: []any{[]int(nil), map[string]any(nil)}, Nested: map[string][]int{"a": nil}},
		`{"rows":[],"map":{},"bytes":"","ptr":{"rows":[],"map":{},"bytes":"","ptr":null,"any":null},"any":[[],{}],"nested":{"a":[]}}`)
	gives(t, []lists{{}}, `[{"rows":[],"map":{},"bytes":"","ptr":null,"any":null}]`)
	gives(t, [][]int{nil, {1}}, `[[],[1]]`)
	gives(t, [1][]int{}, `[[]]`)
	gives(t, []int(nil), `[]`)
	gives(t, map[string]int(nil), `{}`)
	gives(t, any([]int(nil)), `[]`)
	gives(t, struct{ Embedded }{}, `{"shared":"","hidden":""}`)
	gives(t, struct{ deep }{}, `{"List":[]}`)
	gives(t, struct {
		sync.Mutex
		List []int
	}{}, `{"List":[]}`)
}

type deep struct{ List []int }

func TestNothingIsNoOutput(t *testing.T) {
	for _, result := range []registry.Result{
		encoded(t, registry.None{}), encoded[*inner](t, nil), encoded[any](t, nil), encoded[any](t, (*inner)(nil)),
		encoded(t, capability.JSON("")), encoded[error](t, nil),
	} {
		if !result.OK() || !result.Output.Absent() {
			t.Errorf("got %s", result.JSON())
		}
	}
}

type named string

func TestOutputsOfEveryKind(t *testing.T) {
	gives(t, "5", `"5"`)
	gives(t, 5, `5`)
	gives(t, named("x"), `"x"`)
	gives(t, []string{"<a>", "\u2028"}, "[\"<a>\",\"\\u2028\"]")
	gives(t, time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC), `"2026-01-02T03:04:05.006Z"`)
	gives(t, uint64(math.MaxUint64), `18446744073709551615`)
	gives(t, capability.JSON(`{"a":1}`), `{"a":1}`)
	gives(t, json.RawMessage(`{"a":1}`), `{"a":1}`)
	gives(t, map[int]string{2: "b", 1: "a"}, `{"1":"a","2":"b"}`)
	gives(t, big.NewInt(7), `7`)
	gives(t, any(*big.NewInt(7)), `7`)
	gives(t, []any{*big.NewInt(7)}, `[7]`)
	gives(t, struct{}{}, `{}`)
	gives(t, &inner{1}, `{"amount":1}`)
	gives(t, []byte("hi"), `"aGk="`)
	gives(t, struct{ Shared *inner }{}, `{"Shared":null}`)
}

func TestApplicationsValueIsNotChanged(t *testing.T) {
	own := &lists{Ptr: &lists{}, Any: []any{[]int(nil)}}
	encoded(t, own)
	encoded(t, map[string]*lists{"a": own})
	if own.Rows != nil || own.Ptr.Map != nil || own.Any.([]any)[0].([]int) != nil {
		t.Errorf("got %+v", own)
	}
}

type loop struct {
	Next *loop `json:"next"`
	List []any `json:"list"`
}

type panics struct{}

func (panics) MarshalJSON() ([]byte, error) { panic("secret") }

type liar struct{}

func (liar) MarshalJSON() ([]byte, error) { return nil, capability.NotAuthorized("client") }

func TestOutputThatJSONCannotCarry(t *testing.T) {
	ring := &loop{}
	ring.Next = &loop{Next: ring}
	list := []any{nil}
	list[0] = list
	table := map[string]any{}
	table["self"] = table
	wide := any(1)
	for range 64 {
		wide = []any{wide, wide}
	}
	long := &loop{}
	for range 2000 {
		long = &loop{Next: long}
	}
	for name, result := range map[string]registry.Result{
		"a channel":                 encoded(t, make(chan int)),
		"a function":                encoded[any](t, func() {}),
		"NaN":                       encoded(t, math.NaN()),
		"infinity in a list":        encoded(t, []float64{1, math.Inf(-1)}),
		"a complex number":          encoded(t, complex(1, 2)),
		"a map of anything":         encoded(t, map[any]any{1: 2}),
		"a ring of pointers":        encoded(t, ring),
		"a list of itself":          encoded(t, list),
		"a map of itself":           encoded(t, table),
		"a tree of shared branches": encoded(t, wide),
		"a long chain":              encoded(t, long),
		"an error":                  encoded[any](t, errors.New("secret")),
		"an error inside":           encoded(t, struct{ Err error }{errors.New("secret")}),
		"text that is not UTF-8":    encoded(t, "a\xffb"),
		"such a key":                encoded(t, map[string]int{"a\xff": 1}),
		"raw text that is no JSON":  encoded(t, json.RawMessage(`{"a":`)),
		"JSON that is none":         encoded(t, capability.JSON(`{"a":`)),
		"a struct without fields":   encoded(t, struct{ hidden int }{1}),
		"a map of big numbers":      encoded(t, map[string]big.Int{"a": *big.NewInt(1)}),
		"a method that panics":      encoded(t, panics{}),
		"a method with an opinion":  encoded(t, liar{}),
	} {
		if result.Error == nil || result.Error.Code != capability.CodeExecutionFailed ||
			result.Error.Detail("reason") != capability.ReasonOutputInvalid || result.Error.Detail("progress") != string(capability.Done) {
			t.Errorf("%s: %s", name, result.JSON())
		}
		if strings.Contains(string(result.JSON()), "secret") {
			t.Errorf("%s: the agent reads %s", name, result.JSON())
		}
	}
}

func TestTypedObservation(t *testing.T) {
	observe := func(read func(context.Context, *registry.Call) (*inner, error)) registry.Result {
		o := registry.TypedObservation(registry.Observation{
			Name: "look", Description: "Looks", Output: registry.Schema{Document: `{"type":["null","object"]}`},
		}, read)
		return invokeTyped(t, newTypedRegistry(t, registry.Component{Observations: []registry.Observation{o}}, nil), "view:typed.thing.look", "")
	}
	if got := observe(func(_ context.Context, call *registry.Call) (*inner, error) {
		return &inner{len(call.CapabilityID)}, nil
	}); got.Output != `{"amount":21}` {
		t.Errorf("got %s", got.JSON())
	}
	if got := observe(func(context.Context, *registry.Call) (*inner, error) { return nil, nil }); got.Output != `null` {
		t.Errorf("got %s", got.JSON())
	}
	if got := observe(func(context.Context, *registry.Call) (*inner, error) { return nil, capability.NotAuthenticated() }); got.Error == nil || got.Error.Code != capability.CodeNotAuthenticated {
		t.Errorf("got %s", got.JSON())
	}
}

func TestTypedHandlerThatIsMissingIsADefect(t *testing.T) {
	r := newTypedRegistry(t, registry.Component{Observations: []registry.Observation{registry.TypedObservation(
		registry.Observation{Name: "x", Description: "x", Output: registry.Schema{Document: anySchema}},
		func(context.Context, *registry.Call) (int, error) { return 1, nil },
	)}}, nil)
	c := registry.Component{Type: "other.thing", Description: "x",
		Actions: []registry.Action{registry.TypedAction[int, int](registry.Action{Name: "x", Description: "x", Effect: capability.LocalState, Input: registry.Schema{Document: anySchema}}, nil)},
	}
	if err := r.Validate(&c); err == nil {
		t.Error("an action without a handler was accepted")
	}
	c.Actions = nil
	c.Observations = []registry.Observation{registry.TypedObservation[int](registry.Observation{Name: "x", Description: "x", Output: registry.Schema{Document: anySchema}}, nil)}
	if err := r.Validate(&c); err == nil {
		t.Error("an observation without a handler was accepted")
	}
}

func TestTypedPrecondition(t *testing.T) {
	ran := false
	action := registry.TypedAction(registry.Action{
		Name: "pay", Description: "Pays", Effect: capability.LocalState, Input: registry.Schema{Document: anySchema},
		Precondition: registry.TypedPrecondition(func(in inner, _ *registry.Call) error {
			if in.Amount > 10 {
				return registry.Refuse("At most 10.", `{"most":10}`)
			}
			return nil
		}),
	}, func(context.Context, inner, *registry.Call) (registry.None, error) {
		ran = true
		return registry.None{}, nil
	})
	r := newTypedRegistry(t, registry.Component{Actions: []registry.Action{action}}, nil)
	if got := invokeTyped(t, r, "view:typed.thing.pay", `{"amount":11}`); got.Error == nil || got.Error.Code != capability.CodePreconditionFailed || got.Error.Details != `{"most":10}` || ran {
		t.Errorf("got %s", got.JSON())
	}
	if got := invokeTyped(t, r, "view:typed.thing.pay", `{"amount":"x"}`); got.Error == nil || got.Error.Code != capability.CodeInvalidInput || ran {
		t.Errorf("got %s", got.JSON())
	}
	if got := invokeTyped(t, r, "view:typed.thing.pay", `{"amount":10}`); !got.OK() || !ran {
		t.Errorf("got %s", got.JSON())
	}
}

type transfer struct {
	Tenant string `json:"tenant"`
	Amount int    `json:"amount"`
}

func TestTypedProcedure(t *testing.T) {
	const schema = `{"type":"object","properties":{"tenant":{"type":"string"},"amount":{"type":"integer"}},"required":["tenant","amount"],"additionalProperties":false}`
	bound := func() (map[string]any, error) { return map[string]any{"tenant": "t1"}, nil }
	offer := func(path string, bind func() (capability.JSON, error)) registry.ProcedureBinding {
		return registry.ProcedureBinding{
			Ref:       registry.ProcedureRef{Path: path, Description: "Moves money", Effect: capability.ServerMutation, Input: registry.Schema{Document: schema}},
			BoundKeys: []string{"tenant"}, Bind: bind,
		}
	}
	executor := registry.Procedures{
		"money.move": registry.TypedProcedure(func(_ context.Context, in transfer, call *registry.Call) (transfer, error) { return in, nil }),
	}
	r := newTypedRegistry(t, registry.Component{Procedures: []registry.ProcedureBinding{
		offer("money.move", registry.TypedBind(bound)),
		offer("money.unknown", registry.TypedBind(bound)),
		offer("money.unbound", registry.TypedBind(func() (transfer, error) { return transfer{}, errors.New("nobody is signed in") })),
		offer("money.odd", registry.TypedBind(func() (any, error) { return make(chan int), nil })),
	}}, executor)
	if got := invokeTyped(t, r, "domain:money.move", `{"amount":5}`); got.Output != `{"tenant":"t1","amount":5}` {
		t.Errorf("got %s", got.JSON())
	}
	if got := invokeTyped(t, r, "domain:money.unknown", `{"amount":5}`); got.Error == nil || got.Error.Detail("reason") != capability.ReasonTransport {
		t.Errorf("got %s", got.JSON())
	}
	for _, path := range []string{"money.unbound", "money.odd"} {
		if got := invokeTyped(t, r, "domain:"+path, `{"amount":5}`); got.Error == nil || got.Error.Detail("reason") != "binding-failed" {
			t.Errorf("%s: got %s", path, got.JSON())
		}
	}
}

func TestTypedHandlerFromManyGoroutines(t *testing.T) {
	echo := registry.TypedProcedure(func(_ context.Context, in everything, _ *registry.Call) (everything, error) { return in, nil })
	var everybody sync.WaitGroup
	for range 8 {
		everybody.Go(func() {
			for range 50 {
				if _, err := echo(context.Background(), `{"rows":[{"amount":1}],"raw":1}`, nil); err != nil {
					t.Error(err)
				}
			}
		})
	}
	everybody.Wait()
}
