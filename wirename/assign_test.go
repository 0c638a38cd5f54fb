package wirename_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/wirename"
	"pgregory.net/rapid"
)

func mustAssign(t testing.TB, entries []wirename.Entry) (names []string, byName map[string]wirename.Entry) {
	t.Helper()
	names, byName, err := wirename.Assign(entries)
	if err != nil {
		t.Fatalf("Assign: %v", err)
	}
	return names, byName
}

func TestAssign(t *testing.T) {
	at := func(id, instance string, level int) string {
		name, err := wirename.EncodeForInstance(id, instance, level)
		if err != nil {
			t.Fatal(err)
		}
		return name
	}
	tests := []struct {
		name    string
		entries []wirename.Entry
		want    []string
	}{
		{"none", nil, []string{}},
		{"no collision", []wirename.Entry{{"view:a.b", ""}, {"domain:a.b", ""}}, []string{"view_a__b", "domain_a__b"}},
		{"instances", []wirename.Entry{{"view:a.b", "x"}, {"view:a.b", "y"}}, []string{"view_a__b_at_x", "view_a__b_at_y"}},
		{"equal entries share", []wirename.Entry{{"view:a.b", "x"}, {"view:a.b", ""}, {"view:a.b", "x"}},
			[]string{"view_a__b_at_x", "view_a__b", "view_a__b_at_x"}},
		{"an id that looks qualified", []wirename.Entry{{"domain:a", "b"}, {"domain:a:at:b", ""}, {"domain:c", ""}},
			[]string{at("domain:a", "b", 1), at("domain:a:at:b", "", 1), "domain_c"}},
		{"three in one", []wirename.Entry{{"domain:a.:b", ""}, {"domain:a:.b", ""}, {"domain:a:::b", ""}},
			[]string{at("domain:a.:b", "", 1), at("domain:a:.b", "", 1), at("domain:a:::b", "", 1)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			names, byName := mustAssign(t, tt.entries)
			if !slices.Equal(names, tt.want) {
				t.Errorf("Assign = %q\nwant     %q", names, tt.want)
			}
			checkAssigned(t, tt.entries, names, byName)
		})
	}
}

// checkAssigned holds that names and byName are a bijection between the set of entries and its names.
func checkAssigned(t testing.TB, entries []wirename.Entry, names []string, byName map[string]wirename.Entry) {
	t.Helper()
	distinct := map[wirename.Entry]bool{}
	for i, entry := range entries {
		distinct[entry] = true
		if byName[names[i]] != entry {
			t.Fatalf("%v is called %s, which means %v", entry, names[i], byName[names[i]])
		}
		if !validName.MatchString(names[i]) {
			t.Fatalf("%v is called %q, which is no name", entry, names[i])
		}
	}
	if len(byName) != len(distinct) {
		t.Fatalf("%d names for %d entries", len(byName), len(distinct))
	}
}

// An entry whose raw name is the shortened name of another pushes that one up.
func TestNamesThatForgeAHash(t *testing.T) {
	victim := wirename.Entry{ID: "domain:a_b"}
	forger := wirename.Entry{ID: "domain:a:b:0:0kx3lpd"}
	names, byName := mustAssign(t, []wirename.Entry{victim, forger})
	checkAssigned(t, []wirename.Entry{victim, forger}, names, byName)
	for i, entry := range []wirename.Entry{victim, forger} {
		if want, _ := wirename.EncodeForInstance(entry.ID, "", 1); names[i] != want {
			t.Errorf("%v is called %s, want %s", entry, names[i], want)
		}
	}
}

// Each entry's raw name is the name to which the one before it must move, so that every round of separation
// makes exactly the next collision. The work must not be rounds times entries.
func TestChainOfForgedNames(t *testing.T) {
	filler := strings.Repeat("x", 45)
	entries := []wirename.Entry{{ID: "domain:" + filler + "-a.:b"}, {ID: "domain:" + filler + "-a:.b"}}
	for range 5_000 {
		last := entries[len(entries)-1]
		name, err := wirename.EncodeForInstance(last.ID, "", 1)
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, wirename.Entry{ID: strings.ReplaceAll(name, "_", ":")})
	}
	names, byName := mustAssign(t, entries)
	checkAssigned(t, entries, names, byName)
}

func TestAssignRefusesByName(t *testing.T) {
	for _, tt := range []struct {
		entry wirename.Entry
		want  string
	}{
		{wirename.Entry{ID: "nothing"}, `"nothing"`},
		{wirename.Entry{ID: "view:a.b", InstanceID: "a b"}, `"a b"`},
	} {
		names, byName, err := wirename.Assign([]wirename.Entry{{ID: "view:a.b"}, tt.entry})
		if err == nil || !strings.Contains(err.Error(), tt.want) || names != nil || byName != nil {
			t.Errorf("Assign(%v) = %v, %v, %v", tt.entry, names, byName, err)
		}
	}
}

// Few letters, so that names collide often.
var entryGen = rapid.Custom(func(t *rapid.T) wirename.Entry {
	path := rapid.OneOf(
		rapid.StringMatching(`[ab](\.|:|\.:|:\.|:at:|_|/){0,1}[ab]`),
		rapid.StringMatching(`x{60,64}[ab]?`),
	).Draw(t, "path")
	return wirename.Entry{
		ID:         "domain:" + path,
		InstanceID: rapid.SampledFrom([]string{"", "", "a", "b", "a_at_b"}).Draw(t, "instance"),
	}
})

func TestAssignDependsOnTheSetOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entries := rapid.SliceOfN(entryGen, 0, 30).Draw(t, "entries")
		names, byName, err := wirename.Assign(entries)
		if err != nil {
			t.Fatal(err)
		}
		for i, entry := range entries {
			if byName[names[i]] != entry {
				t.Fatalf("%v is called %s, which means %v", entry, names[i], byName[names[i]])
			}
		}
		shuffled := rapid.Permutation(append(slices.Clone(entries), entries...)).Draw(t, "order")
		_, again, err := wirename.Assign(shuffled)
		if err != nil || !maps.Equal(byName, again) {
			t.Fatalf("another order gives other names:\n%v\n%v", byName, again)
		}
	})
}

// blocks finds, by birthday search, pairs of four-letter blocks each of which takes FNV-1a from one state to
// one state. Every way of choosing from the pairs then gives a path with the same 32-bit hash.
func blocks(t testing.TB, prefix string, count int) [][2]string {
	t.Helper()
	const alphabet = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	step := func(state uint32, text []byte) uint32 {
		for i := range len(text) {
			state = (state ^ uint32(text[i])) * 16777619
		}
		return state
	}
	random := rand.New(rand.NewPCG(3, 4))
	state := step(0x811c9dc5, []byte(prefix))
	var pairs [][2]string
	for len(pairs) < count {
		seen := make(map[uint32][4]byte, 1<<17)
		for {
			var block [4]byte
			for i := range block {
				block[i] = alphabet[random.IntN(len(alphabet))]
			}
			next := step(state, block[:])
			if other, found := seen[next]; found && other != block {
				pairs = append(pairs, [2]string{string(other[:]), string(block[:])})
				state = next
				break
			}
			seen[next] = block
		}
	}
	return pairs
}

// collidingEntries are 2^count entries with one name at level 0, and many pairs with one name at every level.
func collidingEntries(t testing.TB, count int) []wirename.Entry {
	t.Helper()
	prefix := "domain:" + strings.Repeat("x", 47)
	pairs := blocks(t, prefix, count)
	entries := make([]wirename.Entry, 1<<count)
	for choice := range entries {
		id := prefix
		for i, pair := range pairs {
			id += pair[choice>>i&1]
		}
		entries[choice] = wirename.Entry{ID: id}
	}
	return entries
}

func TestHundredThousandHostileIDs(t *testing.T) {
	entries := collidingEntries(t, 16)
	first, err := wirename.Encode(entries[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(entries); i += 97 {
		if name, _ := wirename.Encode(entries[i].ID); name != first {
			t.Fatalf("the search went wrong: %s is not %s", name, first)
		}
	}
	entries = append(entries, oddEntries(20_000)...)
	for i := len(entries); i < 100_000; i++ {
		entries = append(entries, wirename.Entry{ID: fmt.Sprintf("view:page-%d.table.selectRows", i/2), InstanceID: []string{"", "left"}[i%2]})
	}
	names, byName := mustAssign(t, entries)
	checkAssigned(t, entries, names, byName)
	checkDecode(t, byName)

	if !testing.Short() {
		shuffled := slices.Clone(entries)
		random := rand.New(rand.NewPCG(7, 8))
		random.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		if _, again := mustAssign(t, shuffled); !maps.Equal(byName, again) {
			t.Error("another order gives other names")
		}
	}

	rank := 0
	for _, name := range names {
		if parts := strings.Split(name, "_"); strings.HasPrefix(name, "domain_") && len(parts[len(parts)-1]) < 7 {
			rank++
		}
	}
	if rank < 2 {
		t.Errorf("%d names end in a rank: the search found no collision at the last level", rank)
	}
	t.Logf("%d entries, %d names with a rank", len(entries), rank)
}

// oddEntries are ids of all sorts, and for many of them another one whose raw name is the name of the first.
func oddEntries(count int) []wirename.Entry {
	random := rand.New(rand.NewPCG(9, 10))
	pieces := []string{"a", "B", "7", "-", "_", ".", "..", ":", " ", "/", "at", "0", "ü", "\U0001f600", "__proto__", "selectRows", strings.Repeat("long", 6)}
	seen := map[wirename.Entry]bool{}
	var entries []wirename.Entry
	add := func(entry wirename.Entry) {
		if _, err := wirename.EncodeForInstance(entry.ID, entry.InstanceID, 0); err == nil && !seen[entry] {
			seen[entry] = true
			entries = append(entries, entry)
		}
	}
	for len(entries) < count {
		id := "domain:"
		for range 1 + random.IntN(7) {
			id += pieces[random.IntN(len(pieces))]
		}
		entry := wirename.Entry{ID: id, InstanceID: []string{"", "", "at", "a_b", "x-1"}[random.IntN(5)]}
		add(entry)
		if name, err := wirename.EncodeForInstance(entry.ID, entry.InstanceID, random.IntN(3)); err == nil {
			add(wirename.Entry{ID: "domain:" + strings.ReplaceAll(strings.TrimPrefix(name, "domain_"), "_", ":")})
		}
	}
	return entries
}

// checkDecode holds that a name which can be read is the name of what is read, and what it stands for; but for "::",
// which is written as a dot is.
func checkDecode(t testing.TB, byName map[string]wirename.Entry) {
	t.Helper()
	read := 0
	for name, entry := range byName {
		id, ok := wirename.Decode(name)
		if !ok {
			continue
		}
		read++
		if again, err := wirename.Encode(id); err != nil || again != name {
			t.Fatalf("%s reads as %s, whose name is %s (%v)", name, id, again, err)
		}
		entry.ID = strings.ReplaceAll(entry.ID, "::", ".")
		if entry != (wirename.Entry{ID: id}) {
			t.Fatalf("%s reads as %s and stands for %v", name, id, entry)
		}
	}
	if read == 0 {
		t.Error("no name can be read back")
	}
}

// A raw name that forges the ranked name of a colliding entry moves; the ranked one keeps its name.
func TestNamesThatForgeARank(t *testing.T) {
	entries := collidingEntries(t, 14)
	names, _ := mustAssign(t, entries)
	var forged []wirename.Entry
	for _, name := range names {
		if strings.HasSuffix(name, "_1") {
			forged = append(forged, wirename.Entry{ID: strings.ReplaceAll(name, "_", ":")})
		}
	}
	if len(forged) == 0 {
		t.Fatal("no name has a rank")
	}
	all := append(slices.Clone(entries), forged...)
	renamed, byName := mustAssign(t, all)
	checkAssigned(t, all, renamed, byName)
	if !slices.Equal(renamed[:len(names)], names) {
		t.Error("a forger changed the names of others")
	}
	random := rand.New(rand.NewPCG(5, 6))
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	if _, again := mustAssign(t, all); !maps.Equal(byName, again) {
		t.Error("another order gives other names")
	}
}

func BenchmarkAssign(b *testing.B) {
	var entries []wirename.Entry
	for i := range 300 {
		entries = append(entries, wirename.Entry{ID: fmt.Sprintf("view:page-%d.table.selectRows", i)})
	}
	b.ReportAllocs()
	for b.Loop() {
		mustAssign(b, entries)
	}
}

func BenchmarkEncode(b *testing.B) {
	long := "view:" + strings.Repeat("abc.", 15) + "n"
	for _, id := range []string{"view:devices.table.selectRows", long} {
		b.Run(fmt.Sprint(len(id)), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := wirename.Encode(id); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
