package contract

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/capability"
)

// FuzzSums: the hashes of the bytes that were read are those of what they were read as, whatever an author left out and in
// whatever order he wrote.
func FuzzSums(f *testing.F) {
	text, err := os.ReadFile("testdata/contract.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(text))
	for _, change := range [][2]string{
		{`"audit":"full",`, ``}, {`"audit":"metadata",`, ``}, {`"confirmation":"required",`, ``}, {`{"locked":false,"path":"a"},`, ``},
		{`{"locked":false,"path":"a"},{"locked":true,"path":"ids"}`, `{"locked":true,"path":"ids"},{"locked":false,"path":"a"}`},
		{`"What is selected"`, `"What is\b\u0001 \u00e9\/ selected"`}, {`"outputSchema":{}`, `"outputSchema":{"b":1.0,"a":[-0]}`},
	} {
		changed := strings.Replace(string(text), change[0], change[1], 1)
		if changed == string(text) {
			f.Fatalf("%s is not in the manifest", change[0])
		}
		f.Add(changed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, got, err := parse(capability.JSON(text))
		if err != nil {
			return
		}
		want := &sums{whole: m.ManifestHash()}
		for i := range m.Capabilities {
			want.entries = append(want.entries, sum{m.Capabilities[i].AdmissionHash(), m.Capabilities[i].EntryHash()})
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v, of %s", got, want, text)
		}
	})
}
