package webmcp

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/capability"
)

// offers makes n sound tools named t0, t1, …, whose answers land in told.
func offers(n int, told map[string]string) []offer {
	list := make([]offer, n)
	for i := range list {
		name := fmt.Sprintf("t%d", i)
		list[i] = offer{
			Tool:    Tool{Name: name, Token: Token(name), Description: "D", InputSchema: "{}"},
			settled: func(err error) { told[name] = fmt.Sprint(err) },
		}
	}
	return list
}

func TestHalvingFindsTheRefused(t *testing.T) {
	for name, test := range map[string]struct {
		tools int
		bad   string
		most  int // calls of Replace
	}{
		"none":           {tools: 8, most: 1},
		"one of eight":   {tools: 8, bad: "t3", most: 12},
		"first and last": {tools: 8, bad: "t0 t7", most: 20},
		"all":            {tools: 4, bad: "t0 t1 t2 t3", most: 12},
		"the only one":   {tools: 1, bad: "t0", most: 4},
	} {
		t.Run(name, func(t *testing.T) {
			bad := strings.Fields(test.bad)
			context := &fakeContext{kind: WholeSet, refuse: func(tool Tool) error {
				if strings.Contains(" "+test.bad+" ", " "+tool.Name+" ") {
					return errors.New("TypeError")
				}
				return nil
			}}
			told := map[string]string{}
			all := offers(test.tools, told)
			sharedSet{sets: NewSets(), context: context, owner: &Adapter{}}.apply(change{all: all})
			if len(context.tools) != test.tools-len(bad) {
				t.Errorf("the object has %s after %s", context.names(), context.told())
			}
			for _, o := range all {
				refused := strings.Contains(" "+test.bad+" ", " "+o.Name+" ")
				if got := told[o.Name]; refused != strings.Contains(got, "TypeError") || !refused && got != "<nil>" {
					t.Errorf("%s was told %q", o.Name, got)
				}
			}
			if len(context.log) > test.most {
				t.Errorf("%d calls, want at most %d: %s", len(context.log), test.most, context.told())
			}
		})
	}
}

func TestObjectThatTakesNothingIsNotSearched(t *testing.T) {
	context := &stubborn{}
	told := map[string]string{}
	sharedSet{sets: NewSets(), context: context, owner: &Adapter{}}.apply(change{all: offers(300, told)})
	if len(told) != 300 || !strings.Contains(told["t7"], "no permission") {
		t.Errorf("%d tools were told, t7 %q", len(told), told["t7"])
	}
	if context.calls > 3 {
		t.Errorf("%d calls of Replace for an object that refuses all of them", context.calls)
	}
}

// stubborn refuses every set.
type stubborn struct {
	fakeContext
	calls int
}

func (s *stubborn) Style() Style { return WholeSet }

func (s *stubborn) Replace([]Tool) error {
	s.calls++
	return errors.New("no permission")
}

func TestToolsAreCheckedBeforeTheSetIsReplaced(t *testing.T) {
	context := &fakeContext{kind: WholeSet}
	told := map[string]string{}
	all := offers(5, told)
	all[1].Name = "b a d"
	all[2].Description = ""
	all[3].InputSchema = `"{}"`
	all[4].Name = "t0"
	sharedSet{sets: NewSets(), context: context, owner: &Adapter{}}.apply(change{all: all})
	if got := context.told(); got != "replace t0" {
		t.Errorf("the object was told %s", got)
	}
	for _, name := range []string{"t1", "t2", "t3", "t4"} {
		if told[name] == "" || told[name] == "<nil>" {
			t.Errorf("%s was told %q, want why it was left out", name, told[name])
		}
	}
}

func TestAdaptersShareTheSetOfOneObject(t *testing.T) {
	sets := NewSets()
	p := newPage(t, WholeSet, func(o *Options) { o.Sets = sets })
	q := newPage(t, WholeSet, func(o *Options) {
		o.Sets = sets
		o.Find = func() ModelContext { return p.context }
	})
	p.register(p.button("a"))
	q.register(q.button("b"))
	clash := q.register(q.button("a"))
	p.start()
	q.start()
	p.wantTools("view_a__poke view_b__poke")
	if refused := q.adapter.Status().Refused; len(refused) != 1 || !strings.Contains(refused[0].Error, "another adapter") {
		t.Errorf("refused %v, want the name that is taken", refused)
	}
	wantOK(t, p.call("view_b__poke", `{"a":1}`), `{"a":1}`)
	if len(q.ran) != 1 || len(p.ran) != 0 {
		t.Errorf("ran %v and %v, want the call to reach its own registry", p.ran, q.ran)
	}
	p.adapter.Stop()
	p.host.Turn()
	p.wantTools("view_b__poke")
	q.adapter.Refresh()
	q.host.Turn()
	p.wantTools("view_a__poke view_b__poke")
	clash.Unregister()
	q.adapter.Stop()
	q.host.Turn()
	p.wantTools("")
	if len(sets.sets) != 0 {
		t.Errorf("%d sets are kept for nobody", len(sets.sets))
	}
}

func TestTokensOfAdaptersDiffer(t *testing.T) {
	p := newPage(t, BySignal)
	other := &fakeContext{kind: BySignal}
	second := New(Options{Host: p.host, Find: func() ModelContext { return other }})
	p.register(p.button("a"))
	p.start()
	if err := second.Start(Host{Registry: p.registry, Consumer: capability.Consumer{ID: "second", Kind: capability.WebMCPConsumer}}); err != nil {
		t.Fatal(err)
	}
	mine, theirs := p.context.tools[0], other.tools[0]
	if mine.Token == theirs.Token {
		t.Fatalf("both have the token %s", mine.Token)
	}
	theirs.Owner = p.adapter
	wantCode(t, p.callTool(theirs, `{}`), capability.CodeNotFound)
}

func TestSetOfWhichEverythingIsRefusedIsForgotten(t *testing.T) {
	sets := NewSets()
	p := newPage(t, WholeSet, func(o *Options) { o.Sets = sets })
	p.context.refuse = func(Tool) error { return errors.New("TypeError") }
	p.register(p.button("w"))
	p.start()
	p.adapter.Stop()
	if len(sets.sets) != 0 {
		t.Errorf("%d sets are kept for nobody", len(sets.sets))
	}
}
