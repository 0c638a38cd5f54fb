package registry

import (
	"encoding/json"
	"maps"
	"math"
	"reflect"
	"slices"
	"testing"
)

func TestEncodingErrorsNameThePlace(t *testing.T) {
	type row struct {
		Value any `json:"value"`
	}
	for want, output := range map[string]any{
		"rows[1].value: is not a finite number":      map[string][]row{"rows": {{1}, {math.NaN()}}},
		`[""]["a b"]: is not valid UTF-8`:            map[string]map[string]string{"": {"a b": "\xff"}},
		"[0][1]: is a chan, which JSON cannot carry": [][]any{{1, make(chan int)}},
		"is a func, which JSON cannot carry":         func() {},
	} {
		v := reflect.New(reflect.TypeFor[any]()).Elem()
		v.Set(reflect.ValueOf(output))
		if _, err := encode(v); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

type (
	Leaf  struct{ A, B, C int }
	Other struct {
		A int
		B int `json:"B"`
		D int `json:"C"`
	}
	Deep struct {
		Leaf
		E int
	}
	text string
	Text string
)

// TestFieldNamesAreThoseOfEncodingJSON compares the names with the members that encoding/json writes.
func TestFieldNamesAreThoseOfEncodingJSON(t *testing.T) {
	for _, value := range []any{
		Leaf{}, Other{}, Deep{},
		struct{ Leaf }{},
		struct {
			Leaf
			Other // A is ambiguous, B is tagged in one of them, C has another field
		}{},
		struct {
			Leaf
			A string
		}{},
		struct {
			Deep
			Leaf // shallower than the same fields in Deep
		}{},
		struct {
			Leaf `json:"leaf"`
		}{},
		struct {
			Text
			text
			X int `json:"-"`
			//lint:ignore SA5008 the odd tag is what is tested
			Y int `json:"-,"`
			Z int `json:",omitzero"`
			W int `json:"w w,omitempty"`
			v int
		}{Z: 1, W: 1, v: 1},
		struct {
			//lint:ignore SA5008 the bad tag is what is tested
			X int `json:"a'b"`
		}{},
		struct{ *Leaf }{&Leaf{}},
	} {
		written, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		members := map[string]any{}
		if err := json.Unmarshal(written, &members); err != nil {
			t.Fatal(err)
		}
		got, want := slices.Sorted(maps.Keys(fieldsOf(reflect.TypeOf(value)))), slices.Sorted(maps.Keys(members))
		if !slices.Equal(got, want) {
			t.Errorf("%T: got %q, want %q", value, got, want)
		}
	}
}
