package wirename_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/wirename"
	"pgregory.net/rapid"
)

// The hashes come from a second implementation, in JavaScript.
func TestEncodeForInstance(t *testing.T) {
	const selectRows = "view:devices.table.selectRows"
	abc := "view:" + strings.Repeat("abc.", 15) + "n"
	tests := []struct {
		id, instance string
		level        int
		want         string
	}{
		{selectRows, "", 0, "view_devices__table__selectRows"},
		{selectRows, "", 1, "view_devices__table__selectRows_0_18q9lcv1w"},
		{selectRows, "", 2, "view_devices__table__selectRows_0_190971u1wo3"},
		{selectRows, "", 3, "view_devices__table__selectRows_0_19a8sqt1we3em"},
		{selectRows, "left-1", 0, "view_devices__table__selectRows_at_left-1"},
		{selectRows, "left-1", 3, "view_devices__table__selectRows_at_left-1_0_1wsfx3i15zc06"},
		{"view:a.b", "x_y", 0, "view_a__b_at_x_y"},
		{"domain:devices.disable", "", 0, "domain_devices__disable"},
		{"domain:a-b", "", 0, "domain_a-b"},
		{"domain:a_b", "", 0, "domain_a_b_0_0kx3lpd"},
		{"domain:a_b", "", 1, "domain_a_b_0_0kn400e0s"},
		{"domain:a/b", "", 0, "domain_a-b_0_0u9g9n5"},
		{"domain:a:b", "", 0, "domain_a_b"},
		{"domain:a..b", "", 0, "domain_a____b"},
		{"domain:grüße.\U0001f600", "", 0, "domain_gr--e__--_0_14boh6j"},
		{"domain:" + strings.Repeat("x", 57), "", 0, "domain_" + strings.Repeat("x", 57)},
		{"domain:" + strings.Repeat("x", 58), "", 0, "domain_" + strings.Repeat("x", 47) + "_0_0n0lv5h"},
		{abc, "", 0, "view_abc__abc__abc__abc__abc__abc__abc__abc__abc__abc__0_0jvso8k"},
		{abc, "", 3, "view_abc__abc__abc__abc__abc__abc__abc__abc__abc_0_0kprhbh0pjvq7"},
		{selectRows, strings.Repeat("i", 64), 0, "view_devices__table__selectRows_at_iiiiiiiiiiiiiiiiiii_0_1dzb824"},
	}
	for _, tt := range tests {
		got, err := wirename.EncodeForInstance(tt.id, tt.instance, tt.level)
		if err != nil || got != tt.want {
			t.Errorf("EncodeForInstance(%s, %q, %d) = %s, %v\nwant %s", tt.id, tt.instance, tt.level, got, err, tt.want)
		}
	}
}

func TestRefused(t *testing.T) {
	tests := []struct {
		id, instance string
		level        int
		want         string
	}{
		{"", "", 0, "starts with"},
		{"devices.table", "", 0, "starts with"},
		{"view:Table.x", "", 0, "component type"},
		{"domain:", "", 0, "path"},
		{"domain:\xff", "", 0, "UTF-8"},
		{"domain:" + strings.Repeat("x", 128), "", 0, "128"},
		{"view:a.b", "a b", 0, "instance id"},
		{"view:a.b", "ü", 0, "instance id"},
		{"view:a.b", "", -1, "level -1"},
		{"view:a.b", "", 4, "level 4"},
	}
	for _, tt := range tests {
		name, err := wirename.EncodeForInstance(tt.id, tt.instance, tt.level)
		if err == nil || !strings.Contains(err.Error(), tt.want) || name != "" {
			t.Errorf("EncodeForInstance(%q, %q, %d) = %q, %v; want an error about %q", tt.id, tt.instance, tt.level, name, err, tt.want)
		}
	}
}

func TestDecode(t *testing.T) {
	tests := []struct {
		name, id string // id "" when the name tells nothing
	}{
		{"view_devices__table__selectRows", "view:devices.table.selectRows"},
		{"domain_devices__disable", "domain:devices.disable"},
		{"domain_a-b", "domain:a-b"},
		{"domain_x", "domain:x"},
		{"", ""}, {"_", ""}, {"view", ""}, {"view_", ""}, {"view_a", ""}, {"domain_", ""},
		{"view_A__b", ""}, {"view_a__B", ""}, {"page_a__b", ""}, {"view_a__b ", ""}, {"view_a__b.c", ""},
		{"view__a__b", ""}, {"view_a__b__", ""}, {"view_a____b", ""}, {"domain_a___b", ""}, {"domain__a", ""},
		{"view_a__b_at_left", ""}, {"domain_a_b", ""}, {"domain_a_0_0kx3lpd", ""},
		{"domain_a_b_0_0kx3lpd", ""}, {"domain_gr--e__--_0_14boh6j", ""},
		{"domain_" + strings.Repeat("x", 58), ""},
		{"domain_\xff", ""}, {"domain_ü", ""},
	}
	for _, tt := range tests {
		id, ok := wirename.Decode(tt.name)
		if id != tt.id || ok != (tt.id != "") {
			t.Errorf("Decode(%q) = %q, %v; want %q", tt.name, id, ok, tt.id)
		}
	}
}

var (
	validName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

	viewIDGen = rapid.StringMatching(`view:[a-z][a-z0-9-]{0,9}(\.[a-z][a-z0-9-]{0,9}){0,6}\.[a-z][A-Za-z0-9]{0,20}`)
	pathGen   = rapid.OneOf(
		rapid.StringMatching(`[a-z.:_\-]{1,8}`),
		rapid.StringMatching(`[A-Za-z0-9_.:/\-]{1,100}`),
		rapid.StringN(1, 40, 110),
	)
	idGen = rapid.OneOf(viewIDGen, rapid.Map(pathGen, func(path string) string { return "domain:" + path })).
		Filter(func(id string) bool { _, err := capability.ParseID(id); return err == nil })
	instanceGen = rapid.OneOf(rapid.Just(""), rapid.StringMatching(`[A-Za-z0-9_-]{1,80}`))
)

func TestEveryNameIsValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id, instance := idGen.Draw(t, "id"), instanceGen.Draw(t, "instance")
		for level := range wirename.MaxLevel + 1 {
			name, err := wirename.EncodeForInstance(id, instance, level)
			if err != nil || !validName.MatchString(name) {
				t.Fatalf("EncodeForInstance(%q, %q, %d) = %q, %v", id, instance, level, name, err)
			}
			tail := regexp.MustCompile(`_0_[a-z0-9]+$`).FindString(name)
			if want := len("_0_") + 7 + 2*level; level > 0 && len(tail) != want {
				t.Fatalf("the name %q does not end in a hash of level %d", name, level)
			}
		}
	})
}

func TestOrdinaryIDsCanBeReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := viewIDGen.Filter(func(id string) bool { return len(id)+strings.Count(id, ".") <= wirename.MaxLength }).Draw(t, "id")
		name, err := wirename.Encode(id)
		if err != nil {
			t.Fatal(err)
		}
		if back, ok := wirename.Decode(name); !ok || back != id {
			t.Fatalf("%s became %s and then %q", id, name, back)
		}
	})
}

func TestDecodedIDsAreThoseThatWereEncoded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := idGen.Draw(t, "id")
		name, err := wirename.Encode(id)
		if err != nil {
			t.Fatal(err)
		}
		if back, ok := wirename.Decode(name); ok && back != strings.ReplaceAll(id, "::", ".") { // as Decode says
			t.Fatalf("%q became %s, which reads as %q", id, name, back)
		}
		qualified, err := wirename.EncodeForInstance(id, instanceGen.Draw(t, "instance")+"x", 0)
		if err != nil {
			t.Fatal(err)
		}
		if back, ok := wirename.Decode(qualified); ok {
			t.Fatalf("the instance-qualified name %s reads as %q", qualified, back)
		}
	})
}

func FuzzDecode(f *testing.F) {
	for _, name := range []string{"view_a__b", "domain_a__b-c", "domain_a_b", "view_a__b_at_c", "domain_a_0_0kx3lpd", "view_a___b"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		id, ok := wirename.Decode(name)
		if !ok {
			if id != "" {
				t.Fatalf("Decode(%q) = %q, false", name, id)
			}
			return
		}
		if again, err := wirename.Encode(id); err != nil || again != name {
			t.Fatalf("Decode(%q) = %q, whose name is %q (%v)", name, id, again, err)
		}
	})
}
