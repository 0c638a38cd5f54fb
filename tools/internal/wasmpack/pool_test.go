package wasmpack

import (
	"bytes"
	"testing"
)

func TestAPoolKeepsWhatIsUsedInOrder(t *testing.T) {
	table := []byte("\x00one-two-three-unused-four")
	places := map[string]uint32{}
	for _, word := range []string{"one-", "two-", "three-", "four"} {
		places[word] = uint32(bytes.Index(table, []byte(word)))
	}
	p := newPool(table, 1)
	take := func(word string, kind, align int, shared bool) {
		p.use(places[word], use{kind: kind, length: len(word), align: align, shared: shared})
	}
	take("three-", 1, 1, false)
	take("one-", 0, 1, false)
	take("one-", 0, 1, false) // twice, but not to be moved
	take("four", 2, 4, true)
	take("two-", 0, 1, true)
	take("two-", 1, 1, true)
	if err := p.place(); err != nil {
		t.Fatal(err)
	}
	p.finish()
	if want := "\x00two-one-three-\x00four"; string(bytes.TrimRight(table, "\x00")) != want {
		t.Errorf("the table is %q; want %q and zeros", table, want)
	}
	for word, at := range places {
		if got := table[p.to(at):]; !bytes.HasPrefix(got, []byte(word)) {
			t.Errorf("%q has moved to where %q is", word, got)
		}
	}
	if p.to(0) != 0 {
		t.Errorf("what was at 0 has moved to %d", p.to(0))
	}
	for kind, want := range []uint32{5, 9, 16, 0} {
		if got := p.begin(kind); got != want {
			t.Errorf("kind %d begins at %d; want %d", kind, got, want)
		}
	}
}

func TestThePlaceMostUsedComesFirst(t *testing.T) {
	table := []byte("aabbcc")
	p := newPool(table, 0)
	for _, at := range []uint32{0, 0, 2, 4, 4, 4, 2} {
		p.use(at, use{length: 2, align: 1, shared: true})
	}
	if err := p.place(); err != nil {
		t.Fatal(err)
	}
	p.finish()
	if string(table) != "ccaabb" {
		t.Errorf("the table is %q; want ccaabb", table)
	}
}

func TestAPoolThatGrowsIsRefused(t *testing.T) {
	p := newPool([]byte("abcd"), 0)
	p.use(0, use{length: 3, align: 1})
	p.use(3, use{kind: 1, length: 1, align: 8})
	if err := p.place(); err == nil {
		t.Error("a table that needs more room was laid out")
	}
}
