package schema

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestKeysTellValuesApart(t *testing.T) {
	same := [][]string{
		{`1`, `1.0`, `1e0`, `10e-1`, `0.1e1`, `1.000`},
		{`0`, `-0`, `0.0`, `0e5`, `-0.0e-3`},
		{`-1.5`, `-15e-1`, `-0.15E+1`},
		{`1e400`, `10e399`}, // beyond what Decode lets through, and exact all the same
		{`{"a":1,"b":[2]}`, `{"b":[2.0],"a":1}`},
		{`"1"`}, {`true`}, {`"true"`}, {`null`}, {`"null"`}, {`{}`}, {`[]`}, {`""`}, {`[null]`}, {`[[]]`}, {`[[],[]]`}, {`[[[]]]`},
		{`["a","b"]`}, {`["a\"1:b"]`}, {`["ab"]`}, {`{"a":"b"}`}, {`{"a":{"b":1}}`}, {`{"a":{},"b":1}`}, {`[1,2]`}, {`[12]`}, {`"#1e0;"`},
		{`9007199254740992`}, {`9007199254740993`}, {`-1`}, {`10`}, {`0.1`},
	}
	owner := map[string]int{}
	for group, texts := range same {
		for _, text := range texts {
			var value any
			decoder := json.NewDecoder(strings.NewReader(text))
			decoder.UseNumber()
			if err := decoder.Decode(&value); err != nil {
				t.Fatal(err)
			}
			key := string(appendKey(nil, value))
			if earlier, taken := owner[key]; taken && earlier != group {
				t.Errorf("%s has the key of %s: %s", text, same[earlier][0], key)
			} else if !taken && text != texts[0] {
				t.Errorf("%s has not the key of %s", text, texts[0])
			}
			owner[key] = group
		}
	}
}

// TestDecimals compares with exact integer arithmetic: a number times a power of ten is an integer exactly when
// its decimal says so, and equal numbers have equal decimals.
func TestDecimals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		digits := rapid.Int64().Draw(t, "digits")
		exponent := rapid.IntRange(-20, 20).Draw(t, "exponent")
		number := json.Number(fmt.Sprintf("%de%d", digits, exponent))
		whole := exponent >= 0
		if !whole && exponent >= -18 {
			power := int64(1)
			for range -exponent {
				power *= 10
			}
			whole = digits%power == 0
		}
		if digits == 0 || exponent >= -18 {
			if got := isInteger(number); got != (whole || digits == 0) {
				t.Fatalf("isInteger(%s) = %v", number, got)
			}
		}
		shifted := json.Number(fmt.Sprintf("%d0.00E%d", digits, exponent-1))
		if decimalOf(number) != decimalOf(shifted) {
			t.Fatalf("%s and %s differ: %v, %v", number, shifted, decimalOf(number), decimalOf(shifted))
		}
	})
}

// TestDuplicateIsLinear uses elements that collide in a hash without structure: every shape of nested arrays.
func TestDuplicateIsLinear(t *testing.T) {
	shapes := map[int][]string{0: {""}}
	for nodes := 1; nodes <= 9; nodes++ {
		for first := 1; first <= nodes; first++ {
			for _, inner := range shapes[first-1] {
				for _, rest := range shapes[nodes-first] {
					shape := "[" + inner + "]"
					if rest != "" {
						shape += "," + rest
					}
					shapes[nodes] = append(shapes[nodes], shape)
				}
			}
		}
	}
	items := decode(t, "[["+strings.Join(shapes[9], "],[")+"]]").([]any)
	first, second, cost := duplicate(items)
	if first != -1 || second != -1 {
		t.Errorf("[%d] and [%d] of %d different elements are equal", first, second, len(items))
	}
	if most := len(items) * 20; cost > most {
		t.Errorf("%d bytes of key for %d elements, want at most %d", cost, len(items), most)
	}
	if first, second, _ := duplicate(append(items, items[7])); first != 7 || second != len(items) {
		t.Errorf("[%d] and [%d], want the repeated element", first, second)
	}
}

func TestPhraseOf(t *testing.T) {
	for _, test := range []struct {
		values []any
		want   string
	}{
		{[]any{"a"}, `"a"`},
		{[]any{"a", json.Number("1"), nil, true}, `one of "a", 1, null, true`},
		{[]any{[]any{}}, "the value that the schema gives"},
		{[]any{map[string]any{}, "a"}, "one of the 2 values that the schema lists"},
		{[]any{strings.Repeat("x", 300)}, "the value that the schema gives"},
		{[]any{strings.Repeat("x", 150), strings.Repeat("y", 150)}, "one of the 2 values that the schema lists"},
	} {
		if got := phraseOf(test.values); got != test.want {
			t.Errorf("phraseOf(%v) = %q, want %q", test.values, got, test.want)
		}
	}
}
