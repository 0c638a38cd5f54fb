package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// everyWay runs a test over each way, with an opener of plain.html for it. Two
// of them are the browser's own; for the others the page has a stand-in, and the
// matrix of e2e the browsers that had them.
func everyWay(t *testing.T, test func(t *testing.T, open func() *Page)) {
	for way, query := range map[Way]string{
		ByDevTools: "", ByExecuteToolObject: "", ByExecuteToolString: "?as=string", ByTesting: "?as=testing",
	} {
		t.Run(string(way), func(t *testing.T) {
			test(t, func() *Page {
				p := opened(t, "plain.html"+query)
				p.Use(way)
				waitFor(t, p, "instant")
				return p
			})
		})
	}
}

func TestEveryWayLists(t *testing.T) {
	everyWay(t, func(t *testing.T, open func() *Page) {
		p := open()
		tools, err := p.Tools(within(t, 10*time.Second))
		if err != nil {
			t.Fatal(err)
		}
		echo := toolNamed(t, tools, "echo")
		if echo.Description != "About echo" || !echo.Frame.Main || !strings.HasPrefix(echo.Frame.URL, address("plain.html")) {
			t.Errorf("echo is %+v", echo)
		}
		if want := `{"type":"object","properties":{"zulu":{"type":"string"},"alpha":{"type":"number"}}}`; string(echo.InputSchema) != want {
			t.Errorf("the schema of echo is %s, want %s", echo.InputSchema, want)
		}
		testing := p.wanted == ByTesting // which tells neither titles nor hints
		if titled := echo.Title == "Echo it"; titled == testing || echo.Annotations.ReadOnly == testing {
			t.Errorf("echo is %+v", echo)
		}
	})
}

func TestEveryWayNoticesChanges(t *testing.T) {
	everyWay(t, func(t *testing.T, open func() *Page) {
		p := open()
		for _, change := range []struct {
			script string
			enough func([]Tool) bool
		}{
			{`offers.abort()`, func(tools []Tool) bool { return !has(tools, "removable") }},
			{`offer("fresh", () => 1)`, func(tools []Tool) bool { return has(tools, "fresh") }},
			{`location.href = "empty.html"`, func(tools []Tool) bool { return len(tools) == 0 }},
		} {
			if strings.HasPrefix(change.script, "location") {
				p.Use("") // the next page has the browser's own ways alone
			}
			if _, err := p.Eval(within(t, 10*time.Second), change.script); err != nil {
				t.Fatal(err)
			}
			if tools, err := p.WaitForTools(within(t, 10*time.Second), change.enough); err != nil {
				t.Errorf("after %s: %v; there are %q", change.script, err, namesOf(tools))
			}
		}
	})
}

func TestEveryWayCalls(t *testing.T) {
	everyWay(t, func(t *testing.T, open func() *Page) {
		p := open()
		for name, want := range map[string]string{
			"text": `"plain text"`, "null": `null`, "zero": `0`, "false": `false`, "nothing": `"undefined"`, "mcp": `{"n":1}`,
		} {
			if got := value(t, p, name); got != want {
				t.Errorf("%s gives %s, want %s", name, got, want)
			}
		}
		for _, input := range []string{`{"zulu":"漢字 ü 🎈"}`, `{"zulu":"\" \u2028","alpha":1.5}`, `{"nested":{"list":[1,null,true,{"größe":1}]}}`, `{"名前":"a"}`} {
			result, err := p.Call(within(t, 10*time.Second), "echo", json.RawMessage(input))
			if err != nil || !sameJSON(t, string(result.Raw), input) {
				t.Errorf("echo of %s is %s, %v", input, result.Raw, err)
			}
		}
		result, err := p.Call(within(t, 10*time.Second), "mcp_error", nil)
		if err != nil || !result.IsError() || result.Value() != "not allowed" {
			t.Errorf("an error result is %s, %v", result.Raw, err)
		}
		for i := 1; i <= 100; i++ {
			if got := value(t, p, "instant"); got != fmt.Sprint(i) {
				t.Fatalf("call %d gives %s", i, got)
			}
		}
	})
}

func TestEveryWayFails(t *testing.T) {
	everyWay(t, func(t *testing.T, open func() *Page) {
		p := open()
		var failed *ToolError
		for _, name := range []string{"throws", "rejects", "throws_text"} {
			_, err := p.Call(within(t, 10*time.Second), name, nil)
			if !errors.As(err, &failed) || failed.Tool != name || failed.Message == "" {
				t.Errorf("%s gives %v", name, err)
			}
		}
		var unknown *UnknownToolError
		if _, err := p.Call(within(t, 10*time.Second), "ecko", nil); !errors.As(err, &unknown) || !slices.Contains(unknown.Nearest, "echo") {
			t.Errorf("an unknown tool gives %v", err)
		}
		removed := toolNamed(t, waitFor(t, p, "removable"), "removable")
		if _, err := p.Eval(within(t, 10*time.Second), `offers.abort()`); err != nil {
			t.Fatal(err)
		}
		if _, err := p.CallTool(within(t, 10*time.Second), removed, nil); !errors.As(err, &unknown) {
			t.Errorf("a removed tool gives %v", err)
		}
		removed.Frame.ID = "no such frame"
		if _, err := p.CallTool(within(t, 10*time.Second), removed, nil); !errors.As(err, &unknown) {
			t.Errorf("a tool of no frame gives %v", err)
		}
	})
}

func TestEveryWayGivesUp(t *testing.T) {
	everyWay(t, func(t *testing.T, open func() *Page) {
		p := open()
		var late *TimeoutError
		if _, err := p.Call(within(t, 100*time.Millisecond), "never", nil); !errors.As(err, &late) {
			t.Errorf("a tool that never answers gives %v", err)
		}
		waitInFlight(t, p, 0)
		if got := value(t, p, "text"); got != `"plain text"` {
			t.Errorf("after that the page answers %s", got)
		}
	})
}

// A page that is busy takes the call when its caller has given up already.
func TestEveryWayCancelsWhatStartsLate(t *testing.T) {
	everyWay(t, func(t *testing.T, open func() *Page) {
		p := open()
		ctx := within(t, 20*time.Second)
		if _, err := p.Call(within(t, 100*time.Millisecond), "watched", nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the call ended with %v", err)
		}
		eventually(t, p, "started === 1 && aborted === 1")
		tools, err := p.Tools(ctx)
		if err != nil {
			t.Fatal(err)
		}
		const busy = `setTimeout(() => { const end = Date.now() + 500; while (Date.now() < end); })`
		if _, err := p.Eval(ctx, busy); err != nil {
			t.Fatal(err)
		}
		if _, err := p.CallTool(within(t, 200*time.Millisecond), toolNamed(t, tools, "watched"), nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the call of the busy page ended with %v", err)
		}
		if got := value(t, p, "text"); got != `"plain text"` { // which comes after it
			t.Errorf("the page answers %s", got)
		}
		eventually(t, p, "started === aborted")
	})
}

// eventually waits until an expression is true in the page.
func eventually(t *testing.T, p *Page, expression string) {
	t.Helper()
	look := `new Promise((done) => { const look = () => (` + expression + ` ? done() : setTimeout(look, 5)); look(); })`
	if _, err := p.Eval(within(t, 10*time.Second), look); err != nil {
		t.Errorf("waiting until %s: %v", expression, err)
	}
}

func TestEveryWayLosesItsPage(t *testing.T) {
	everyWay(t, func(t *testing.T, open func() *Page) {
		for name, end := range map[string]func(p *Page) error{
			"close":    func(p *Page) error { return p.Close() },
			"navigate": func(p *Page) error { return p.Navigate(within(t, 10*time.Second), address("empty.html")) },
		} {
			p := open()
			ended := make(chan error, 1)
			go func() {
				_, err := p.Call(within(t, 20*time.Second), "never", nil)
				ended <- err
			}()
			waitInFlight(t, p, 1)
			if err := end(p); err != nil {
				t.Fatal(err)
			}
			var lost *GoneError
			if err := <-ended; !errors.As(err, &lost) {
				t.Errorf("%s: the call ended with %v, want a *GoneError", name, err)
			}
		}
		p := open()
		var lost *GoneError
		if _, err := p.Call(within(t, 20*time.Second), "leaves", nil); !errors.As(err, &lost) || !strings.Contains(err.Error(), "empty.html") {
			t.Errorf("a tool that leaves gives %v", err)
		}
	})
}

func TestEveryWayComesBack(t *testing.T) {
	everyWay(t, func(t *testing.T, open func() *Page) {
		p := open()
		ctx := within(t, 30*time.Second)
		if _, err := p.Eval(ctx, `globalThis.kept = true`); err != nil {
			t.Fatal(err)
		}
		if err := p.Navigate(ctx, address("empty.html")); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Eval(ctx, `history.back()`); err != nil {
			t.Fatal(err)
		}
		waitFor(t, p, "echo")
		if kept, err := p.Eval(ctx, `globalThis.kept === true`); err != nil || string(kept) != "true" {
			t.Errorf("it is another document: %s, %v", kept, err)
		}
		if got := value(t, p, "text"); got != `"plain text"` {
			t.Errorf("after going back the page answers %s", got)
		}
	})
}

func TestFramesFromTheirPages(t *testing.T) {
	p := opened(t, "frames.html")
	p.Use(ByExecuteToolObject)
	tools := waitFor(t, p, "outer", "never_same", "never_other")
	if first := tools[0]; first.Name != "outer" || !first.Frame.Main {
		t.Errorf("the first tool is %+v, want the main frame's", first)
	}
	for name, want := range map[string]string{"only_same": `"same"`, "only_other": `"other"`, "shared": `"main"`} {
		if got := value(t, p, name); got != want {
			t.Errorf("%s gives %s, want %s", name, got, want)
		}
	}
	for index, side := range []string{"same", "other"} {
		ended := make(chan error, 1)
		go func() {
			_, err := p.Call(within(t, 20*time.Second), "never_"+side, nil)
			ended <- err
		}()
		waitInFlight(t, p, 1)
		const remove = `document.querySelector("iframe").remove()`
		if _, err := p.Eval(within(t, 10*time.Second), remove); err != nil {
			t.Fatal(err)
		}
		var lost *GoneError
		if err := <-ended; !errors.As(err, &lost) {
			t.Errorf("the call ended with %v, want a *GoneError", err)
		}
		if _, err := p.WaitForTools(within(t, 10*time.Second), func(tools []Tool) bool {
			return !has(tools, "only_"+side) && has(tools, "outer") && len(tools) == 6-4*index
		}); err != nil {
			t.Error(err)
		}
	}
}

func TestWayThatIsNotThere(t *testing.T) {
	p := opened(t, "plain.html")
	p.Use(ByTesting)
	_, err := p.Tools(within(t, 10*time.Second))
	var none *NoWebMCPError
	if !errors.As(err, &none) || !strings.Contains(err.Error(), string(ByTesting)) {
		t.Errorf("got %v", err)
	}
	p.Use("")
	waitFor(t, p, "echo")
	ways, err := p.Ways(within(t, 10*time.Second))
	if err != nil || !slices.Equal(ways, []Way{ByDevTools, ByExecuteToolObject}) {
		t.Errorf("the ways are %q, %v", ways, err)
	}
}
