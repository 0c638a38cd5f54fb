package predict

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pagewarden/pagewarden/canonical"
	"github.com/pagewarden/pagewarden/capability"
)

func TestPatchApplies(t *testing.T) {
	for _, test := range []struct {
		name         string
		state, patch capability.JSON
		want         capability.JSON // "" where it does not apply
	}{
		{"nothing", `{"a":1}`, `[]`, `{"a":1}`},
		{"add a member", `{"a":1}`, `[{"op":"add","path":"/b","value":2}]`, `{"a":1,"b":2}`},
		{"add over a member", `{"a":1,"b":0}`, `[{"op":"add","path":"/a","value":2}]`, `{"a":2,"b":0}`},
		{"replace a member", `{"a":1,"b":0}`, `[{"op":"replace","path":"/a","value":null}]`, `{"a":null,"b":0}`},
		{"replace what is not there", `{}`, `[{"op":"replace","path":"/a","value":1}]`, ``},
		{"remove a member", `{"a":1,"b":0}`, `[{"op":"remove","path":"/a"}]`, `{"b":0}`},
		{"remove what is not there", `{}`, `[{"op":"remove","path":"/a"}]`, ``},
		{"remove ignores a value", `{"a":1}`, `[{"op":"remove","path":"/a","value":3}]`, `{}`},
		{"replace the root", `{"a":1}`, `[{"op":"replace","path":"","value":[1]}]`, `[1]`},
		{"add the root", `1`, `[{"op":"add","path":"","value":{}}]`, `{}`},
		{"insert", `[1,3]`, `[{"op":"add","path":"/1","value":2}]`, `[1,2,3]`},
		{"insert at the end", `[1]`, `[{"op":"add","path":"/1","value":2}]`, `[1,2]`},
		{"append", `[1]`, `[{"op":"add","path":"/-","value":2}]`, `[1,2]`},
		{"insert beyond the end", `[1]`, `[{"op":"add","path":"/2","value":2}]`, ``},
		{"replace an element", `[1,2]`, `[{"op":"replace","path":"/1","value":3}]`, `[1,3]`},
		{"replace beyond the end", `[1,2]`, `[{"op":"replace","path":"/2","value":3}]`, ``},
		{"replace after the end", `[1,2]`, `[{"op":"replace","path":"/-","value":3}]`, ``},
		{"remove an element", `[1,2]`, `[{"op":"remove","path":"/0"}]`, `[2]`},
		{"remove after the end", `[1]`, `[{"op":"remove","path":"/-"}]`, ``},
		{"an index with a leading zero", `[1,2]`, `[{"op":"remove","path":"/01"}]`, ``},
		{"an index with a sign", `[1,2]`, `[{"op":"remove","path":"/+1"}]`, ``},
		{"a huge index", `[1,2]`, `[{"op":"remove","path":"/99999999999999999999"}]`, ``},
		{"an empty index", `[1]`, `[{"op":"remove","path":"/"}]`, ``},
		{"an empty name", `{"":1}`, `[{"op":"remove","path":"/"}]`, `{}`},
		{"below", `{"a":[{"b":1}]}`, `[{"op":"replace","path":"/a/0/b","value":2}]`, `{"a":[{"b":2}]}`},
		{"below the end", `{"a":[]}`, `[{"op":"add","path":"/a/-/b","value":2}]`, ``},
		{"below a number", `{"a":1}`, `[{"op":"add","path":"/a/b","value":2}]`, ``},
		{"below nothing", `{}`, `[{"op":"add","path":"/a/b","value":2}]`, ``},
		{"escapes", `{"a/b":1,"c~d":2,"~1":3}`, `[{"op":"remove","path":"/a~1b"},{"op":"remove","path":"/c~0d"},{"op":"remove","path":"/~01"}]`, `{}`},
		{"escapes of JSON", `{"ä":1}`, `[{"op":"remove","path":"/\u00e4"}]`, `{}`},
		{"in order", `{}`, `[{"op":"add","path":"/a","value":[]},{"op":"add","path":"/a/-","value":1}]`, `{"a":[1]}`},
		{"all or nothing", `{}`, `[{"op":"add","path":"/a","value":1},{"op":"remove","path":"/b"}]`, ``},
		{"other members are ignored", `{}`, `[{"op":"add","path":"/a","value":1,"from":"/b"}]`, `{"a":1}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, ok := mustPatch(t, test.patch).Apply(test.state)
			if ok != (test.want != "") || got != test.want {
				t.Errorf("got %s, %v; want %s", got, ok, test.want)
			}
		})
	}
}

func TestPatchIsRefused(t *testing.T) {
	long := capability.JSON(`"` + strings.Repeat("x", MaxValueBytes-1) + `"`)
	deep := capability.JSON(strings.Repeat("[", 300) + strings.Repeat("]", 300))
	for _, test := range []struct {
		name  string
		patch capability.JSON
		where string
		size  bool
	}{
		{"nothing", ``, "patch", false},
		{"no JSON", `[`, "patch", false},
		{"no array", `{}`, "patch", false},
		{"no object", `[1]`, "patch[0]", false},
		{"no op", `[{"path":"/a","value":1}]`, "patch[0].op", false},
		{"another op", `[{"op":"move","from":"/a","path":"/b"}]`, "patch[0].op", false},
		{"an op that is no text", `[{"op":1,"path":"/a"}]`, "patch[0].op", false},
		{"no path", `[{"op":"remove"}]`, "patch[0].path", false},
		{"a path that is no text", `[{"op":"remove","path":["a"]}]`, "patch[0].path", false},
		{"a path without a slash", `[{"op":"remove","path":"a"}]`, "patch[0].path", false},
		{"a bad escape", `[{"op":"remove","path":"/a~2"}]`, "patch[0].path", false},
		{"a cut escape", `[{"op":"remove","path":"/a~"}]`, "patch[0].path", false},
		{"a long path", capability.JSON(`[{"op":"remove","path":"/` + strings.Repeat("a", MaxPointer) + `"}]`), "patch[0].path", false},
		{"__proto__", `[{"op":"add","path":"/__proto__/x","value":1}]`, "patch[0].path", false},
		{"constructor", `[{"op":"add","path":"/a/constructor","value":1}]`, "patch[0].path", false},
		{"prototype, escaped", `[{"op":"add","path":"/proto\u0074ype","value":1}]`, "patch[0].path", false},
		{"the root removed", `[{"op":"remove","path":""}]`, "patch[0].path", false},
		{"add without a value", `[{"op":"add","path":"/a"}]`, "patch[0].value", false},
		{"a member twice", `[{"op":"remove","path":"/a","path":"/b"}]`, "patch[0].path", false},
		{"a value with a name twice", `[{"op":"add","path":"/a","value":{"b":1,"b":2}}]`, "patch[0].value", false},
		{"a large value", `[{"op":"add","path":"/a","value":` + long + `}]`, "patch[0].value", true},
		{"a deep value", `[{"op":"add","path":"/a","value":` + deep + `}]`, "patch", false},
		{"many operations", capability.ArrayJSON(slices.Repeat([]capability.JSON{`{"op":"remove","path":"/a"}`}, MaxOperations+1)), "patch", false},
		{"the second", `[{"op":"remove","path":"/a"},{"op":"remove","path":"b"}]`, "patch[1].path", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := ParsePatch(test.patch)
			var argument *ArgumentError
			if !errors.As(err, &argument) || argument.Where != test.where || argument.Size != test.size {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestPatchBoundsAreInclusive(t *testing.T) {
	value := capability.JSON(`"` + strings.Repeat("x", MaxValueBytes-2) + `"`)
	path := capability.Quote("/" + strings.Repeat("a", MaxPointer-1))
	one := `{"op":"add","path":` + path + `,"value":` + value + `}`
	if _, ok := mustPatch(t, capability.ArrayJSON([]capability.JSON{one})).Apply("{}"); !ok {
		t.Error("the longest path with the largest value does not apply")
	}
	if _, ok := mustPatch(t, capability.ArrayJSON(slices.Repeat([]capability.JSON{`{"op":"add","path":"/a","value":1}`}, MaxOperations))).Apply("{}"); !ok {
		t.Error("the most operations do not apply")
	}
}

func TestPatchKeepsTheStateWithinItsBounds(t *testing.T) {
	full := capability.JSON(`["` + strings.Repeat("x", MaxStateBytes-6) + `",1]`)
	if _, ok := mustPatch(t, `[{"op":"replace","path":"/1","value":10}]`).Apply(full); ok {
		t.Error("the state grew beyond its bytes")
	}
	if _, ok := mustPatch(t, `[{"op":"replace","path":"/1","value":2}]`).Apply(full); !ok {
		t.Error("the largest state cannot be changed")
	}
	nest := capability.JSON(strings.Repeat("[", 200) + strings.Repeat("]", 200))
	deeper := capability.JSON(fmt.Sprintf(`[{"op":"add","path":"","value":%s},{"op":"add","path":"%s/0","value":%s}]`, nest, strings.Repeat("/0", 100), nest))
	if _, ok := mustPatch(t, deeper).Apply("{}"); ok {
		t.Error("the state grew beyond its depth")
	}
}

func mustPatch(t interface {
	Helper()
	Fatal(...any)
}, text capability.JSON) Patch {
	t.Helper()
	p, err := ParsePatch(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// naive carries an operation out on a decoded value, by another way than the package's.
func naive(value any, verb string, tokens []string, given any) (any, bool) {
	if len(tokens) == 0 {
		return given, true
	}
	switch value := value.(type) {
	case map[string]any:
		_, there := value[tokens[0]]
		if len(tokens) == 1 && verb == "remove" {
			delete(value, tokens[0])
			return value, there
		}
		if !there && (len(tokens) > 1 || verb != "add") {
			return nil, false
		}
		child, ok := naive(value[tokens[0]], verb, tokens[1:], given)
		value[tokens[0]] = child
		return value, ok
	case []any:
		at, err := strconv.Atoi(tokens[0])
		if tokens[0] == "-" {
			at, err = len(value), nil
		}
		if len(tokens) == 1 && verb == "add" && err == nil && at <= len(value) {
			return slices.Insert(value, at, given), true
		}
		if err != nil || at >= len(value) {
			return nil, false
		}
		if len(tokens) == 1 && verb == "remove" {
			return slices.Delete(value, at, at+1), true
		}
		child, ok := naive(value[at], verb, tokens[1:], given)
		value[at] = child
		return value, ok
	}
	return nil, false
}

// values are small values in which the pointers of operations often lead somewhere.
func values() *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any { return value(t, 3) })
}

func value(t *rapid.T, depth int) any {
	switch rapid.IntRange(0, 3).Draw(t, "kind") * min(depth, 1) {
	case 0, 1:
		return rapid.IntRange(0, 9).Draw(t, "number")
	case 2:
		list := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "length") {
			list = append(list, value(t, depth-1))
		}
		return list
	}
	object := map[string]any{}
	for range rapid.IntRange(0, 3).Draw(t, "size") {
		object[rapid.SampledFrom([]string{"a", "b", "/", "~", "0"}).Draw(t, "name")] = value(t, depth-1)
	}
	return object
}

func TestPatchAgreesWithTheNaiveWay(t *testing.T) {
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	rapid.Check(t, func(t *rapid.T) {
		state := encode(t, values().Draw(t, "state"))
		want, ok := decode(t, state), true
		var operations []capability.JSON
		for range rapid.IntRange(1, 3).Draw(t, "operations") {
			verb := rapid.SampledFrom([]string{"add", "replace", "remove"}).Draw(t, "verb")
			tokens := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "/", "~", "0", "1", "-"}), 1, 3).Draw(t, "tokens")
			given := values().Draw(t, "value")
			pointer := ""
			for _, token := range tokens {
				pointer += "/" + escape.Replace(token)
			}
			operations = append(operations, encode(t, map[string]any{"op": verb, "path": pointer, "value": given}))
			if ok {
				want, ok = naive(want, verb, tokens, decode(t, encode(t, given)))
			}
		}
		got, applied := mustPatch(t, capability.ArrayJSON(operations)).Apply(state)
		if applied != ok || ok && !canonical.Equal(got, encode(t, want)) {
			t.Fatalf("%s on %s gives %s, %v; want %v, %v", operations, state, got, applied, want, ok)
		}
	})
}

func encode(t *rapid.T, value any) capability.JSON {
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return capability.JSON(text)
}

func decode(t *rapid.T, text capability.JSON) (value any) {
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	return value
}

func FuzzPointer(f *testing.F) {
	for _, seed := range []string{"", "/", "/a~1b/~0", "/~", "/__proto__", "//0/-"} {
		f.Add(seed)
	}
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	f.Fuzz(func(t *testing.T, text string) {
		tokens, err := parsePointer("path", text)
		if err != nil {
			return
		}
		again := ""
		for _, token := range tokens {
			if token == "__proto__" || token == "constructor" || token == "prototype" {
				t.Fatalf("%q leads through %s", text, token)
			}
			again += "/" + escape.Replace(token)
		}
		if again != text {
			t.Fatalf("%q is read as %q", text, again)
		}
	})
}

func FuzzPatch(f *testing.F) {
	f.Add(`{"a":[1,{"b":2}]}`, `[{"op":"add","path":"/a/1/c","value":3},{"op":"remove","path":"/a/0"}]`)
	f.Add(`[]`, `[{"op":"replace","path":"","value":{"a~/":1}}]`)
	f.Fuzz(func(t *testing.T, state, text string) {
		if _, issue := stateLimits().Decode(capability.JSON(state)); issue != nil {
			return
		}
		p, err := ParsePatch(capability.JSON(text))
		if err != nil {
			return
		}
		if changed, ok := p.Apply(capability.JSON(state)); ok {
			if _, issue := stateLimits().Decode(changed); issue != nil {
				t.Fatalf("%s on %s gives %s: %v", text, state, changed, issue)
			}
		}
		if again, err := ParsePatch(p.JSON()); err != nil || len(again.operations) != len(p.operations) {
			t.Fatalf("the patch's own JSON is read as %v, %v", again, err)
		}
	})
}
