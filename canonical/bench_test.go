package canonical_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/canonical"
	"github.com/pagewarden/pagewarden/capability"
)

// devices is a document of about 32 kB: 400 rows, names in the given order.
func devices(reversed bool) capability.JSON {
	var rows []string
	for i := range 400 {
		status := "online"
		if i%2 == 1 {
			status = "offline"
		}
		members := []string{
			fmt.Sprintf(`"id":"device_%d"`, i), fmt.Sprintf(`"name":"Device %d"`, i),
			fmt.Sprintf(`"status":%q`, status), `"tags":["a","b","c"]`,
		}
		if reversed {
			members[0], members[1], members[2], members[3] = members[3], members[2], members[1], members[0]
		}
		rows = append(rows, "{"+strings.Join(members, ",")+"}")
	}
	return capability.JSON(`{"rows":[` + strings.Join(rows, ",") + `]}`)
}

func benchmarkTexts() []struct {
	name string
	text capability.JSON
} {
	repeat := func(element string) capability.JSON {
		count := 32_000 / (len(element) + 1)
		return capability.JSON("[" + strings.TrimSuffix(strings.Repeat(element+",", count), ",") + "]")
	}
	return []struct {
		name string
		text capability.JSON
	}{
		{"sorted", devices(false)},
		{"reversed", devices(true)},
		{"integers", repeat("123456")},
		{"decimals", repeat("-1234.56789")},
		{"exponents", repeat("-1234.5678e9")},
		{"escapes", repeat(`"\u00e9\n\u0041 tail"`)},
		{"text", capability.Quote(strings.Repeat("plain text ", 2900))},
	}
}

func BenchmarkDigest(b *testing.B) { benchmark(b, canonical.Digest) }

func BenchmarkEncode(b *testing.B) { benchmark(b, canonical.Encode) }

func benchmark[T any](b *testing.B, run func(capability.JSON, capability.ValueLimits) (T, *capability.Issue)) {
	for _, bench := range benchmarkTexts() {
		b.Run(bench.name, func(b *testing.B) {
			b.SetBytes(int64(len(bench.text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, issue := run(bench.text, wide); issue != nil {
					b.Fatal(issue)
				}
			}
		})
	}
}

// BenchmarkStandardLibrary is the usual way to a sorted text, for comparison; it rounds numbers.
func BenchmarkStandardLibrary(b *testing.B) {
	text := []byte(devices(true))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		var value any
		if err := json.Unmarshal(text, &value); err != nil {
			b.Fatal(err)
		}
		if _, err := json.Marshal(value); err != nil {
			b.Fatal(err)
		}
	}
}
