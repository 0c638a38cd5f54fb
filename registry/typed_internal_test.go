package registry

import (
	"math"
	"reflect"
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
