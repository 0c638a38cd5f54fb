package canonical_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/pagewarden/pagewarden/canonical"
	"github.com/pagewarden/pagewarden/capability"
	"pgregory.net/rapid"
)

// equalValues is the oracle: it compares decoded values, numbers as exact rationals.
func equalValues(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		return ok && rational(a).Cmp(rational(b)) == 0
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !equalValues(a[i], b[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for name := range a {
			if other, there := b[name]; !there || !equalValues(a[name], other) {
				return false
			}
		}
		return true
	}
	return a == b
}

func rational(n json.Number) *big.Rat {
	r, ok := new(big.Rat).SetString(string(n))
	if !ok {
		panic("not a number: " + string(n))
	}
	return r
}

// Values are drawn from few names and few numbers, so that equal ones are met often.
var (
	nameGen   = rapid.SampledFrom([]string{"", "a", "b", "ab", "__proto__", "é", "\ufb33", "\U0001f600", "\"", "\n", "\x00"})
	textGen   = rapid.OneOf(nameGen, rapid.String())
	numberGen = rapid.OneOf(
		rapid.SampledFrom([]string{"0", "-0", "1", "1.0", "10e-1", "-1", "100", "1e2", "9007199254740993", "9007199254740992"}),
		rapid.StringMatching(`-?(0|[1-9][0-9]{0,24})(\.[0-9]{1,12})?([eE][+-]?[0-9]{1,2})?`),
	)
	scalarGen = rapid.OneOf(
		rapid.Map(numberGen, func(s string) any { return json.Number(s) }),
		rapid.Map(textGen, func(s string) any { return s }),
		rapid.SampledFrom([]any{true, false, nil}),
	)
)

func valueGen(depth int) *rapid.Generator[any] {
	if depth == 0 {
		return scalarGen
	}
	inner := valueGen(depth - 1)
	return rapid.OneOf(
		scalarGen,
		rapid.Map(rapid.SliceOfN(inner, 0, 4), func(items []any) any { return items }),
		rapid.Map(rapid.MapOfN(textGen, inner, 0, 5), func(members map[string]any) any { return members }),
	)
}

// speller writes a value as JSON in one of the many ways that mean the same.
type speller struct {
	t *rapid.T
	strings.Builder
}

func spell(t *rapid.T, value any) capability.JSON {
	s := speller{t: t}
	s.value(value)
	return capability.JSON(s.String())
}

func (s *speller) pick(options ...string) string {
	return rapid.SampledFrom(options).Draw(s.t, "spelling")
}

func (s *speller) space() { s.WriteString(s.pick("", "", " ", "\n\t", "\r")) }

func (s *speller) value(value any) {
	s.space()
	switch value := value.(type) {
	case string:
		s.text(value)
	case json.Number:
		s.number(value)
	case []any:
		s.list('[', ']', len(value), func(i int) { s.value(value[i]) })
	case map[string]any:
		names := rapid.Permutation(slices.Sorted(maps.Keys(value))).Draw(s.t, "order")
		s.list('{', '}', len(names), func(i int) {
			s.space()
			s.text(names[i])
			s.space()
			s.WriteByte(':')
			s.value(value[names[i]])
		})
	default:
		fmt.Fprint(s, map[any]string{nil: "null", true: "true", false: "false"}[value])
	}
	s.space()
}

func (s *speller) list(open, closing byte, length int, item func(i int)) {
	s.WriteByte(open)
	s.space()
	for i := range length {
		if i > 0 {
			s.WriteByte(',')
		}
		item(i)
	}
	s.WriteByte(closing)
}

func (s *speller) text(text string) {
	if rapid.Bool().Draw(s.t, "plain") {
		s.WriteString(string(capability.Quote(text)))
		return
	}
	s.WriteByte('"')
	for _, unit := range utf16.Encode([]rune(text)) {
		fmt.Fprintf(s, s.pick(`\u%04x`, `\u%04X`), unit)
	}
	s.WriteByte('"')
}

// number shifts the point by an exponent and adds zeros that do not count.
func (s *speller) number(number json.Number) {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(string(number)), "e")
	power, _ := strconv.Atoi(exponent)
	shift := rapid.IntRange(0, 5).Draw(s.t, "shift")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	fraction += strings.Repeat("0", shift)
	whole += fraction[:shift]
	if digits := strings.TrimLeft(strings.TrimPrefix(whole, "-"), "0"); digits != "" {
		whole = whole[:strings.IndexAny(whole, "0123456789")] + digits
	} else {
		whole = whole[:strings.IndexAny(whole, "0123456789")] + "0"
	}
	fmt.Fprintf(s, "%s.%s0%s%d", whole, fraction[shift:], s.pick("e", "E"), power-shift)
}

func encodeIn(t *rapid.T, text capability.JSON) capability.JSON {
	form, issue := canonical.Encode(text, wide)
	if issue != nil {
		t.Fatalf("Encode(%q): %v", text, issue)
	}
	return form
}

func TestFormIsBlindToSpelling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := valueGen(3).Draw(t, "value")
		one, other := spell(t, value), spell(t, value)
		form := encodeIn(t, one)
		if second := encodeIn(t, other); form != second {
			t.Fatalf("one value has two forms:\n%s\n%s", form, second)
		}
		if !canonical.Equal(one, other) {
			t.Fatalf("one value does not equal itself: %s, %s", one, other)
		}
		if len(one) < 8 && len(form) > 30 {
			t.Fatalf("the form of %s is oddly long: %s", one, form)
		}
	})
}

func TestFormIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		form := encodeIn(t, spell(t, valueGen(3).Draw(t, "value")))
		if again := encodeIn(t, form); again != form {
			t.Fatalf("the form of %s is %s", form, again)
		}
	})
}

func TestFormKeepsTheValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := valueGen(3).Draw(t, "value")
		decoded, issue := wide.Decode(encodeIn(t, spell(t, value)))
		if issue != nil || !equalValues(value, decoded) {
			t.Fatalf("%#v became %#v (%v)", value, decoded, issue)
		}
	})
}

func TestFormsAreEqualExactlyForEqualValues(t *testing.T) {
	equal := 0
	rapid.Check(t, func(t *rapid.T) {
		one, other := valueGen(2).Draw(t, "one"), valueGen(2).Draw(t, "other")
		if rapid.Bool().Draw(t, "alike") {
			other = changed(t, one)
		}
		want := equalValues(one, other)
		if want {
			equal++
		}
		a, b := spell(t, one), spell(t, other)
		if got := encodeIn(t, a) == encodeIn(t, b); got != want {
			t.Fatalf("forms equal: %v, values equal: %v: %s, %s", got, want, a, b)
		}
		if got := canonical.Equal(a, b); got != want {
			t.Fatalf("Equal(%s, %s) = %v", a, b, got)
		}
	})
	if equal == 0 {
		t.Error("the generator never gave two equal values")
	}
}

// changed is value with perhaps one thing in it replaced.
func changed(t *rapid.T, value any) any {
	switch value := value.(type) {
	case []any:
		if len(value) > 0 {
			value = slices.Clone(value)
			i := rapid.IntRange(0, len(value)-1).Draw(t, "index")
			value[i] = changed(t, value[i])
			return value
		}
	case map[string]any:
		if names := slices.Sorted(maps.Keys(value)); len(names) > 0 {
			value = maps.Clone(value)
			name := rapid.SampledFrom(names).Draw(t, "member")
			value[name] = changed(t, value[name])
			return value
		}
	case json.Number:
		if rapid.Bool().Draw(t, "longer") {
			mantissa, exponent, _ := strings.Cut(strings.ToLower(string(value)), "e")
			if !strings.Contains(mantissa, ".") {
				mantissa += "."
			}
			return json.Number(mantissa + "0001e" + exponent + "0"[min(len(exponent), 1):])
		}
	}
	if rapid.Bool().Draw(t, "same") {
		return value
	}
	return scalarGen.Draw(t, "instead")
}

func TestFloatsAreWrittenAsJavaScriptDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		float := math.Float64frombits(rapid.Uint64().Draw(t, "bits"))
		if math.IsNaN(float) || math.IsInf(float, 0) || float == 0 {
			float = rapid.Float64Range(-1e25, 1e25).Draw(t, "float")
		}
		want, err := json.Marshal(float + 0)
		if err != nil {
			t.Fatal(err)
		}
		if float == 0 {
			want = []byte("0")
		}
		for _, format := range []byte("eE") {
			text := capability.JSON(strconv.FormatFloat(float, format, -1, 64))
			if got := encodeIn(t, text); string(got) != string(want) {
				t.Fatalf("Encode(%s) = %s, want %s", text, got, want)
			}
		}
	})
}

func TestOrderOfNamesIsThatOfUTF16(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		runes := rapid.SliceOfN(rapid.SampledFrom([]rune{'a', 0x7ff, 0x800, 0xd7ff, 0xe000, 0xffff, 0x10000, 0x10ffff}), 0, 4)
		a, b := string(runes.Draw(t, "a")), string(runes.Draw(t, "b"))
		order := compareUnits(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
		if order == 0 {
			return
		}
		first, second := a, b
		if order > 0 {
			first, second = b, a
		}
		want := "{" + string(capability.Quote(first)) + ":0," + string(capability.Quote(second)) + ":0}"
		text := "{" + string(capability.Quote(a)) + ":0," + string(capability.Quote(b)) + ":0}"
		if got := encodeIn(t, capability.JSON(text)); string(got) != want {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
}

func compareUnits(a, b []uint16) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return int(a[i]) - int(b[i])
		}
	}
	return len(a) - len(b)
}
