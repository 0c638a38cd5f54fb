package e2e

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pagewarden/pagewarden/browser"
	"github.com/pagewarden/pagewarden/e2e/internal/suite"
)

// held is the tool that waits until the page lets it go on.
const held = "view_page__holder__hold"

// pageOf is the page of kept.html with an address for the module.
func pageOf(module string) string {
	return `<script src="/loading/record.js"></script>
		<script>globalThis.shows = []; addEventListener("pageshow", ({ persisted }) => shows.push(persisted));</script>
		<script src="/pagewarden.js" data-wasm="` + module + `"></script>
		<script type="module" src="/loading/kept.js"></script>`
}

// begin calls a tool and returns where its outcome will arrive.
func (p tab) begin(name, input string) <-chan callOutcome {
	ctx := suite.Within(p.T)
	done := make(chan callOutcome, 1)
	go func() {
		result, err := p.Call(ctx, name, []byte(input))
		done <- callOutcome{result, err}
	}()
	return done
}

type callOutcome struct {
	result browser.Result
	err    error
}

func (p tab) leave(path string) {
	p.T.Helper()
	if err := p.Navigate(suite.Within(p.T), fixture.URL+"/"+path); err != nil {
		p.T.Fatal(err)
	}
}

// back goes to the document before and waits until it offers its tools. What is evaluated while documents change is lost
// with the one that goes, so it is asked again.
func (p tab) back() {
	p.T.Helper()
	ctx := suite.Within(p.T)
	if _, err := p.Eval(ctx, "void setTimeout(() => history.back())"); err != nil {
		p.T.Fatal(err)
	}
	for {
		there, err := p.Eval(ctx, "globalThis.kept !== undefined")
		if err == nil && string(there) == "true" {
			return
		}
		select {
		case <-ctx.Done():
			p.T.Fatalf("going back: the page is not there: %s, %v", there, err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// TestBackForwardCache leaves a page and comes back, once idle and once in the middle of a call: a document that was
// kept goes on as it was, one that was not loads anew.
func TestBackForwardCache(t *testing.T) {
	for _, busy := range []bool{false, true} {
		t.Run(map[bool]string{false: "idle", true: "busy"}[busy], func(t *testing.T) {
			p := paste(t, pageOf("/pagewarden.wasm"), nil)
			p.Have(held, echo)
			callOnce(p)
			var lost <-chan callOutcome
			if busy {
				lost = p.begin(held, `{}`)
				p.Until("kept.waiting.held === 1")
			}
			p.leave("plain.html")
			p.Have("greet")
			if busy {
				mustBeGone(t, <-lost)
			}
			p.back()
			p.Have(held, echo)
			want := []string{"once"}
			if shows := see[[]bool](p, "shows"); slices.Equal(shows, []bool{false, true}) {
				want = append(want, "once")
				if busy {
					see[any](p, "kept.finish()")
					p.Until(`kept.waiting.ended.includes("view:page.holder.hold")`)
				}
			} else if !slices.Equal(shows, []bool{false}) {
				t.Errorf("the document was shown as %v", shows)
			}
			callOnce(p)
			if calls := see[[]string](p, "kept.calls"); !slices.Equal(calls, want) {
				t.Errorf("the calls ran as %q; want %q", calls, want)
			}
			before := see[int](p, "kept.waiting.held")
			again := p.begin(held, `{}`)
			p.Until(fmt.Sprintf("kept.waiting.held === %d", before+1))
			see[any](p, "kept.finish()")
			if got := <-again; got.err != nil || got.result.Value() != `"held"` {
				t.Errorf("the call after the return gave %+v", got)
			}
		})
	}
}

// TestBackWithoutCache comes back to a page that browsers do not keep.
func TestBackWithoutCache(t *testing.T) {
	p := paste(t, `<script>addEventListener("unload", () => {});</script>`+pageOf("/pagewarden.wasm"), http.Header{"Cache-Control": {"no-store"}})
	p.Have(held, echo)
	callOnce(p)
	p.leave("plain.html")
	p.back()
	p.Have(held, echo)
	callOnce(p)
	if shows, calls := see[[]bool](p, "shows"), see[[]string](p, "kept.calls"); !slices.Equal(shows, []bool{false}) || !slices.Equal(calls, []string{"once"}) {
		t.Errorf("the document was shown as %v and ran the calls %q; want a new one", shows, calls)
	}
}

func mustBeGone(t *testing.T, got callOutcome) {
	t.Helper()
	var gone *browser.GoneError
	if !errors.As(got.err, &gone) {
		t.Errorf("the call gave %+v; want that its page is gone", got)
	}
}

// loading opens a page whose module stops in the middle, and returns the module's address.
func openHeld(t *testing.T) (tab, string) {
	t.Helper()
	address := fresh("/wrong/held.wasm")
	p := paste(t, pageOf(address), nil)
	awaitRequests(t, address, 1)
	return p, address
}

func awaitRequests(t *testing.T, address string, n int) {
	t.Helper()
	ctx := suite.Within(t)
	for fixture.wrong.Requests(address) < n {
		select {
		case <-ctx.Done():
			t.Fatalf("%s was asked for %d times; want %d", address, fixture.wrong.Requests(address), n)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// TestReloadWhileLoading reloads a page whose module is half there, again and again.
func TestReloadWhileLoading(t *testing.T) {
	p, address := openHeld(t)
	for n := 2; n <= 4; n++ {
		if err := p.Reload(suite.Within(t)); err != nil {
			t.Fatal(err)
		}
		awaitRequests(t, address, n)
	}
	fixture.wrong.Release(address)
	p.Have(held, echo)
	callOnce(p)
	if told := see[[]string](p, `told.filter((line) => !line.includes("open authority"))`); len(told) > 0 {
		t.Errorf("the console was told %q", told)
	}
}

// TestLeavingWhileLoading leaves a page whose module is half there, and comes back.
func TestLeavingWhileLoading(t *testing.T) {
	p, address := openHeld(t)
	p.leave("plain.html")
	p.Have("greet")
	fixture.wrong.Release(address)
	p.back()
	p.Have(held, echo)
	callOnce(p)
}

// TestSlowLink looks at a page while its module comes: it has no tools and is not blocked, and whoever waits for ready
// gets the runtime in the end.
func TestSlowLink(t *testing.T) {
	p, address := openHeld(t)
	p.Have()
	var unknown *browser.UnknownToolError
	if _, err := p.Call(suite.Within(t), echo, []byte(`{"text":"early"}`)); !errors.As(err, &unknown) {
		t.Errorf("an early call gave %v; want that there is no such tool", err)
	}
	if ready := see[string](p, "new Promise((done) => setTimeout(() => done(readyYet), 0))"); ready != "waiting" {
		t.Errorf("the page says %q", ready)
	}
	see[any](p, `void (globalThis.early = PageWarden.ready.then((runtime) => runtime.encodeWireName("view:early.call")))`)
	fixture.wrong.Release(address)
	p.Have(held, echo)
	if got := see[string](p, "early"); got != "view_early__call" {
		t.Errorf("who waited got %q", got)
	}
	if ready := see[string](p, "readyYet"); ready != "ready" {
		t.Errorf("the page says %q", ready)
	}
}

// TestLinkLost loses the connection in the middle of the module: ready rejects, the console is told once, no tool appears.
func TestLinkLost(t *testing.T) {
	p := paste(t, pageOf("/wrong/lost.wasm?tag"), nil)
	p.Expected = []string{"/wrong/lost.wasm", "pagewarden: loading "}
	p.Until(`globalThis.readyYet !== undefined && readyYet !== "waiting"`)
	const want = "pagewarden: loading /wrong/lost.wasm?tag failed: "
	if ready := see[string](p, "readyYet"); !strings.HasPrefix(ready, want) || !strings.Contains(ready, "Network error") {
		t.Errorf("the page says %q", ready)
	}
	if told := see[[]string](p, "told"); len(told) != 1 || !strings.HasPrefix(told[0], "error "+want) {
		t.Errorf("the console was told %q", told)
	}
	p.Have()
}
