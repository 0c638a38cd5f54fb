package suite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto"

	"github.com/pagewarden/pagewarden/browser"
)

// Patience is how long a sound page needs at most for one thing, on a machine that does much else.
const Patience = 40 * time.Second

// Within returns a context that no sound page outlives.
func Within(t *testing.T) context.Context {
	t.Helper()
	return For(t, Patience)
}

// For returns a context that ends after that time, or with the test.
func For(t *testing.T, limit time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	t.Cleanup(cancel)
	return ctx
}

// Tab is a page of one test.
type Tab struct {
	*browser.Page
	T *testing.T
	// Expected are texts, or parts of addresses, of errors in the console that belong to the test.
	Expected []string

	heard *int // how much of the console has been looked at
}

// Open opens a page. At the end of the test it fails for exceptions and errors in the page's console that nobody
// expected, and the tab is closed.
func Open(t *testing.T, b *browser.Browser, address string) *Tab {
	t.Helper()
	page, err := b.Open(Within(t), address)
	if err != nil {
		t.Fatal(err)
	}
	p := &Tab{Page: page, T: t, heard: new(int)}
	t.Cleanup(func() {
		p.Listen()
		if err := page.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// Of is the same tab for a test inside the test.
func (p *Tab) Of(t *testing.T) *Tab { return &Tab{Page: p.Page, T: t, heard: p.heard} }

// Forget takes no account of what the page has said so far.
func (p *Tab) Forget() { *p.heard = len(p.Console()) }

// Listen fails the test for what the page has complained of so far, each message once.
func (p *Tab) Listen() {
	p.T.Helper()
	console := p.Console()
	for _, m := range complaints(console[min(*p.heard, len(console)):], p.Expected) {
		p.T.Errorf("the page has %s in its console: %s (%s:%d)", m.Kind, m.Text, m.URL, m.Line)
	}
	*p.heard = len(console)
}

// complaints are the exceptions and errors among messages that nobody expected.
func complaints(messages []browser.Message, expected []string) []browser.Message {
	var list []browser.Message
	for _, m := range messages {
		bad := m.IsException() || m.Kind == "error" || m.Kind == "assert"
		if bad && !slices.ContainsFunc(expected, func(text string) bool { return strings.Contains(m.Text+" "+m.URL, text) }) {
			list = append(list, m)
		}
	}
	return list
}

// digest is a console as lines for a person: what was said more than once stands there once.
func digest(messages []browser.Message) string {
	var lines []string
	counts := map[string]int{}
	for _, m := range messages {
		line := m.Kind + ": " + m.Text
		if counts[line]++; counts[line] == 1 {
			lines = append(lines, line)
		}
	}
	var b strings.Builder
	for _, line := range lines {
		fmt.Fprintf(&b, "\n\t%s", line)
		if n := counts[line]; n > 1 {
			fmt.Fprintf(&b, " (%d times)", n)
		}
	}
	return b.String()
}

// look is a promise of a condition of the page.
const look = `new Promise((done) => { const look = () => ((%s) ? done(true) : setTimeout(look, 5)); look(); })`

// Until waits until a JavaScript expression is true in the page.
func (p *Tab) Until(expression string) {
	p.T.Helper()
	if _, err := p.Eval(Within(p.T), fmt.Sprintf(look, expression)); err != nil {
		p.lost(expression, err)
	}
}

// Arrives waits until a JavaScript expression is true in the page, in the next one if the page goes meanwhile.
func (p *Tab) Arrives(expression string) {
	p.T.Helper()
	ctx := Within(p.T)
	for {
		_, err := p.Eval(ctx, fmt.Sprintf(look, expression))
		var gone *cdproto.Error
		switch {
		case err == nil:
			return
		case !errors.As(err, &gone):
			p.lost(expression, err)
		}
	}
}

func (p *Tab) lost(expression string, err error) {
	p.T.Helper()
	p.T.Fatalf("waiting until %s: %v; the console has%s", expression, err, digest(p.Console()))
}

// See evaluates a JavaScript expression and returns its value.
func See[T any](p *Tab, expression string) T {
	p.T.Helper()
	var value T
	raw, err := p.Eval(Within(p.T), expression)
	if err != nil {
		p.T.Fatalf("%s: %v", expression, err)
	}
	if err := json.Unmarshal(raw, &value); err != nil {
		p.T.Fatalf("%s is %s: %v", expression, raw, err)
	}
	return value
}

// Have waits until the page has exactly the tools of those names.
func (p *Tab) Have(names ...string) []browser.Tool {
	p.T.Helper()
	slices.Sort(names)
	tools, err := p.WaitForTools(Within(p.T), func(tools []browser.Tool) bool { return slices.Equal(NamesOf(tools), names) })
	if err != nil {
		p.T.Fatalf("%v; the page has %q; want %q", err, NamesOf(tools), names)
	}
	return tools
}

// NamesOf are the names of tools, in order; [] without any.
func NamesOf(tools []browser.Tool) []string {
	names := []string{}
	for _, tool := range tools {
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	return names
}
