package capability_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/pagewarden/pagewarden/capability"
	"pgregory.net/rapid"
)

func TestPaths(t *testing.T) {
	tests := []struct{ path, name, want string }{
		{"", "rows", "rows"}, {"rows[2]", "name", "rows[2].name"}, {"a", "_$9", "a._$9"}, {"", "$", "$"},
		{"", "", `[""]`}, {"a", "9b", `a["9b"]`}, {"a", "b c", `a["b c"]`}, {"a", "é", `a["é"]`}, {"a", "b.c", `a["b.c"]`},
		{"a", `"]`, `a["\"]"]`}, {"", "__proto__", "__proto__"}, {"a", "\n\x00", `a["\n\u0000"]`},
		{"", strings.Repeat("x", 64), strings.Repeat("x", 64)}, {"", strings.Repeat("x", 65), `["` + strings.Repeat("x", 64) + `"]`},
		{"", strings.Repeat("é", 70), `["` + strings.Repeat("é", 64) + `"]`},
	}
	for _, tt := range tests {
		if got := capability.PathName(tt.path, tt.name); got != tt.want {
			t.Errorf("PathName(%q, %q) = %s, want %s", tt.path, tt.name, got, tt.want)
		}
	}
	if got := capability.PathIndex("rows", 12); got != "rows[12]" {
		t.Error(got)
	}
	if got := capability.PathIndex("", 0); got != "[0]" {
		t.Error(got)
	}
}

func TestLengthAndCut(t *testing.T) {
	tests := []struct {
		text   string
		length int
		most   int
		cut    string
	}{
		{"", 0, 0, ""}, {"abc", 3, 2, "ab"}, {"abc", 3, 3, "abc"}, {"abc", 3, 9, "abc"}, {"éé", 2, 1, "é"},
		{"a\U0001f600b", 4, 2, "a"}, {"a\U0001f600b", 4, 3, "a\U0001f600"}, {"\U0001f600", 2, 1, ""}, {"abc", 3, 0, ""},
	}
	for _, tt := range tests {
		if got := capability.Length(tt.text); got != tt.length {
			t.Errorf("Length(%q) = %d", tt.text, got)
		}
		if got := capability.Cut(tt.text, tt.most); got != tt.cut {
			t.Errorf("Cut(%q, %d) = %q", tt.text, tt.most, got)
		}
	}
}

func TestCutKeepsAsMuchAsFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, most := rapid.String().Draw(t, "text"), rapid.IntRange(0, 40).Draw(t, "most")
		cut := capability.Cut(text, most)
		if units := len(utf16.Encode([]rune(text))); units != capability.Length(text) {
			t.Fatalf("Length(%q) = %d, want %d", text, capability.Length(text), units)
		}
		if !strings.HasPrefix(text, cut) || capability.Length(cut) > most {
			t.Fatalf("Cut(%q, %d) = %q", text, most, cut)
		}
		if rest := text[len(cut):]; rest != "" {
			next := []rune(rest)[0]
			if capability.Length(cut)+capability.Length(string(next)) <= most {
				t.Fatalf("Cut(%q, %d) = %q drops more than it must", text, most, cut)
			}
		}
	})
}

func TestEffects(t *testing.T) {
	tests := []struct {
		effect       capability.Effect
		kind         capability.Kind
		plane        capability.Plane
		idempotent   bool
		reversible   bool
		confirmation capability.Confirmation
		audit        capability.AuditLevel
		onlyReads    bool
		grave        bool
	}{
		{capability.Read, capability.Observation, capability.View, true, false, capability.Never, capability.AuditNone, true, false},
		{capability.LocalState, capability.Action, capability.View, false, true, capability.Never, capability.AuditMetadata, false, false},
		{capability.Navigation, capability.Action, capability.View, false, true, capability.Never, capability.AuditMetadata, false, false},
		{capability.ServerQuery, capability.Procedure, capability.Domain, true, false, capability.Never, capability.AuditMetadata, true, false},
		{capability.ServerMutation, capability.Procedure, capability.Domain, false, false, capability.Optional, capability.AuditMetadata, false, false},
		{capability.ExternalSideEffect, capability.Procedure, capability.Domain, false, false, capability.Required, capability.AuditFull, false, true},
		{capability.Destructive, capability.Procedure, capability.Domain, false, false, capability.Required, capability.AuditFull, false, true},
	}
	for _, tt := range tests {
		want := capability.Traits{Idempotent: tt.idempotent, Reversible: tt.reversible, Confirmation: tt.confirmation, Audit: tt.audit}
		if got := tt.effect.Defaults(); got != want {
			t.Errorf("%s: defaults %+v, want %+v", tt.effect, got, want)
		}
		if !tt.effect.Valid() || tt.effect.Kind() != tt.kind || tt.kind.Plane() != tt.plane {
			t.Errorf("%s: kind %s on the plane %s", tt.effect, tt.effect.Kind(), tt.effect.Kind().Plane())
		}
		if tt.effect.OnlyReads() != tt.onlyReads || tt.effect.Consequential() != tt.grave {
			t.Errorf("%s: only reads %v, consequential %v", tt.effect, tt.effect.OnlyReads(), tt.effect.Consequential())
		}
	}
	if capability.Effect("").Valid() || capability.Effect("delete").Valid() {
		t.Error("an unknown effect is valid")
	}
	if got := capability.Effect("delete").Defaults().Confirmation; got != capability.Required {
		t.Errorf("an unknown effect defaults to %s", got)
	}
}

func TestConfirmationLevels(t *testing.T) {
	levels := []capability.Confirmation{capability.Never, capability.Optional, capability.Required}
	for i, a := range levels {
		if a.Rank() != i {
			t.Errorf("%s has rank %d", a, a.Rank())
		}
		for j, b := range levels {
			if got := a.Stronger(b); got != levels[max(i, j)] {
				t.Errorf("%s, %s: the stronger is %s", a, b, got)
			}
		}
		if got := a.Stronger("always"); got != a {
			t.Errorf("an unknown level is stronger than %s: %s", a, got)
		}
	}
	if capability.Confirmation("").Rank() != 0 || capability.Confirmation("always").Rank() != -1 {
		t.Error("ranks of what is no level")
	}
}

func TestAuditLevels(t *testing.T) {
	for level, want := range map[capability.AuditLevel]bool{"none": true, "metadata": true, "full": true, "": false, "Full": false} {
		if level.Valid() != want {
			t.Errorf("%q: Valid = %v", level, level.Valid())
		}
	}
}

func TestConsumer(t *testing.T) {
	anonymous := capability.AnonymousConsumer()
	if !anonymous.Valid() || anonymous.Key() != "embedded:anonymous" {
		t.Errorf("%+v", anonymous)
	}
	for kind, want := range map[capability.ConsumerKind]bool{"embedded": true, "webmcp": true, "mcp-bridge": true, "test": true, "other": true, "": false, "root": false} {
		if got := (capability.Consumer{ID: "x", Kind: kind}).Valid(); got != want {
			t.Errorf("kind %q: Valid = %v", kind, got)
		}
	}
	if (capability.Consumer{Kind: capability.TestConsumer}).Valid() {
		t.Error("a consumer without an id is valid")
	}
	if got := (capability.Consumer{}).OrAnonymous(); got.Key() != anonymous.Key() {
		t.Errorf("nobody is %s", got.Key())
	}
	for _, named := range []capability.Consumer{{ID: "anonymous", Kind: capability.TestConsumer}, {ID: "x", Kind: capability.EmbeddedConsumer}} {
		if want := string(named.Kind) + ":" + named.ID; named.Key() != want {
			t.Errorf("the key of %+v is %s", named, named.Key())
		}
	}
	for _, named := range []capability.Consumer{{ID: "x"}, {Kind: capability.TestConsumer}} {
		if got := named.OrAnonymous(); got.Key() != named.Key() {
			t.Errorf("%s became %s", named.Key(), got.Key())
		}
	}
}

func TestFormatTime(t *testing.T) {
	zone := time.FixedZone("", 2*60*60)
	for want, at := range map[string]time.Time{
		"2026-01-02T03:04:05.678Z": time.Date(2026, 1, 2, 5, 4, 5, 678_999_999, zone),
		"1970-01-01T00:00:00.000Z": time.UnixMilli(0),
		"0001-01-01T00:00:00.000Z": {},
	} {
		if got := capability.FormatTime(at); got != want {
			t.Errorf("FormatTime(%v) = %s, want %s", at, got, want)
		}
	}
}
