package infer_test

import (
	"context"
	"encoding/json"
	"math/big"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/registry"
	"github.com/pagewarden/pagewarden/schema/infer"
)

func document[T any](t *testing.T) capability.JSON {
	t.Helper()
	s, err := infer.Schema[T](nil)
	if err != nil {
		t.Fatal(err)
	}
	return s.Document
}

func infers[T any](t *testing.T, want capability.JSON) {
	t.Helper()
	if got := document[T](t); got != want {
		t.Errorf("%s:\ngot  %s\nwant %s", reflect.TypeFor[T](), got, want)
	}
}

type Base struct {
	ID string `json:"id" jsonschema:"the identity"`
}

type record struct {
	Base
	Zeta   int            `json:"zeta"`
	Alpha  []string       `json:"alpha"`
	Maybe  *int           `json:"maybe,omitempty"`
	Rows   []Base         `json:"rows,omitzero"`
	Free   map[string]any `json:"free"`
	Any    any            `json:"any"`
	When   time.Time      `json:"when"`
	Skip   chan int       `json:"-"`
	hidden int
}

func TestStructs(t *testing.T) {
	infers[record](t, `{"type":"object","properties":{"id":{"type":"string","description":"the identity"},"zeta":{"type":"integer"},`+
		`"alpha":{"type":"array","items":{"type":"string"}},"maybe":{"type":["null","integer"]},`+
		`"rows":{"type":"array","items":{"type":"object","properties":{"id":{"type":"string","description":"the identity"}},"required":["id"],"additionalProperties":false}},`+
		`"free":{"type":"object","additionalProperties":true},"any":{},"when":{"type":"string","format":"date-time"}},`+
		`"required":["id","zeta","alpha","free","any","when"],"additionalProperties":false}`)
	_ = record{hidden: 1}.hidden
	infers[registry.None](t, `{"type":"object","additionalProperties":false}`)
}

func TestKinds(t *testing.T) {
	infers[bool](t, `{"type":"boolean"}`)
	infers[string](t, `{"type":"string"}`)
	infers[float64](t, `{"type":"number"}`)
	infers[int64](t, `{"type":"integer"}`)
	infers[uint](t, `{"type":"integer","minimum":0}`)
	infers[int8](t, `{"type":"integer","minimum":-128,"maximum":127}`)
	infers[time.Duration](t, `{"type":"integer"}`)
	infers[any](t, `{}`)
	infers[[]any](t, `{"type":"array","items":{}}`)
	infers[[2]int](t, `{"type":"array","items":{"type":"integer"},"minItems":2,"maxItems":2}`)
	infers[[][]int](t, `{"type":"array","items":{"type":"array","items":{"type":"integer"}}}`)
	infers[[]byte](t, `{"type":"string"}`)
	infers[json.RawMessage](t, `{}`)
	infers[*json.RawMessage](t, `{}`)
	infers[capability.JSON](t, `{}`)
	infers[json.Number](t, `{"type":"number"}`)
	infers[*big.Int](t, `{"type":["null","integer"]}`)
	infers[netip.Addr](t, `{"type":"string"}`)
	infers[*time.Time](t, `{"type":["null","string"],"format":"date-time"}`)
	infers[*[]int](t, `{"type":["null","array"],"items":{"type":"integer"}}`)
	infers[map[string]any](t, `{"type":"object","additionalProperties":true}`)
}

func TestTheSameEveryTime(t *testing.T) {
	want := document[record](t)
	for range 50 {
		if got := document[record](t); got != want {
			t.Fatalf("got  %s\nwant %s", got, want)
		}
	}
}

type ring struct {
	Next *ring `json:"next"`
}

type odd struct{}

func (odd) MarshalJSON() ([]byte, error) { return []byte(`1`), nil }

type name string

func TestWhatHasNoSchema(t *testing.T) {
	type fieldOf[T any] struct {
		Rows []struct {
			X T `json:"x"`
		} `json:"rows"`
	}
	refused := func(err error, texts ...string) {
		t.Helper()
		if err == nil {
			t.Errorf("accepted what should say %q", texts)
			return
		}
		for _, text := range texts {
			if !strings.Contains(err.Error(), text) {
				t.Errorf("got %q, want it to say %q", err, text)
			}
		}
	}
	check := func(_ registry.Schema, err error) error { return err }
	refused(check(infer.Schema[fieldOf[chan int]](nil)), "fieldOf", "at rows[].x", "chan cannot be JSON")
	refused(check(infer.Schema[func()](nil)), "func cannot be JSON")
	refused(check(infer.Schema[complex128](nil)), "complex128 cannot be JSON")
	refused(check(infer.Schema[fieldOf[map[string]int]](nil)), "at rows[].x", "map[string]int", "list of structs")
	refused(check(infer.Schema[map[struct{ X int }]any](nil)), "map key")
	refused(check(infer.Schema[fieldOf[ring]](nil)), "at rows[].x.next", "holds itself")
	refused(check(infer.Schema[fieldOf[odd]](nil)), "at rows[].x", "Options.Types")
	refused(check(infer.Schema[struct {
		N int `json:"n,string"`
	}](nil)), "at n", `"string"`)
	refused(check(infer.Schema[struct{ name }](nil)), "give the field a name")
	refused(check(infer.Schema[struct{ *Base }](nil)), "give the field a name")
	refused(check(infer.Schema[struct {
		Base `json:"base"`
	}](nil)), "give the field a name")
	refused(check(infer.Schema[struct {
		Base
		Other string `json:"id"`
	}](nil)), "at id", "two fields")
	refused(check(infer.Schema[struct {
		//lint:ignore SA5008 the bad tag is what is tested
		N int `json:"a'b"`
	}](nil)), "encoding/json")
	refused(check(infer.Schema[struct {
		N int `json:"n" jsonschema:"type=string"`
	}](nil)), "type=string")
	refused(check(infer.Schema[[][][][][][][][][][]int](nil)), "at most 8")
}

func TestMustSchemaPanicsWithTheReason(t *testing.T) {
	defer func() {
		err, ok := recover().(error)
		if !ok || !strings.Contains(err.Error(), "chan cannot be JSON") {
			t.Errorf("got %v", err)
		}
	}()
	infer.MustSchema[chan int]()
}

type level string

func TestTypesOfTheCallers(t *testing.T) {
	with := func(s capability.JSON) *infer.Options {
		return &infer.Options{Types: map[reflect.Type]capability.JSON{
			reflect.TypeFor[level](): s, reflect.TypeFor[odd](): `{"type":"integer"}`,
		}}
	}
	type both struct {
		Level level  `json:"level"`
		Maybe *level `json:"maybe"`
		Odd   []odd  `json:"odd"`
	}
	got, err := infer.Schema[both](with(`{"type":"string","enum":["low","high"]}`))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"type":"object","properties":{"level":{"type":"string","enum":["low","high"]},"maybe":{"type":["null","string"],"enum":["low","high",null]},` +
		`"odd":{"type":"array","items":{"type":"integer"}}},"required":["level","maybe","odd"],"additionalProperties":false}`
	if got.Document != want {
		t.Errorf("got  %s\nwant %s", got.Document, want)
	}
	for text, says := range map[capability.JSON]string{
		`{"enum":["low"]}`: "cannot be made to allow null", `{"oneOf":[{}]}`: "allow null", `{"type":1}`: "reading the schema", `{`: "reading the schema",
	} {
		if _, err := infer.Schema[both](with(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: got %v", text, err)
		}
	}
	if _, err := infer.Schema[level](with(`{"oneOf":[{}]}`)); err == nil || !strings.Contains(err.Error(), "oneOf is not supported") {
		t.Errorf("got %v", err)
	}
}

// TestSchemaAndHandlerAgree sends the zero value and a full one through a typed action whose schemas are
// inferred: what is written is valid, and what is read is what was written.
func TestSchemaAndHandlerAgree(t *testing.T) {
	seven := 7
	full := record{
		Base: Base{"x"}, Zeta: 1, Alpha: []string{"a"}, Maybe: &seven, Rows: []Base{{"y"}}, Free: map[string]any{"k": "v"},
		Any: []any{true}, When: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
	}
	for _, value := range []record{{}, full} {
		echo := registry.TypedAction(registry.Action{
			Name: "echo", Description: "Echoes", Effect: capability.LocalState,
			Input: infer.MustSchema[record](), Output: infer.MustSchema[record](),
		}, func(_ context.Context, in record, _ *registry.Call) (record, error) { return in, nil })
		show := registry.TypedObservation(registry.Observation{
			Name: "show", Description: "Shows", Output: infer.MustSchema[record](),
		}, func(context.Context, *registry.Call) (record, error) { return value, nil })
		r, err := registry.New(registry.Options{Authority: contract.NewOpenAuthority(contract.OpenOptions{}), Environment: capability.Test})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Dispose()
		if _, err := r.Register(&registry.Component{Type: "a.b", Description: "x", Actions: []registry.Action{echo}, Observations: []registry.Observation{show}}); err != nil {
			t.Fatal(err)
		}
		shown := r.Invoke(context.Background(), registry.Request{CapabilityID: "view:a.b.show"}, registry.InvokeOptions{})
		if !shown.OK() {
			t.Fatal(shown.JSON())
		}
		back := r.Invoke(context.Background(), registry.Request{CapabilityID: "view:a.b.echo", Input: shown.Output}, registry.InvokeOptions{})
		if back.Output != shown.Output {
			t.Errorf("sent %s\ngot  %s", shown.Output, back.JSON())
		}
	}
}
