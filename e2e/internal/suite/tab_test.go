package suite

import (
	"testing"

	"github.com/pagewarden/pagewarden/browser"
)

func TestComplaints(t *testing.T) {
	console := []browser.Message{
		{Kind: "log", Text: "all is well"}, {Kind: "warning", Text: "beware"}, {Kind: "error", Text: "it broke"},
		{Kind: "assert", Text: "it should hold"}, {Kind: "exception", Text: "Uncaught it"}, {Kind: "error", Text: "404", URL: "http://a.example/icon"},
	}
	for _, test := range []struct {
		expected []string
		want     int
	}{{nil, 4}, {[]string{"broke"}, 3}, {[]string{"icon"}, 3}, {[]string{"well", "nothing like it"}, 4}, {[]string{"it", "404"}, 0}} {
		if got := complaints(console, test.expected); len(got) != test.want {
			t.Errorf("with %q expected, it complains of %v; want %d", test.expected, got, test.want)
		}
	}
}

func TestDigest(t *testing.T) {
	console := []browser.Message{{Kind: "warning", Text: "a"}, {Kind: "error", Text: "a"}, {Kind: "warning", Text: "a"}}
	if got, want := digest(console), "\n\twarning: a (2 times)\n\terror: a"; got != want {
		t.Errorf("digest %q; want %q", got, want)
	}
	if got := digest(nil); got != "" {
		t.Errorf("digest of nothing: %q", got)
	}
}

func TestNamesOf(t *testing.T) {
	if got := NamesOf([]browser.Tool{{Name: "b"}, {Name: "a"}}); len(got) != 2 || got[0] != "a" || got[1] != "b" {
		t.Errorf("names %q", got)
	}
	if got := NamesOf(nil); got == nil {
		t.Error("no names are nil, which is not equal to an empty list in JSON")
	}
}
