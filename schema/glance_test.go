package schema

import (
	"math/rand/v2"
	"testing"

	"github.com/pagewarden/pagewarden/capability"
)

func glanceLimits() capability.ValueLimits {
	return capability.ValueLimits{MaxBytes: 1 << 16, MaxDepth: 4, Float64Integers: true}
}

func TestAccepts(t *testing.T) {
	const ids = `{"type":"object","properties":{"ids":{"type":"array","items":{"type":"string"}},"n":{"type":"integer"}},"required":["ids"]}`
	for _, test := range []struct {
		doc, value string
		want       bool
	}{
		{ids, `{"ids":["a","é",""]}`, true},
		{ids, `{"ids":[],"n":-5}`, true},
		{ids, `{"n":0,"ids":[]}`, true},
		{ids, `{"ids":["a","b"}`, false},
		{ids, `{"ids":["a"]`, false},
		{ids, `{"ids":["a"]}}`, false},
		{ids, `{"ids":["a",]}`, false},
		{ids, `{"ids":["a"],}`, false},
		{ids, `{,"ids":["a"]}`, false},
		{ids, `{"ids" :["a"]}`, false},
		{ids, `{"ids":["\u0061"]}`, false},
		{ids, "{\"ids\":[\"\xff\"]}", false},
		{ids, "{\"ids\":[\"\n\"]}", false},
		{ids, `{"ids":[5]}`, false},
		{ids, `{"n":5}`, false},
		{ids, `{"ids":[],"ids":[]}`, false},
		{ids, `{"ids":[],"other":1}`, false},
		{ids, `{"ids":[],"n":05}`, false},
		{ids, `{"ids":[],"n":1.0}`, false},
		{ids, `{"ids":[],"n":1e2}`, false},
		{ids, `{"ids":[],"n":-}`, false},
		{ids, `{"ids":[],"n":9007199254740993}`, false},
		{ids, ``, false},
		{`{}`, `[[[[1,true,false,null,"x"]]]]`, true},
		{`{}`, `[[[[[]]]]]`, false},
		{`{}`, `tru`, false},
		{`{}`, `-`, false},
		{`{}`, `{"a":1}`, false},
		{`{"type":"object","properties":{}}`, `{}`, true},
		{`{"type":["string","null"]}`, `null`, true},
		{`{"type":"number"}`, `12`, true},
		{`{"type":"number","minimum":20}`, `12`, false},
		{`{"type":"integer","minimum":20}`, `12`, false},
		{`{"type":"string","minLength":1}`, `"a"`, false},
		{`{"type":"array","uniqueItems":true}`, `[1]`, false},
		{`{"const":1}`, `1`, false},
		{`{"enum":[1]}`, `1`, false},
		{`{"anyOf":[{"type":"string"}]}`, `"a"`, false},
		{`{"$ref":"#/$defs/a","$defs":{"a":{"type":"string"}}}`, `"a"`, false},
		{`{"type":"object","properties":{"a":{}},"required":["b"]}`, `{"a":1}`, false},
	} {
		if got := accept(t, test.doc).Accepts(capability.JSON(test.value), glanceLimits()); got != test.want {
			t.Errorf("%s at %s: %v, want %v", test.doc, test.value, got, test.want)
		}
	}
	if accept(t, "{}").Accepts(`"long"`, capability.ValueLimits{MaxBytes: 3, MaxDepth: 1}) {
		t.Error("a text that is too long is accepted")
	}
}

// TestGlanceIsSure: what a glance accepts is accepted by whoever looks closer. Texts are broken here and there.
func TestGlanceIsSure(t *testing.T) {
	source := rand.New(rand.NewPCG(1, 2))
	accepted := 0
	for range 5000 {
		g := newGenerator(source.IntN)
		g.wild = true
		doc := g.schema(1 + g.pick(3))
		text := []byte(encode(t, g.value(doc)))
		if g.chance(30) {
			text[g.pick(len(text))] = `{}[]",:0-.e \`[g.pick(13)]
		}
		s := accept(t, encode(t, doc))
		limits := glanceLimits()
		if !s.Accepts(capability.JSON(text), limits) {
			continue
		}
		accepted++
		value, issue := limits.Decode(capability.JSON(text))
		if issue != nil {
			t.Fatalf("%s is accepted, and is no JSON: %v", text, issue)
		}
		if issues := s.Validate(value); issues != nil {
			t.Fatalf("%s is accepted by %s, and has %v", text, s.JSON(), issues)
		}
	}
	if accepted < 50 {
		t.Errorf("%d of 5000 values were accepted, so next to nothing was tested", accepted)
	}
}
