package mcpbridge

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pagewarden/pagewarden/browser"
)

func TestListAndCall(t *testing.T) {
	find := own("orders_find")
	find.Title, find.InputSchema = "Find", json.RawMessage(`{"type":"object","properties":{"z":true,"a":true}}`)
	find.Annotations.ReadOnly = true
	cancel := own("orders.cancel")
	cancel.Annotations = browser.Annotations{ReadOnly: true, Consequential: true, UntrustedContent: true}
	page := newFakePage(find, cancel, framed("total", frameURL))
	bridged(t, func(w *world) {
		session, _ := w.client()
		tools := w.tools(session)
		if len(tools) != 3 {
			w.Fatalf("the tools are %q", w.names(session))
		}
		cancelled, found, total := tools[0], tools[1], tools[2]
		if found.Title != "Find" || found.Description != "About orders_find" || !found.Annotations.ReadOnlyHint || found.Meta[metaOrigin] != "http://localhost" {
			w.Errorf("a tool is %s", textOf(found))
		}
		if a := cancelled.Annotations; a.ReadOnlyHint || a.DestructiveHint == nil || !*a.DestructiveHint || cancelled.Meta[metaName] != "orders.cancel" {
			w.Errorf("a tool is %s", textOf(cancelled))
		}
		if total.Meta[metaFrame] != "http://other.example/widget" || total.Meta[metaOrigin] != "http://other.example" {
			w.Errorf("a tool is %s", textOf(total))
		}
		for name, want := range map[string]string{found.Name: "orders_find", cancelled.Name: "orders.cancel", total.Name: "total"} {
			if text, isError := w.answer(session, name, `{"z":"ü","a":1}`); isError || text != `["`+want+`","{\"z\":\"ü\",\"a\":1}"]` {
				w.Errorf("%s gives %s", name, text)
			}
		}
		for _, want := range []string{"orders.cancel", "counts as consequential", cancelled.Name} {
			if !strings.Contains(w.logged(), want) {
				w.Errorf("the log lacks %q: %s", want, w.logged())
			}
		}
	}, opening{page: page, takes: 2 * time.Second})
}

// The first list has what the page offers when it is ready, not what it has at first.
func TestFirstListWaits(t *testing.T) {
	page := newFakePage()
	bridged(t, func(w *world) {
		session, _ := w.client()
		go func() {
			time.Sleep(time.Second)
			page.has(own("a"))
			time.Sleep(200 * time.Millisecond)
			page.has(own("a"), own("b"))
		}()
		w.lists(session, "a", "b")
		if took := time.Since(w.began); took != 1500*time.Millisecond {
			w.Errorf("it took %s", took)
		}
	}, opening{page: page, takes: time.Second})
}

func TestListOfPageWithoutTools(t *testing.T) {
	bridged(t, func(w *world) {
		session, _ := w.client()
		w.lists(session)
		if took := time.Since(w.began); took != 3*time.Second {
			w.Errorf("it took %s", took)
		}
	}, opening{page: newFakePage()})
}

// A page whose tools never come to rest is not waited for without end.
func TestListOfRestlessPage(t *testing.T) {
	page := newFakePage()
	bridged(t, func(w *world) {
		session, _ := w.client()
		ctx, cancel := context.WithCancel(w.Context())
		defer cancel()
		go func() {
			for n := range 100 {
				page.has(own("a" + string(rune('a'+n%20))))
				select {
				case <-time.After(100 * time.Millisecond):
				case <-ctx.Done():
					return
				}
			}
		}()
		if names := w.names(session); len(names) != 1 {
			w.Errorf("the tools are %q", names)
		}
		if took := time.Since(w.began); took > 4*time.Second {
			w.Errorf("it took %s", took)
		}
	}, opening{page: page})
}

func TestListChanges(t *testing.T) {
	page := newFakePage(own("a"), own("b"))
	bridged(t, func(w *world) {
		session, changes := w.client()
		w.lists(session, "a", "b")
		settled := func(want int, names ...string) {
			w.Helper()
			time.Sleep(time.Second)
			if changes() != want {
				w.Errorf("there were %d notices, want %d", changes(), want)
			}
			w.lists(session, names...)
		}
		before := changes()
		page.has(own("b"), own("c"))
		settled(before+1, "b", "c")
		page.has(own("b"), own("c"))
		settled(before+1, "b", "c")
		other := own("c")
		other.Description = "Another"
		page.has(own("b"), other)
		settled(before+2, "b", "c")
		page.has()
		time.Sleep(5 * time.Second)
		settled(before + 3)
		page.has(own("a"))
		settled(before+4, "a")
	}, opening{page: page})
}

// A reload with the same tools is no news, and a call waits for them.
func TestReload(t *testing.T) {
	page := newFakePage(own("a"), own("b"))
	bridged(t, func(w *world) {
		session, changes := w.client()
		w.lists(session, "a", "b")
		time.Sleep(time.Second)
		before := changes()
		page.has()
		go func() {
			time.Sleep(time.Second)
			page.has(own("a"))
			time.Sleep(100 * time.Millisecond)
			page.has(own("a"), own("b"))
		}()
		synctest.Wait()
		if text, isError := w.answer(session, "b", `{}`); isError || text != `["b","{}"]` {
			w.Errorf("the call gives %s", text)
		}
		w.lists(session, "a", "b")
		time.Sleep(time.Second)
		if changes() != before {
			w.Errorf("there were %d notices", changes()-before)
		}
	}, opening{page: page})
}

func TestUnknownTool(t *testing.T) {
	page := newFakePage(own("orders_find"), own("orders_list"))
	bridged(t, func(w *world) {
		session, _ := w.client()
		w.lists(session, "orders_find", "orders_list")
		_, err := session.CallTool(w.Context(), &mcp.CallToolParams{Name: "order_find"})
		var fault *jsonrpc.Error
		if !errors.As(err, &fault) || fault.Code != jsonrpc.CodeInvalidParams || !strings.Contains(fault.Message, `did you mean "orders_find"`) ||
			!strings.Contains(string(fault.Data), `"CAPABILITY_NOT_FOUND"`) {
			w.Errorf("the call gives %v", err)
		}
		page.has(own("orders_find"))
		time.Sleep(time.Second)
		if p := w.refuses(session, "orders_list", "CAPABILITY_NOT_FOUND"); p.Retry != "after-refresh" {
			w.Errorf("the error is %+v", p)
		}
	}, opening{page: page})
}

// A page that is lost is opened again at once; until then, what it had stands.
func TestLostPage(t *testing.T) {
	first, second := newFakePage(own("a")), newFakePage(own("a"), own("b"))
	first.execute = func(ctx context.Context, _ browser.Tool, _ json.RawMessage) (browser.Result, error) {
		<-ctx.Done()
		return browser.Result{}, context.Cause(ctx)
	}
	bridged(t, func(w *world) {
		session, _ := w.client()
		w.lists(session, "a")
		time.Sleep(time.Minute)
		first.loss <- errGone
		synctest.Wait()
		if text, isError := w.answer(session, "a", `null`); isError || text != `["a","null"]` {
			w.Errorf("the call gives %s", text)
		}
		w.lists(session, "a", "b")
		if !first.closed {
			w.Error("the lost page is still open")
		}
		if len(w.attempts) != 2 || w.attempts[1] != w.attempts[0]+time.Minute+quiet {
			w.Errorf("it was opened at %s", w.attempts)
		}
	}, opening{page: first}, opening{page: second, takes: 2 * time.Second})
}

// A call may find its tool gone before the bridge knows of it: the page reloads.
func TestCallDuringReload(t *testing.T) {
	page := newFakePage(own("a"))
	calls := 0
	execute := page.execute
	page.execute = func(ctx context.Context, tool browser.Tool, input json.RawMessage) (browser.Result, error) {
		if calls++; calls > 1 {
			return execute(ctx, tool, input)
		}
		page.has()
		time.AfterFunc(time.Second, func() { page.has(own("a")) })
		return browser.Result{}, &browser.UnknownToolError{Name: "a"}
	}
	bridged(t, func(w *world) {
		session, _ := w.client()
		if text, isError := w.answer(session, "a", `{}`); isError || text != `["a","{}"]` {
			w.Errorf("the call gives %s", text)
		}
		w.lists(session, "a")
		calls = 0
		page.execute = func(context.Context, browser.Tool, json.RawMessage) (browser.Result, error) {
			calls++
			return browser.Result{}, &browser.UnknownToolError{Name: "a"}
		}
		w.refuses(session, "a", "CAPABILITY_NOT_FOUND")
		if calls != 1 {
			w.Errorf("without a change it was tried %d times", calls)
		}
	}, opening{page: page})
}

// A call that finds its page lost, before the bridge knows of it, was not started.
func TestCallOfLostPage(t *testing.T) {
	first, second := newFakePage(own("a")), newFakePage(own("a"))
	first.execute = func(context.Context, browser.Tool, json.RawMessage) (browser.Result, error) {
		first.loss <- errGone
		return browser.Result{}, &browser.GoneError{What: "the page", Reason: "it has crashed", Before: true}
	}
	bridged(t, func(w *world) {
		session, _ := w.client()
		if text, isError := w.answer(session, "a", `{}`); isError || text != `["a","{}"]` {
			w.Errorf("the call gives %s", text)
		}
	}, opening{page: first}, opening{page: second, takes: time.Second})
}

func TestUnreachablePage(t *testing.T) {
	page := newFakePage(own("a"))
	refused := &browser.UnreachableError{URL: mainURL, Cause: errors.New("net::ERR_CONNECTION_REFUSED")}
	bridged(t, func(w *world) {
		session, changes := w.client()
		w.lists(session)
		p := w.refuses(session, "a", "CAPABILITY_NOT_AVAILABLE")
		if p.Details.Reason != "page-unreachable" || !strings.Contains(p.Message, "CONNECTION_REFUSED") || !strings.Contains(p.Message, "not called") {
			w.Errorf("the error is %+v", p)
		}
		time.Sleep(13 * time.Second)
		w.lists(session, "a")
		want := []time.Duration{0, 1 * time.Second, 3 * time.Second, 7 * time.Second, 12 * time.Second}
		if !slices.Equal(w.attempts, want) || changes() != 1 {
			w.Errorf("it was tried at %s, want %s; %d notices", w.attempts, want, changes())
		}
	}, opening{err: refused}, opening{err: refused}, opening{err: refused}, opening{err: refused}, opening{page: page})
}

// A page that never loads keeps nobody waiting for longer than the limit.
func TestPageThatHangs(t *testing.T) {
	bridged(t, func(w *world) {
		session, _ := w.client()
		w.lists(session)
		if took := time.Since(w.began); took != 15*time.Second {
			w.Errorf("it took %s", took)
		}
		w.refuses(session, "a", "CAPABILITY_NOT_AVAILABLE")
	}, opening{takes: time.Hour, page: newFakePage()})
}

// A page that is lost as soon as it is there is not opened in a loop.
func TestPageThatCrashesAtOnce(t *testing.T) {
	page := newFakePage()
	bridged(t, func(w *world) {
		for range 8 {
			page.loss <- errGone
			synctest.Wait()
		}
		want := []time.Duration{0, 0, 0, 0, 5 * time.Second, 10 * time.Second, 15 * time.Second}
		if got := w.attempts[:min(len(w.attempts), len(want))]; !slices.Equal(got, want) {
			w.Errorf("it was opened at %s, want %s", w.attempts, want)
		}
	}, opening{page: page})
}

func TestErrorPage(t *testing.T) {
	first, second := newFakePage(own("a")), newFakePage(own("b"))
	bridged(t, func(w *world) {
		session, _ := w.client()
		w.lists(session, "a")
		time.Sleep(time.Minute)
		first.sights <- sight{err: &browser.NoWebMCPError{Offer: browser.Offer{URL: "chrome-error://chromewebdata/"}}}
		synctest.Wait()
		w.lists(session, "b")
	}, opening{page: first}, opening{page: second})
}

func TestPageWithoutWebMCP(t *testing.T) {
	page := newFakePage(own("a"))
	bridged(t, func(w *world) {
		session, _ := w.client()
		w.lists(session, "a")
		page.sights <- sight{err: &browser.NoWebMCPError{Flag: true, Offer: browser.Offer{URL: "http://h/", Secure: true}, Version: "Chrome/1"}}
		synctest.Wait()
		if p := w.refuses(session, "a", "CAPABILITY_NOT_AVAILABLE"); p.Details.Reason != "page-without-webmcp" {
			w.Errorf("the error is %+v", p)
		}
		page.has(own("c")) // a polyfill, or another page
		time.Sleep(time.Second)
		w.lists(session, "c")
	}, opening{page: page})
}

func TestUnusable(t *testing.T) {
	bridged(t, func(w *world) {
		synctest.Wait()
		if !errors.Is(w.ended, browser.ErrNoBrowser) {
			w.Errorf("it ended with %v", w.ended)
		}
		session, _ := w.client()
		w.lists(session)
		w.refuses(session, "a", "CAPABILITY_NOT_AVAILABLE")
	}, opening{err: &UnusableError{browser.ErrNoBrowser}})
}

// Later, a browser that does not start may start again.
func TestUnusableLater(t *testing.T) {
	first := newFakePage(own("a"))
	bridged(t, func(w *world) {
		session, _ := w.client()
		w.lists(session, "a")
		first.loss <- errGone
		time.Sleep(time.Minute)
		w.lists(session, "b")
	}, opening{page: first}, opening{err: &UnusableError{browser.ErrNoBrowser}}, opening{page: newFakePage(own("b"))})
}

func TestCancelledCall(t *testing.T) {
	page := newFakePage(own("a"))
	bridged(t, func(w *world) {
		told := make(chan error, 1)
		page.execute = func(ctx context.Context, _ browser.Tool, _ json.RawMessage) (browser.Result, error) {
			<-ctx.Done()
			told <- ctx.Err()
			return browser.Result{}, ctx.Err()
		}
		session, _ := w.client()
		calling, cancel := context.WithTimeout(w.Context(), 5*time.Second)
		defer cancel()
		if _, err := session.CallTool(calling, &mcp.CallToolParams{Name: "a"}); !errors.Is(err, context.DeadlineExceeded) {
			w.Errorf("the call gives %v", err)
		}
		if err := <-told; !errors.Is(err, context.Canceled) {
			w.Errorf("the page was told %v", err)
		}
		w.lists(session, "a")
	}, opening{page: page})
}

func TestCallThatLasts(t *testing.T) {
	page := newFakePage(own("a"))
	page.execute = func(ctx context.Context, tool browser.Tool, _ json.RawMessage) (browser.Result, error) {
		<-ctx.Done()
		return browser.Result{}, &browser.TimeoutError{Tool: tool.Name, After: 10 * time.Minute}
	}
	bridged(t, func(w *world) {
		session, _ := w.client()
		if p := w.refuses(session, "a", "TIMEOUT"); p.Details.Progress != "may-have-happened" {
			w.Errorf("the error is %+v", p)
		}
		if took := time.Since(w.began); took < 10*time.Minute {
			w.Errorf("it took %s", took)
		}
	}, opening{page: page})
}

// A page that is caught in a loop is opened again, once a call of it has taken
// too long; one that still answers is left alone.
func TestPageAtAStandstill(t *testing.T) {
	for _, stands := range []bool{true, false} {
		page, next := newFakePage(own("a")), newFakePage(own("a"))
		page.stands = stands
		page.execute = func(ctx context.Context, tool browser.Tool, _ json.RawMessage) (browser.Result, error) {
			<-ctx.Done()
			return browser.Result{}, &browser.TimeoutError{Tool: tool.Name}
		}
		bridged(t, func(w *world) {
			session, _ := w.client()
			w.refuses(session, "a", "TIMEOUT")
			time.Sleep(standstill + time.Second)
			synctest.Wait()
			if page.closed != stands {
				w.Errorf("a page that stands still (%v) is closed: %v", stands, page.closed)
			}
			if !stands {
				return
			}
			if text, isError := w.answer(session, "a", `{}`); isError || text != `["a","{}"]` {
				w.Errorf("afterwards the tool gives %s", text)
			}
			if !strings.Contains(w.logged(), "does not answer any more") {
				w.Errorf("the log is %s", w.logged())
			}
		}, opening{page: page}, opening{page: next})
	}
}

// What a tool says of itself must not fill what a model can read.
func TestToolThatSaysTooMuch(t *testing.T) {
	endless := own("a")
	endless.Title, endless.Description = strings.Repeat("t", 1<<20), strings.Repeat("d", 4<<20)
	e := newEntry("a", endless)
	if len(e.offer.Title) != maxMessage || len(e.offer.Description) != maxDescription || len(e.remarks) != 1 {
		t.Errorf("a title of %d, a description of %d, remarks %q", len(e.offer.Title), len(e.offer.Description), e.remarks)
	}
}

// A timer can be too late to be stopped: when it fires at the moment in which
// the page is lost, what was published stands all the same.
func TestTimerThatFiresTooLate(t *testing.T) {
	b := New(Options{})
	b.opened(newFakePage())
	b.show([]browser.Tool{own("a")}, nil)
	b.mu.Lock()
	round := b.round
	b.mu.Unlock()
	b.settle(round)
	b.show(nil, nil)
	b.mu.Lock()
	round = b.round
	b.mu.Unlock()
	b.lost()
	b.settle(round)
	if b.settled || len(b.published) != 1 {
		t.Errorf("settled: %v, published: %v", b.settled, b.published)
	}
}

// The SDK panics for schemas that it does not take.
func TestSchemaThatIsRefused(t *testing.T) {
	bad := own("bad")
	bad.InputSchema = json.RawMessage(`{"type":"object","properties":{"a":{"type":"object","x-mcp-header":"no header"}}}`)
	bridged(t, func(w *world) {
		session, _ := w.client()
		w.lists(session, "bad", "good")
		if text, isError := w.answer(session, "bad", `{}`); isError || text != `["bad","{}"]` {
			w.Errorf("the call gives %s", text)
		}
		if !strings.Contains(w.logged(), "refused") {
			w.Errorf("the log is %s", w.logged())
		}
	}, opening{page: newFakePage(bad, own("good"))})
}

func TestDialogs(t *testing.T) {
	page := newFakePage(own("a"))
	bridged(t, func(w *world) {
		session, _ := w.client()
		page.asks("Delete everything?")
		for range 3 {
			w.answer(session, "a", `{}`)
		}
		if n := strings.Count(w.logged(), "Delete everything?"); n != 1 || !strings.Contains(w.logged(), "never accepted") {
			w.Errorf("the log is %s", w.logged())
		}
	}, opening{page: page})
}

func TestSeveralClients(t *testing.T) {
	page := newFakePage(own("a"))
	bridged(t, func(w *world) {
		one, changesOfOne := w.client()
		other, changesOfOther := w.client()
		w.lists(one, "a")
		w.lists(other, "a")
		before := [2]int{changesOfOne(), changesOfOther()}
		page.has(own("b"))
		time.Sleep(time.Second)
		if changesOfOne() != before[0]+1 || changesOfOther() != before[1]+1 {
			w.Errorf("notices: %d and %d", changesOfOne(), changesOfOther())
		}
		one.Close()
		w.lists(other, "b")
	}, opening{page: page})
}

// What a page makes up does not fill the memory.
func TestManyNames(t *testing.T) {
	page := newFakePage(own("a"))
	bridged(t, func(w *world) {
		for n := range 5 {
			var tools []browser.Tool
			for i := range 4000 {
				tools = append(tools, own(string(rune('a'+n))+strings.Repeat("x", i%8)+string(rune('a'+i%26))+"."+string(rune(0x4e00+i))))
			}
			page.has(tools...)
			synctest.Wait()
		}
		w.bridge.mu.Lock()
		defer w.bridge.mu.Unlock()
		if len(w.bridge.known) > maxKnown || len(w.bridge.remarked) > maxKnown {
			w.Errorf("it remembers %d names and %d remarks", len(w.bridge.known), len(w.bridge.remarked))
		}
	}, opening{page: page})
}
