package contract_test

import (
	"fmt"
	"testing"

	"github.com/pagewarden/pagewarden/contract"
)

// BenchmarkNewAuthority checks a manifest of many capabilities, as a page does when it starts.
func BenchmarkNewAuthority(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			declarations := make([]contract.Declaration, n)
			for i := range declarations {
				p := disable()
				p.ID, p.Declaration = fmt.Sprint("domain:operation.", i), fmt.Sprint("src/api.ts#operation", i)
				declarations[i] = p
			}
			manifest := mustCompile(b, declarations...).JSON()
			b.SetBytes(int64(len(manifest)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := contract.NewAuthority(manifest, ""); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/capability")
		})
	}
}
