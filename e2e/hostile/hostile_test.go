package hostile

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pagewarden/pagewarden/browser"
)

const (
	// tabs is how many tabs share the cases: each has a process of its own.
	tabs = 2
	// patience is how long all cases of a tab may take, on a machine that does much else.
	patience = 10 * time.Minute
)

// only narrows a run while one works on a finding.
var only = flag.String("targets", "", "a regular expression of the targets to patch; all if empty")

// setup is what suite.js needs to open a build.
type setup struct {
	Script  string   `json:"script"`
	Options []string `json:"options"`
	Reads   []string `json:"reads"`
}

// calm is what a build does when nobody attacks it.
type calm struct {
	Leaks     []string
	Again     string
	Lines     int
	Targets   []string
	Attackers []string
}

// oneCase is one attack.
type oneCase struct {
	Target   string `json:"target"`
	Attacker string `json:"attacker"`
	How      string `json:"how"`
}

// row is what a case came to; nothing found means that the attack had no effect.
type row struct {
	Target, Attacker string
	Found            []string
}

// tab is a page with a build in it.
type tab struct {
	*browser.Page
	t *testing.T
}

// open opens the suite's page with one build of the script.
func open(t *testing.T, script string) (*tab, calm) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	page, err := fixture.browser.Open(ctx, fixture.server.URL+"/index.html")
	if err != nil {
		t.Fatal(err)
	}
	p := &tab{page, t}
	t.Cleanup(p.finish)
	options, err := optionNames(fixture.root)
	if err != nil {
		t.Fatal(err)
	}
	reads, err := namesRead(fixture.root)
	if err != nil {
		t.Fatal(err)
	}
	return p, ask[calm](ctx, p, "open", setup{script, options, reads})
}

// finish fails the test for what the suite's own page has in its console; the realms have a console of the suite's.
func (p *tab) finish() {
	for _, m := range p.Console() {
		p.t.Errorf("the suite's page has %s in its console: %s (%s:%d)", m.Kind, m.Text, m.URL, m.Line)
	}
	if err := p.Close(); err != nil {
		p.t.Error(err)
	}
}

// ask calls a function of suite.js.
func ask[T any](ctx context.Context, p *tab, function string, argument any) T {
	p.t.Helper()
	given, err := json.Marshal(argument)
	if err != nil {
		p.t.Fatal(err)
	}
	raw, err := p.Eval(ctx, fmt.Sprintf("import('/suite.js').then((suite) => suite.%s(%s))", function, given))
	if err != nil {
		p.t.Fatal(err)
	}
	var answer T
	if err := json.Unmarshal(raw, &answer); err != nil {
		p.t.Fatalf("suite.%s gave %s: %v", function, raw, err)
	}
	return answer
}

// run shares cases among tabs and returns their rows in the order of the cases.
func run(t *testing.T, script string, cases []oneCase) []row {
	t.Helper()
	rows := make([]row, len(cases))
	var work sync.WaitGroup
	for i := range tabs {
		p, _ := open(t, script)
		work.Go(func() {
			var mine []oneCase
			for at := i; at < len(cases); at += tabs {
				mine = append(mine, cases[at])
			}
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			for at, r := range ask[[]row](ctx, p, "run", mine) {
				rows[i+at*tabs] = r
			}
		})
	}
	work.Wait()
	return rows
}

// casesOf lists all attacks on targets, in their order.
func casesOf(targets, attackers []string, how string) []oneCase {
	var cases []oneCase
	for _, target := range targets {
		for _, attacker := range attackers {
			cases = append(cases, oneCase{target, attacker, how})
		}
	}
	return cases
}

func matching(targets []string, expr string) []string {
	pattern := regexp.MustCompile(expr)
	return slices.DeleteFunc(slices.Clone(targets), func(name string) bool { return !pattern.MatchString(name) })
}

func report(t *testing.T, start time.Time, rows []row) {
	t.Log(time.Since(start), len(rows))
	for _, r := range rows {
		if len(r.Found) > 0 {
			t.Errorf("%s, %s: %s", r.Target, r.Attacker, strings.Join(r.Found[:min(4, len(r.Found))], "\n\t"))
		}
	}
}

func TestAfterLoad(t *testing.T) {
	_, c := open(t, "/pagewarden.js")
	if len(c.Leaks) > 0 || c.Again != "" {
		t.Fatal(c.Leaks, c.Again)
	}
	start := time.Now()
	report(t, start, run(t, "/pagewarden.js", casesOf(matching(c.Targets, *only), c.Attackers, "")))
}

const network = `^(Response|Headers|URL|fetch|ArrayBuffer|WebAssembly|Object\.prototype\.then|Promise|Error.prototype.name|the prototype of Uint8Array)`

func TestBeforeLoad(t *testing.T) {
	_, c := open(t, "/pagewarden.js")
	start := time.Now()
	targets := matching(c.Targets, *only)
	cases := append(casesOf(targets, c.Attackers[:1], "module"), casesOf(matching(targets, network), c.Attackers, "address")...)
	cases = append(cases, casesOf(matching(targets, network), c.Attackers, "plain")...)
	report(t, start, run(t, "/pagewarden.js", cases))
}

func TestStock(t *testing.T) {
	_, c := open(t, "/stock.js")
	t.Log(c.Leaks, c.Again)
	start := time.Now()
	report(t, start, run(t, "/stock.js", casesOf(matching(c.Targets, *only), c.Attackers[:1], "")))
}
