package schema

import (
	"fmt"
	"testing"

	"github.com/pagewarden/pagewarden/capability"
)

const (
	benchDoc   = `{"type":"object","properties":{"ids":{"type":"array","items":{"type":"string"}}},"required":["ids"],"additionalProperties":false}`
	benchRules = `{"type":"object","properties":{"name":{"type":"string","minLength":1,"maxLength":80,"pattern":"^[\\w-.]+$"},"count":{"type":"integer","minimum":0,"maximum":100},"status":{"enum":["online","offline"]}},"required":["name","count"],"additionalProperties":false}`
)

func BenchmarkParse(b *testing.B) {
	for _, bench := range []struct{ name, doc string }{{"plain", benchDoc}, {"rules", benchRules}} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse(capability.JSON(bench.doc), Limits{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkFirstValidate is Parse and the first Validate, which compiles.
func BenchmarkFirstValidate(b *testing.B) {
	b.ReportAllocs()
	value := decode(b, `{"name":"a","count":1}`)
	for b.Loop() {
		if issues := accept(b, benchRules).Validate(value); issues != nil {
			b.Fatal(issues)
		}
	}
}

func BenchmarkValidate(b *testing.B) {
	for _, bench := range []struct{ name, doc, value string }{
		{"plain", benchDoc, `{"ids":["device_1","device_2"]}`},
		{"rules", benchRules, `{"name":"device_1","count":7,"status":"online"}`},
		{"invalid", benchRules, `{"name":"","count":7.5,"other":1}`},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			s, value := accept(b, bench.doc), decode(b, bench.value)
			for b.Loop() {
				s.Validate(value)
			}
		})
	}
}

func BenchmarkCacheGet(b *testing.B) {
	b.ReportAllocs()
	c := NewCache(0)
	docs := make([]capability.JSON, 100)
	for i := range docs {
		docs[i] = capability.JSON(fmt.Sprintf(`{"title":"%d","type":"object"}`, i))
	}
	for i := 0; b.Loop(); i++ {
		if _, err := c.Get(docs[i%len(docs)], Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}
