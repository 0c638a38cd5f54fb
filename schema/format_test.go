package schema

import (
	"slices"
	"strings"
	"testing"
)

func TestFormats(t *testing.T) {
	for _, test := range []struct {
		format          string
		accepts, denies []string
	}{
		{"date-time",
			[]string{"2026-01-31T12:00:00Z", "2026-01-31t12:00:00z", "2026-01-31T12:00:00.123456789+05:30", "2024-02-29T23:59:59-12:00", "0001-01-01T00:00:00Z"},
			[]string{"", "2026-01-31", "2026-01-31 12:00:00Z", "2026-01-31T12:00:00", "2026-02-30T12:00:00Z", "2026-01-31T24:00:00Z", "2026-01-31T12:00:60Z",
				"2026-01-31T2:00:00Z", "2026-01-31T02:0:000Z", "2026-01-31T12:00:00,5Z", "2026-01-31T12:00:00.Z", "2026-01-31T12:00:00+0530", "2026-01-31T12:00:00+24:00",
				"2026-01-31T12:00:00Z\n", " 2026-01-31T12:00:00Z", "２026-01-31T12:00:00Z", "2026-01-31T12:00:00ZZ", "2026-01-31T12:00Z"}},
		{"date",
			[]string{"2026-01-31", "2024-02-29", "0000-01-01"},
			[]string{"", "2026-1-31", "2025-02-29", "2026-13-01", "2026-00-10", "26-01-31", "2026-01-31T", "20260131", "2026-01-31 ", "١٢٣٤-01-01"}},
		{"uuid",
			[]string{"123e4567-e89b-12d3-a456-426614174000", "123E4567-E89B-12D3-A456-426614174000", "00000000-0000-0000-0000-000000000000"},
			[]string{"", "123e4567e89b12d3a456426614174000", "123e4567-e89b-12d3-a456-42661417400g", "{123e4567-e89b-12d3-a456-426614174000}", "123e4567-e89b-12d3-a456-4266141740000", "123e4567-e89b-12d3-a4567-26614174000", "123e4567-e89b-12d3-a456-42661417400é"}},
		{"email",
			[]string{"a@b", "first.last+tag@example.co.uk", "o'neill!#$%&*-/=?^_`{|}~@x-1.org", "a@[192.0.2.1]", "a@[IPv6:2001:db8::1]", strings.Repeat("a", 64) + "@example.com"},
			[]string{"", "junk", "@example.com", "a@", ".a@example.com", "a.@example.com", "a..b@example.com", "a b@example.com", `"a b"@example.com`, "a@b@example.com",
				"a@-x.com", "a@x-.com", "a@x..com", "a@.com", "a@x.com.", "a@exa_mple.com", "é@example.com", "a@exämple.com", "Name <a@example.com>", "a@[300.1.1.1]",
				"a@[2001:db8::1]", "a@[IPv6:192.0.2.1]", "a@[192.0.2.1", "a@[IPv6:fe80::1%eth0]", strings.Repeat("a", 65) + "@example.com", "a@" + strings.Repeat("b", 64) + ".com",
				"a@" + strings.Repeat("b.", 130) + "com", "a@x.com\n"}},
		{"uri",
			[]string{"https://example.com/path?q=1#frag", "http://[2001:db8::1]:8080/", "mailto:a@example.com", "urn:isbn:0451450523", "tel:+1-816-555-1212", "data:text/plain,a%20b",
				"http://user:pw@example.com:80/;p=1", "file:///etc/hosts", "a:", "HTTP://EXAMPLE.COM"},
			[]string{"", "example.com", "/path", "//example.com/x", "#frag", "https://exa mple.com", "https://example.com/a b", "https://example.com/é", "1http://x", ":foo", "http://%zz",
				"http://x/%z", "http://x/%2", "http://x/a#b#c", "http://[::1", "http://[1]/", "http://x/[a]", "http://x/<a>", "http://x/\\", "http://x/\"", "http://x:port/", "http://2001:db8::1/",
				"bar,baz:foo", "http://x/{a}", "https://[@example.org/test.txt", "http://x\n", "http://[192.0.2.1]/"}},
	} {
		if !slices.Contains(Formats(), test.format) {
			t.Errorf("%s is not among Formats()", test.format)
		}
		s := accept(t, `{"format":"`+test.format+`"}`)
		for _, value := range test.accepts {
			if issues := s.Validate(value); issues != nil {
				t.Errorf("%s refuses %q", test.format, value)
			}
		}
		for _, value := range test.denies {
			issues := s.Validate(value)
			if len(issues) != 1 || issues[0].Message != "must be "+formatPhrase(test.format) {
				t.Errorf("%s on %q: %v", test.format, value, issues)
			}
		}
		if issues := s.Validate(true); issues != nil {
			t.Errorf("%s says something about a boolean: %v", test.format, issues)
		}
	}
	if formatNamed("ipv4") != nil {
		t.Error("ipv4 is not among Formats() and is checked")
	}
}
