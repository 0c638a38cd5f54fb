package mcpbridge

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pagewarden/pagewarden/browser"
)

const (
	mainURL  = "http://localhost/shop?token=1#top"
	frameURL = "http://other.example/widget?session=2"
)

func own(name string) browser.Tool {
	return browser.Tool{Name: name, Description: "About " + name, Frame: browser.Frame{ID: "m", URL: mainURL, Main: true}}
}

func framed(name, url string) browser.Tool {
	return browser.Tool{Name: name, Description: "About " + name, Frame: browser.Frame{ID: url, URL: url}}
}

func TestOutwardNames(t *testing.T) {
	long := strings.Repeat("long", 20)
	tests := []struct {
		name  string
		tools []browser.Tool
		want  []string
	}{
		{"none", nil, []string{}},
		{"as they are", []browser.Tool{own("orders_find"), own("read-only"), own("read_only")}, []string{"orders_find", "read-only", "read_only"}},
		{"dots of one name", []browser.Tool{own("foo.bar"), own("foo_bar")}, []string{"foo_bar_c3f73bd3", "foo_bar"}},
		{"beyond ASCII", []browser.Tool{own("größe"), own("a\u200bb")}, []string{"gr__e_ffffffff", "a_b_ffffffff"}},
		{"no name", []browser.Tool{own("")}, []string{"_ffffffff"}},
		{"long", []browser.Tool{own(long + "1"), own(long + "2")}, []string{long[:55] + "_ffffffff", long[:55] + "_ffffffff"}},
		{"a frame", []browser.Tool{own("total"), framed("total", frameURL), framed("inner", frameURL)}, []string{"total", "total_ffffffff", "inner_ffffffff"}},
		{"two frames at one address", []browser.Tool{framed("t", frameURL), framed("t", frameURL+"0")}, []string{"t_ffffffff", "t_ffffffff_2"}},
	}
	hash := regexp.MustCompile(`_[0-9a-f]{8}`)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := outwardNames(test.tools)
			for i := range got {
				if hash.ReplaceAllString(got[i], "_ffffffff") != hash.ReplaceAllString(test.want[i], "_ffffffff") {
					t.Errorf("%q is called %q, want %q", test.tools[i].Name, got[i], test.want[i])
				}
			}
		})
	}
}

// A page may choose a name that another tool would get.
func TestOutwardNameThatIsForged(t *testing.T) {
	victim := framed("pay", frameURL)
	forged := outwardNames([]browser.Tool{victim})[0]
	names := outwardNames([]browser.Tool{own(forged), victim})
	if names[0] != forged || names[1] != forged+"_2" {
		t.Errorf("the names are %q", names)
	}
}

func TestOutwardNamesAlways(t *testing.T) {
	valid := regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-b._-]{0,70}`))
		tools := rapid.SliceOfDistinct(rapid.Custom(func(t *rapid.T) browser.Tool {
			if rapid.Bool().Draw(t, "main") {
				return own(name.Draw(t, "name"))
			}
			return framed(name.Draw(t, "name"), rapid.SampledFrom([]string{frameURL, "about:srcdoc", "http://b.example/"}).Draw(t, "frame"))
		}), func(t browser.Tool) string { return t.Name + "\x00" + t.Frame.ID }).Draw(t, "tools")
		names := outwardNames(tools)
		for i, name := range names {
			if !valid.MatchString(name) || slices.Index(names, name) != i {
				t.Fatalf("name %d of %q", i, names)
			}
		}
		// What a tool is called does not depend on the others, but for forgeries.
		for i := range tools {
			if alone := outwardNames(tools[i : i+1])[0]; alone != names[i] && !slices.Contains(names, alone) {
				t.Fatalf("%q is called %q alone and %q with others", tools[i].Name, alone, names[i])
			}
		}
	})
}

func TestShown(t *testing.T) {
	for address, want := range map[string][2]string{
		"http://user:word@h:8080/a%20b/?q=secret#f": {"http://h:8080/a%20b/", "http://h:8080"},
		"https://h":        {"https://h", "https://h"},
		"about:srcdoc":     {"about:", ""},
		"data:text/html,x": {"data:", ""},
		"http://%zz/":      {"http:", ""},
		"":                 {":", ""},
	} {
		if got := [2]string{shown(address), origin(address)}; got != want {
			t.Errorf("%q is at %q, want %q", address, got, want)
		}
	}
}
