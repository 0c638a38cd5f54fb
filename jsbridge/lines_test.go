package jsbridge

import (
	"testing"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/registry"
	"pgregory.net/rapid"
)

// What an agent chooses cannot move the lines that follow it.
func TestResultTextKeepsItsLines(t *testing.T) {
	for _, test := range []struct {
		name  string
		named bool
		want  string
	}{
		{"an id of the agent's", false, "\"a\\n9\\ntrue\"\n7\n\n{\"n\":\n1}"},
		{"an id that the script knows", true, "\n7\n\n{\"n\":\n1}"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := resultText(&registry.Result{InvocationID: "a\n9\ntrue", SurfaceVersion: "7", Output: "{\"n\":\n1}"}, test.named)
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestOneLineSaysTheSame(t *testing.T) {
	if got, want := oneLine("{\n\"a\":\"\\n\",\r\n\"b\":[\n]}\n"), "{ \"a\":\"\\n\",\r \"b\":[ ]} "; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		back, ok := capability.JSON(oneLine("\n" + capability.Quote(text) + "\n")).Text()
		if !ok || back != text {
			t.Errorf("%q came back as %q", text, back)
		}
	})
}
