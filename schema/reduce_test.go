package schema

import (
	"testing"

	"github.com/pagewarden/pagewarden/capability"
)

func TestReduce(t *testing.T) {
	const doc = ` { "type" : "object", "properties": {"z":{"type":"string"}, "a" : { "minimum" : 1.50 },"m":{"$ref":"#/$defs/x"}},
		"required":["z","m"], "additionalProperties":false, "$defs": {"x":{"enum":["é\u0041"]}} } `
	for _, test := range []struct {
		name              string
		removed, optional []string
		want              string
	}{
		{"nothing", nil, nil, doc},
		{"a name", []string{"z"}, nil, `{"type":"object","properties":{"a":{ "minimum" : 1.50 },"m":{"$ref":"#/$defs/x"}},"required":["m"],"additionalProperties":false,"$defs":{"x":{"enum":["é\u0041"]}}}`},
		{"two names", []string{"m", "z"}, nil, `{"type":"object","properties":{"a":{ "minimum" : 1.50 }},"required":[],"additionalProperties":false,"$defs":{"x":{"enum":["é\u0041"]}}}`},
		{"an optional name", nil, []string{"z"}, `{"type":"object","properties":{"z":{"type":"string"},"a":{ "minimum" : 1.50 },"m":{"$ref":"#/$defs/x"}},"required":["m"],"additionalProperties":false,"$defs":{"x":{"enum":["é\u0041"]}}}`},
		{"both", []string{"a"}, []string{"m"}, `{"type":"object","properties":{"z":{"type":"string"},"m":{"$ref":"#/$defs/x"}},"required":["z"],"additionalProperties":false,"$defs":{"x":{"enum":["é\u0041"]}}}`},
		{"an unknown name", []string{"q"}, nil, `{"type":"object","properties":{"z":{"type":"string"},"a":{ "minimum" : 1.50 },"m":{"$ref":"#/$defs/x"}},"required":["z","m"],"additionalProperties":false,"$defs":{"x":{"enum":["é\u0041"]}}}`},
	} {
		s := accept(t, doc)
		got := Reduce(s, test.removed, test.optional...)
		if got != capability.JSON(test.want) {
			t.Errorf("%s:\n%s\nwant\n%s", test.name, got, test.want)
		}
		accept(t, string(got))
	}
}

func TestReduceOfOddDocuments(t *testing.T) {
	for _, doc := range []string{`{}`, `{"type":"string"}`, `{"required":["a"]}`, `{"properties":{"__proto__":{}},"required":["__proto__"]}`} {
		accept(t, string(Reduce(accept(t, doc), []string{"a", "__proto__"})))
	}
	got := Reduce(accept(t, `{"properties":{"__proto__":{},"b":{}},"required":["\u005f_proto__","b"]}`), []string{"__proto__"})
	if want := capability.JSON(`{"properties":{"b":{}},"required":["b"]}`); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
