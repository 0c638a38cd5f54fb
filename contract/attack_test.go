package contract_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
)

// mutant is a manifest that differs from the reviewed one in one place.
type mutant struct {
	what string // the place and what was done to it
	tree any
}

// mutantsOf walks every value of a tree and changes it in each way that fits it. whole builds the tree around a
// changed value.
func mutantsOf(path string, value any, whole func(any) any) []mutant {
	var list []mutant
	add := func(what string, changed any) { list = append(list, mutant{path + " " + what, whole(changed)}) }
	switch v := value.(type) {
	case map[string]any:
		changed := maps.Clone(v)
		changed["other"] = true
		add("with another member", changed)
		for _, name := range slices.Sorted(maps.Keys(v)) {
			without := maps.Clone(v)
			delete(without, name)
			add("without "+name, without)
			list = append(list, mutantsOf(path+"."+name, v[name], func(inner any) any {
				changed := maps.Clone(v)
				changed[name] = inner
				return whole(changed)
			})...)
		}
	case []any:
		add("longer by a text", append(slices.Clone(v), "x"))
		for i := range v {
			add(fmt.Sprint("without element ", i), slices.Delete(slices.Clone(v), i, i+1))
			add(fmt.Sprint("with element ", i, " twice"), slices.Insert(slices.Clone(v), i, v[i]))
			if i > 0 {
				swapped := slices.Clone(v)
				swapped[0], swapped[i] = swapped[i], swapped[0]
				add(fmt.Sprint("with element ", i, " first"), swapped)
			}
			list = append(list, mutantsOf(fmt.Sprintf("%s[%d]", path, i), v[i], func(inner any) any {
				changed := slices.Clone(v)
				changed[i] = inner
				return whole(changed)
			})...)
		}
	case string:
		add("longer", v+"x")
		add("empty", "")
		add("null", nil)
		add("in another case", strings.ToUpper(v[:1])+v[1:])
		add("with a combining mark", v+"\u0301")
		add("another digit", strings.Map(func(r rune) rune {
			if r == '0' {
				return '1'
			}
			return r
		}, v))
	case bool:
		add("flipped", !v)
	case float64:
		add("plus one", v+1)
		add("a little more", v+1e-9)
	}
	return list
}

// mutants are those that are not the reviewed manifest after all.
func mutants(t *testing.T) []mutant {
	t.Helper()
	m := mustCompile(t, table(), disable(), weather())
	m.External = []contract.Dependency{{Package: "p", Source: "s", Route: contract.RouteSource, Digest: strings.Repeat("0", 64), ApprovedDigest: strings.Repeat("0", 64)}}
	m.Seal()
	var tree any
	if err := json.Unmarshal([]byte(m.JSON()), &tree); err != nil {
		t.Fatal(err)
	}
	unchanged := string(m.JSON())
	var list []mutant
	for _, one := range mutantsOf("", tree, func(v any) any { return v }) {
		if string(textOf(t, one.tree)) != unchanged {
			list = append(list, one)
		}
	}
	if len(list) < 300 {
		t.Fatalf("only %d mutants", len(list))
	}
	return list
}

func textOf(t *testing.T, tree any) capability.JSON {
	t.Helper()
	text, err := json.Marshal(tree)
	if err != nil {
		t.Fatal(err)
	}
	return capability.JSON(text)
}

// TestAManifestEditedByHandMakesNoAuthority changes every field, member and element in turn: each time the error
// names a place in the manifest.
func TestAManifestEditedByHandMakesNoAuthority(t *testing.T) {
	for _, m := range mutants(t) {
		_, err := contract.NewAuthority(textOf(t, m.tree), "")
		var typed *contract.ManifestError
		if !errors.As(err, &typed) || typed.Where == "" {
			t.Errorf("%s: got %v", m.what, err)
		}
	}
}

// TestAForgedManifestWithCorrectHashes: the same edits, sealed anew as the compiler would. A pin refuses them all; without
// one, production refuses them all once it uses the reviewed one.
func TestAForgedManifestWithCorrectHashes(t *testing.T) {
	reviewed := mustCompile(t, table(), disable(), weather())
	reviewed.External = []contract.Dependency{{Package: "p", Source: "s", Route: contract.RouteSource, Digest: strings.Repeat("0", 64), ApprovedDigest: strings.Repeat("0", 64)}}
	reviewed.Seal()
	pinned, _ := newAuthorities(t, contract.PinPrefix+reviewed.Hash)
	unpinned, _ := newAuthorities(t, "")
	if err := mustAdmit(t, unpinned, reviewed).Use(capability.Production); err != nil {
		t.Fatal(err)
	}
	forged := 0
	for _, m := range mutants(t) {
		parsed, err := contract.Parse(textOf(t, m.tree))
		if err != nil {
			continue // the field is refused as such
		}
		parsed.Seal()
		if parsed.Hash == reviewed.Hash {
			continue // a hash was changed, and is right again
		}
		forged++
		var typed *contract.ManifestError
		if _, err := pinned.Admitting(parsed.JSON()); !errors.As(err, &typed) || typed.Where == "" {
			t.Errorf("%s: with a pin: got %v", m.what, err)
		}
		a, err := unpinned.Admitting(parsed.JSON())
		if err == nil {
			err = a.Use(capability.Production)
		}
		if !errors.As(err, &typed) || typed.Where == "" {
			t.Errorf("%s: without a pin: got %v", m.what, err)
		}
	}
	if forged < 50 {
		t.Errorf("only %d forgeries had correct hashes", forged)
	}
}

// TestHashesDoNotCollide: equal values have one hash in whatever form they come, others have another.
func TestHashesDoNotCollide(t *testing.T) {
	hashOf := func(schema capability.JSON) string {
		e := contract.Entry{CapabilityID: "view:a.b", Kind: capability.Action, Description: "d", Effect: capability.LocalState, InputSchema: schema}
		return e.AdmissionHash()
	}
	for _, test := range []struct {
		name string
		a, b capability.JSON
		same bool
	}{
		{"order of members", `{"a":1,"b":2}`, `{"b":2,"a":1}`, true},
		{"white space", `{"a":1}`, "{ \"a\"\n:\t1 }", true},
		{"form of a number", `{"a":100}`, `{"a":1.00e2}`, true},
		{"negative zero", `{"a":0}`, `{"a":-0}`, true},
		{"escapes", `{"\u0061":"\u00e9\/"}`, "{\"a\":\"\u00e9/\"}", true},
		{"order of elements", `{"a":[1,2]}`, `{"a":[2,1]}`, false},
		{"beyond what a float holds", `{"a":9007199254740992}`, `{"a":9007199254740993}`, false},
		{"beyond what a float tells apart", `{"a":0.1}`, `{"a":0.10000000000000001}`, false},
		{"number and text", `{"a":1}`, `{"a":"1"}`, false},
		{"Unicode normal forms", "{\"a\":\"\u00e9\"}", "{\"a\":\"e\u0301\"}", false},
		{"Unicode normal forms of names", "{\"\u00e9\":1}", "{\"e\u0301\":1}", false},
		{"compatibility characters", "{\"a\":\"\ufb01\"}", `{"a":"fi"}`, false},
		{"nesting", `{"a":{"b":1}}`, `{"a":{},"b":1}`, false},
		{"null and absent", `{"a":null}`, `{}`, false},
	} {
		if got := hashOf(test.a) == hashOf(test.b); got != test.same {
			t.Errorf("%s: %s and %s have the same hash: %v", test.name, test.a, test.b, got)
		}
	}
}

// TestFieldsDoNotRunIntoEachOther: what moves from one field to its neighbour changes the hash.
func TestFieldsDoNotRunIntoEachOther(t *testing.T) {
	base := contract.Entry{CapabilityID: "view:a.b", Kind: capability.Action, Title: "t", Description: "d", Effect: capability.LocalState}
	moved := base
	moved.Title, moved.Description = "", "td"
	inner := base
	inner.Title, inner.Description = "", `d","title":"t`
	if base.AdmissionHash() == moved.AdmissionHash() || base.AdmissionHash() == inner.AdmissionHash() {
		t.Error("two entries have one hash")
	}
}

// TestAnUnapprovedDependencyMakesNoAuthority: correct hashes do not stand in for an approval.
func TestAnUnapprovedDependencyMakesNoAuthority(t *testing.T) {
	m := mustCompile(t, weather())
	m.External = []contract.Dependency{{Package: "p", Source: "s", Route: contract.RouteSource, Digest: strings.Repeat("0", 64), ApprovedDigest: strings.Repeat("1", 64)}}
	m.Seal()
	_, err := contract.NewAuthority(m.JSON(), "")
	var typed *contract.ManifestError
	if !errors.As(err, &typed) || typed.Where != "external[0].digest" || !strings.Contains(typed.Reason, "p is not what was approved") {
		t.Errorf("got %v", err)
	}
}

// TestTwiceInAManifest: both rules of uniqueness hold for a manifest that was sealed with what breaks them.
func TestTwiceInAManifest(t *testing.T) {
	for _, test := range []struct {
		change func(m *contract.Manifest)
		where  string
		reason string
	}{
		{func(m *contract.Manifest) { m.Capabilities = append(m.Capabilities, m.Capabilities[0]) }, "capabilities[2].capabilityId", "is declared twice"},
		{func(m *contract.Manifest) { m.Capabilities[1].Declaration = "src/b.ts#b" }, "capabilities[1].declaration", "devices.table is claimed by two declarations"},
		{func(m *contract.Manifest) { m.Capabilities[1].ComponentDescription = "B" }, "capabilities[1].componentDescription", "differs from that of"},
	} {
		m := mustCompile(t, table())
		test.change(m)
		m.Seal()
		_, err := contract.NewAuthority(m.JSON(), "")
		var typed *contract.ManifestError
		if !errors.As(err, &typed) || typed.Where != test.where || !strings.Contains(typed.Reason, test.reason) {
			t.Errorf("got %v, want %s: %s", err, test.where, test.reason)
		}
	}
}

// TestAnAuthorityIsACopy: what happens to the manifest afterwards changes nothing.
func TestAnAuthorityIsACopy(t *testing.T) {
	m := mustCompile(t, table())
	s, _ := newAuthorities(t, "")
	a := mustAdmit(t, s, m)
	m.Capabilities[0].Description = "Another"
	m.Seal()
	if err := a.Admit("devices.table", offers()); err != nil {
		t.Error(err)
	}
	o := offers()
	o[1].BoundFields = []contract.BoundField{}
	if err := a.Admit("devices.table", o); err != nil {
		t.Error(err)
	}
	o[1].Description = "Another"
	if err := a.Admit("devices.table", o); err == nil {
		t.Error("what was offered before can be changed afterwards")
	}
}
