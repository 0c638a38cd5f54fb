package hostile

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/pagewarden/pagewarden/browser"
	"github.com/pagewarden/pagewarden/e2e/internal/suite"
)

const (
	// tabs is how many tabs share the cases; each has a process of its own.
	tabs = 2
	// chunk is how many cases a tab takes at a time.
	chunk = 48
	// patience is how long a chunk may take at most, on a machine that does much else.
	patience = 5 * time.Minute
)

// setup is what suite.js needs to open a build.
type setup struct {
	Script  string   `json:"script"`
	Options []string `json:"options"`
	Reads   []string `json:"reads"`
}

// target is something to patch: who does it, and when.
type target struct {
	Name      string
	Times     []string
	Attackers []string
}

// calm is what a build does when nobody attacks it.
type calm struct {
	Targets []target
	Leaks   []string
	Again   string
	Lines   int
}

// oneCase is one attack.
type oneCase struct {
	Target   string `json:"target"`
	Attacker string `json:"attacker"`
	Time     string `json:"time"`
}

// before reports that the attack begins before load is called.
func (c oneCase) before() bool { return c.Time != "after" && c.Time != "fresh" }

// row is what came of a case: nothing found means that the attack had no effect.
type row struct {
	oneCase
	found []string
}

// bench is a build of the script in several tabs.
type bench struct {
	calm
	pages []*browser.Page
}

// open opens the suite's page with a build of the script, in every tab.
func open(t *testing.T, script string) *bench {
	t.Helper()
	options, err := optionNames(fixture.Root)
	if err != nil {
		t.Fatal(err)
	}
	reads, err := namesRead(fixture.Root)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{}
	for range tabs {
		page, err := fixture.Browser.Open(suite.For(t, patience), fixture.URL+"/index.html")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { finish(t, page) })
		if b.calm, err = ask[calm](suite.For(t, patience), page, "open", setup{script, options, reads}); err != nil {
			t.Fatal(err)
		}
		b.pages = append(b.pages, page)
	}
	return b
}

// finish fails the test for what the suite's own page has in its console; the realms have a console of the suite's.
func finish(t *testing.T, page *browser.Page) {
	for _, m := range page.Console() {
		t.Errorf("the suite's page has %s in its console: %s (%s:%d)", m.Kind, m.Text, m.URL, m.Line)
	}
	if err := page.Close(); err != nil {
		t.Error(err)
	}
}

// ask calls a function of suite.js.
func ask[T any](ctx context.Context, page *browser.Page, function string, argument any) (T, error) {
	var answer T
	given, err := json.Marshal(argument)
	if err != nil {
		return answer, fmt.Errorf("asking %s: %w", function, err)
	}
	raw, err := page.Eval(ctx, fmt.Sprintf("import('/suite.js').then((suite) => suite.%s(%s))", function, given))
	if err != nil {
		return answer, fmt.Errorf("asking %s: %w", function, err)
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return answer, fmt.Errorf("reading what %s gave: %w", function, err)
	}
	return answer, nil
}

// aboutMemory reports that a target may lead to the module's memory: each attack on it has a realm of its own.
func (b *bench) aboutMemory(name string) bool {
	return slices.ContainsFunc(b.Targets, func(t target) bool { return t.Name == name && slices.Contains(t.Times, "fresh") })
}

// run shares cases among the tabs and returns their rows in the order of the cases.
func (b *bench) run(t *testing.T, cases []oneCase) []row {
	t.Helper()
	rows := make([]row, len(cases))
	starts := make(chan int, len(cases)/chunk+1)
	for at := 0; at < len(cases); at += chunk {
		starts <- at
	}
	close(starts)
	var work sync.WaitGroup
	for _, page := range b.pages {
		work.Go(func() {
			for at := range starts {
				part := cases[at:min(at+chunk, len(cases))]
				found, err := ask[[][]string](suite.For(t, patience), page, "run", part)
				if err != nil || len(found) != len(part) {
					t.Errorf("%d cases from %+v gave %d rows: %v", len(part), part[0], len(found), err)
					return
				}
				for i, one := range found {
					rows[at+i] = row{part[i], one}
				}
			}
		})
	}
	work.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return rows
}

// cases lists the attacks of a build that wanted admits, in their order.
func (b *bench) cases(wanted func(oneCase) bool) []oneCase {
	var cases []oneCase
	for _, target := range b.Targets {
		for _, time := range target.Times {
			for _, attacker := range target.Attackers {
				if c := (oneCase{target.Name, attacker, time}); wanted(c) {
					cases = append(cases, c)
				}
			}
		}
	}
	return cases
}
