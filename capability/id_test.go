package capability_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/pagewarden/pagewarden/capability"
	"pgregory.net/rapid"
)

func TestParseID(t *testing.T) {
	tests := []struct {
		text string
		want capability.ID
	}{
		{"view:table.selectRows", capability.ID{Plane: capability.View, ComponentType: "table", Name: "selectRows"}},
		{"view:devices.table-2.x9Y", capability.ID{Plane: capability.View, ComponentType: "devices.table-2", Name: "x9Y"}},
		{"view:a-.b", capability.ID{Plane: capability.View, ComponentType: "a-", Name: "b"}},
		{"domain:devices.disable", capability.ID{Plane: capability.Domain, Name: "devices.disable"}},
		{"domain:a:b", capability.ID{Plane: capability.Domain, Name: "a:b"}},
		{"domain: spaced / Grüße \U0001f600", capability.ID{Plane: capability.Domain, Name: " spaced / Grüße \U0001f600"}},
		{"domain:view:a.b", capability.ID{Plane: capability.Domain, Name: "view:a.b"}},
		{"domain:" + strings.Repeat("x", 121), capability.ID{Plane: capability.Domain, Name: strings.Repeat("x", 121)}},
		{"domain:" + strings.Repeat("é", 121), capability.ID{Plane: capability.Domain, Name: strings.Repeat("é", 121)}},
		{"domain:\ufeffx", capability.ID{Plane: capability.Domain, Name: "\ufeffx"}},
	}
	for _, tt := range tests {
		got, err := capability.ParseID(tt.text)
		if err != nil || got != tt.want {
			t.Errorf("ParseID(%q) = %+v, %v; want %+v", tt.text, got, err, tt.want)
		}
		if got.String() != tt.text {
			t.Errorf("ParseID(%q).String() = %q", tt.text, got)
		}
	}
}

func TestParseIDRefuses(t *testing.T) {
	tests := []struct{ text, want string }{
		{"", `"view:" or "domain:"`}, {"view", `"view:" or "domain:"`}, {"table.x", `"view:" or "domain:"`},
		{"View:a.b", `"view:" or "domain:"`}, {" view:a.b", `"view:" or "domain:"`}, {"http:a.b", `"view:" or "domain:"`},
		{"view:", "view:COMPONENT-TYPE.NAME"}, {"view:a", "view:COMPONENT-TYPE.NAME"},
		{"view:.a", "component type"}, {"view:a..b", "component type"}, {"view:.a.b", "component type"},
		{"view:A.b", "component type"}, {"view:1a.b", "component type"}, {"view:-a.b", "component type"},
		{"view:a.9.b", "component type"}, {"view:a_b.c", "component type"}, {"view:é.b", "component type"},
		{"view:a.", "capability name"}, {"view:a.B", "capability name"}, {"view:a.b-c", "capability name"},
		{"view:a.b_c", "capability name"}, {"view:a.9", "capability name"}, {"view:a.b\x00", "capability name"},
		{"domain:", "path"},
		{"domain:a\x00", "control"}, {"domain:a\nb", "control"}, {"domain:\x7f", "control"}, {"domain:\xff", "UTF-8"},
		{"domain:\xed\xa0\x80", "UTF-8"},
		{"domain:" + strings.Repeat("x", 122), "128"}, {"domain:" + strings.Repeat("\U0001f600", 61), "128"},
		{"view:" + strings.Repeat("a", 122) + ".b", "128"}, {strings.Repeat("view:", 1_000_000), "128"},
	}
	for _, tt := range tests {
		got, err := capability.ParseID(tt.text)
		if err == nil || !strings.Contains(err.Error(), tt.want) || got != (capability.ID{}) {
			t.Errorf("ParseID(%.60q) = %+v, %v; want an error about %s", tt.text, got, err, tt.want)
		}
	}
}

func TestIDsAreBoundedAsAWhole(t *testing.T) {
	long := strings.Repeat("a", 100)
	if _, err := capability.ViewID(long, long); err == nil {
		t.Error("ViewID takes two halves that are too long together")
	}
	if _, err := capability.DomainID(strings.Repeat("a", capability.MaxIDLength)); err == nil {
		t.Error("DomainID takes a path that is too long with its plane")
	}
}

// The grammar of model.md, written once more as a regular expression.
var viewPattern = regexp.MustCompile(`^view:[a-z][a-z0-9-]*(\.[a-z][a-z0-9-]*)*\.[a-z][A-Za-z0-9]*$`)

func inGrammar(text string) bool {
	if len(utf16.Encode([]rune(text))) > 128 {
		return false
	}
	path, domain := strings.CutPrefix(text, "domain:")
	if domain {
		return path != "" && utf8.ValidString(path) && !strings.ContainsFunc(path, func(r rune) bool { return r < 0x20 || r == 0x7f })
	}
	return viewPattern.MatchString(text)
}

func checkID(t interface{ Fatalf(string, ...any) }, text string) {
	id, err := capability.ParseID(text)
	if (err == nil) != inGrammar(text) {
		t.Fatalf("ParseID(%q): %v; in the grammar: %v", text, err, inGrammar(text))
	}
	if err != nil {
		return
	}
	if id.String() != text {
		t.Fatalf("ParseID(%q).String() = %q", text, id)
	}
	again, err := capability.DomainID(id.Name)
	if id.Plane == capability.View {
		again, err = capability.ViewID(id.ComponentType, id.Name)
	}
	if err != nil || again != id {
		t.Fatalf("the parts of %q make %q, %v", text, again, err)
	}
}

func TestParseIDFollowsTheGrammar(t *testing.T) {
	texts := rapid.OneOf(
		rapid.StringMatching(`(view|domain|View|)(:|)[a-zA-Z0-9.\-_:]{0,12}`),
		rapid.StringMatching(`view:[a-z][a-z0-9.\-]{0,60}\.[a-zA-Z]{0,70}`),
		rapid.Map(rapid.String(), func(s string) string { return "domain:" + s }),
	)
	rapid.Check(t, func(t *rapid.T) { checkID(t, texts.Draw(t, "text")) })
}

func FuzzParseID(f *testing.F) {
	for _, text := range []string{"view:a.b", "domain:a", "view:a-1.b.cD", "domain:\xff", "domain:\u2028", "view:..", ":"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { checkID(t, text) })
}

func TestGrammarPredicates(t *testing.T) {
	tests := []struct {
		text                          string
		componentType, name, instance bool
	}{
		{"", false, false, false},
		{"a", true, true, true},
		{"default", true, true, true},
		{"a.b", true, false, false},
		{"a-b", true, false, true},
		{"a-", true, false, true},
		{"aB", false, true, true},
		{"A", false, false, true},
		{"9", false, false, true},
		{"-", false, false, true},
		{"_", false, false, true},
		{"a_b", false, false, true},
		{".a", false, false, false},
		{"a.", false, false, false},
		{"a..b", false, false, false},
		{"a.-b", false, false, false},
		{"a b", false, false, false},
		{"é", false, false, false},
		{"a\x00", false, false, false},
		{"\U0001d44e", false, false, false},
		{strings.Repeat("a", 128), true, true, true},
		{strings.Repeat("a", 129), false, false, false},
	}
	for _, tt := range tests {
		if got := capability.IsComponentType(tt.text); got != tt.componentType {
			t.Errorf("IsComponentType(%.20q) = %v", tt.text, got)
		}
		if got := capability.IsName(tt.text); got != tt.name {
			t.Errorf("IsName(%.20q) = %v", tt.text, got)
		}
		if got := capability.IsInstanceID(tt.text); got != tt.instance {
			t.Errorf("IsInstanceID(%.20q) = %v", tt.text, got)
		}
	}
	if !capability.IsInstanceID(capability.DefaultInstanceID) {
		t.Error("the default instance id is not one")
	}
}
