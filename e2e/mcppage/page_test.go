package mcppage

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"

	"github.com/pagewarden/pagewarden/e2e/internal/suite"
)

// host serves testdata, and hears what its page tells.
type host struct {
	*httptest.Server
	told chan string
}

// served serves at the address, or a free one; tests that take their server away need one of their own.
func served(t *testing.T, address string) *host {
	t.Helper()
	h := &host{told: make(chan string, 100)}
	mux := http.NewServeMux()
	pages := testdata(fixture.Root)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store") // A page may be opened from the cache when its server is gone.
		pages.ServeHTTP(w, r)
	})
	mux.HandleFunc("/told/{what}", func(_ http.ResponseWriter, r *http.Request) { h.told <- r.PathValue("what") })
	h.Server = httptest.NewUnstartedServer(mux)
	if address != "" {
		listener, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		h.Listener.Close()
		h.Listener = listener
	}
	h.Start()
	t.Cleanup(h.Close)
	return h
}

func (h *host) page() string { return h.URL + "/page.html" }

// hears waits until the page has told that.
func (h *host) hears(t *testing.T, want string) {
	t.Helper()
	limit := suite.Within(t)
	for {
		select {
		case got := <-h.told:
			if got == want {
				return
			}
		case <-limit.Done():
			t.Fatalf("the page never told %q", want)
		}
	}
}

// One program, since each starts a browser.
func TestPage(t *testing.T) {
	h := served(t, "")
	p, c := opened(t, h.page())
	t.Run("list", func(t *testing.T) { lists(t, c) })
	t.Run("results", func(t *testing.T) { results(t, c) })
	t.Run("errors", func(t *testing.T) { faults(t, c) })
	t.Run("dialog", func(t *testing.T) {
		c.gives("asks", `{}`, "false")
		p.says("Delete everything?", "never accepted")
	})
	t.Run("cancel", func(t *testing.T) {
		ctx, cancel := context.WithCancel(suite.Within(t))
		waiting := c.calling(ctx, "waits", `{}`)
		h.hears(t, "waiting")
		cancel()
		h.hears(t, "aborted")
		if got := c.awaits(waiting); got.err == nil {
			t.Errorf("the call gave %s", got.text())
		}
	})
	t.Run("large", func(t *testing.T) {
		text := "ü" + strings.Repeat("unicode ", 625_000) // 5 MB
		input, err := json.Marshal(map[string]string{"zulu": text})
		if err != nil {
			t.Fatal(err)
		}
		if got := c.call("text", string(input)); got.text() != text {
			t.Errorf("the call gave %d bytes, %.100s; want %d", len(got.text()), got.text(), len(text))
		}
	})
	t.Run("changes", func(t *testing.T) { changes(t, c) })
	t.Run("leaving", func(t *testing.T) { leaves(t, h, c) })
}

func lists(t *testing.T, c *client) {
	echo := c.tool("echo")
	if echo.Title != "Echo it" || echo.Description != "About echo" || !echo.Annotations.ReadOnlyHint {
		t.Errorf("a tool is %+v", echo)
	}
	if schema, err := json.Marshal(echo.InputSchema); err != nil || !strings.Contains(string(schema), `"zulu":{"type":"string"}`) {
		t.Errorf("its schema is %s, error %v", schema, err)
	}
	if total := c.tool("total"); total.Annotations.DestructiveHint == nil || !*total.Annotations.DestructiveHint {
		t.Errorf("a tool is %+v", total.Annotations)
	}
	if union, err := json.Marshal(c.tool("union").InputSchema); err != nil || strings.Contains(string(union), "oneOf") || !strings.Contains(string(union), `"b"`) {
		t.Errorf("a schema with a union is %s, error %v", union, err)
	}
	var dotted, framed string
	for _, tool := range c.tools() {
		switch {
		case strings.HasPrefix(tool.Name, "orders_find_") && tool.Meta["pagewarden/name"] == "orders.find":
			dotted = tool.Name
		case strings.HasPrefix(tool.Name, "total_") && strings.HasSuffix(fmt.Sprint(tool.Meta["pagewarden/frame"]), "/inner.html"):
			framed = tool.Name
		}
	}
	c.gives(dotted, `{"zulu":"it"}`, `{"found":"it"}`)
	c.gives(framed, `{}`, "7")
	c.gives("total", `{}`, "42")
}

func results(t *testing.T, c *client) {
	c.gives("text", `{"zulu":"plain ü 漢"}`, "plain ü 漢")
	c.gives("null", `{}`, "null")
	c.gives("echo", `null`, "{}")
	c.gives("mcp", `{}`, "one\ntwo")
	if got := c.call("mcp", `{}`); fmt.Sprint(got.StructuredContent) != "map[alpha:2 zulu:1]" {
		t.Errorf("the structured content is %v", got.StructuredContent)
	}
	got := c.call("echo", `{"zulu":"ü","alpha":1.5,"naïve":[null,{}]}`)
	if want := "map[alpha:1.5 naïve:[<nil> map[]] zulu:ü]"; fmt.Sprint(got.StructuredContent) != want {
		t.Errorf("the object is %v, text %s; want %s", got.StructuredContent, got.text(), want)
	}
}

func faults(t *testing.T, c *client) {
	if got := c.refusal(c.call("refuses", `{}`), "NOT_AUTHORIZED"); got.Message != "No." {
		t.Errorf("the page's own error is %+v", got)
	}
	if got := c.refusal(c.call("throws", `{}`), "EXECUTION_FAILED"); !strings.Contains(got.Details.Said, "no such order") || got.Details.Progress != "may-have-happened" {
		t.Errorf("the error is %+v", got)
	}
	c.refusal(c.call("echo", `[1]`), "INVALID_INPUT")
	if got := c.call("ecco", `{}`); !isUnknown(got.err) || !strings.Contains(got.text(), `did you mean "echo"`) {
		t.Errorf("an unknown tool gives %s", got.text())
	}
}

func changes(t *testing.T, c *client) {
	c.gives("adds", `{"zulu":"fresh"}`, "added")
	c.until("there is a new tool", has("fresh"))
	c.gives("fresh", `{}`, "fresh")
	c.gives("removes", `{}`, "removed")
	c.until("it is gone", lacks("fresh"))
	if got := c.refusal(c.call("fresh", `{}`), "CAPABILITY_NOT_FOUND"); got.Retry != "after-refresh" {
		t.Errorf("the error is %+v", got)
	}
}

func leaves(t *testing.T, h *host, c *client) {
	waiting := c.calling(suite.Within(t), "waits", `{}`)
	h.hears(t, "waiting")
	c.gives("reloads_later", `{}`, "soon")
	if got := c.refusal(c.awaits(waiting), "COMPONENT_UNMOUNTED"); got.Details.Progress != "may-have-happened" || got.Retry != "after-refresh" {
		t.Errorf("the error is %+v", got)
	}
	c.gives("text", `{"zulu":"after the reload"}`, "after the reload")
	c.gives("goes", `{"zulu":"other.html"}`, "soon")
	c.until("the other page is there", func(names []string) bool { return has("back")(names) && lacks("text")(names) })
	c.gives("back", `{}`, "soon")
	c.until("the page is back", func(names []string) bool { return has("text")(names) && lacks("back")(names) })
}

// Two clients, each with a program and a browser of its own.
func TestServerThatGoes(t *testing.T) {
	h := served(t, "")
	address := h.Listener.Addr().String()
	_, other := opened(t, h.page())
	_, c := opened(t, h.page())
	c.gives("adds", `{"zulu":"fresh"}`, "added")
	c.until("there is a new tool", has("fresh"))
	if names := other.names(); has("fresh")(names) || !has("total")(names) {
		t.Errorf("the other page has %q", names)
	}
	h.Close()
	if got := c.refusal(c.call("reloads", `{}`), "COMPONENT_UNMOUNTED"); got.Details.Progress != "may-have-happened" {
		t.Errorf("the error is %+v", got)
	}
	c.until("the tools have gone", func(names []string) bool { return len(names) == 0 })
	got := c.refusal(c.call("total", `{}`), "CAPABILITY_NOT_AVAILABLE")
	if got.Details.Reason != "page-unreachable" || !strings.Contains(got.Message, "not called") {
		t.Errorf("the error is %+v", got)
	}
	other.gives("text", `{"zulu":"a page that is loaded needs no server"}`, "a page that is loaded needs no server")
	served(t, address)
	c.until("the page is back", has("total"))
	c.gives("total", `{}`, "42")
}

func TestServerThatComes(t *testing.T) {
	h := served(t, "")
	address := h.Listener.Addr().String()
	h.Close()
	p, c := opened(t, h.page())
	if names := c.names(); len(names) != 0 {
		t.Errorf("the tools are %q", names)
	}
	p.says("CONNECTION_REFUSED")
	served(t, address)
	c.until("the page is there", has("total"))
}

// The tab, the browser, and all of it again.
func TestKilled(t *testing.T) {
	h := served(t, "")
	p, c := opened(t, h.page())
	for _, kind := range []string{"renderer", "", "renderer"} {
		waiting := c.calling(suite.Within(t), "waits", `{}`)
		h.hears(t, "waiting")
		p.kill(kind)
		if got := c.refusal(c.awaits(waiting), "COMPONENT_UNMOUNTED"); got.Details.Progress != "may-have-happened" {
			t.Errorf("the error is %+v", got)
		}
		c.until("the page is back", has("waits"))
		c.gives("text", `{"zulu":"again"}`, "again")
	}
}

// What ends the command ends a call in flight too.
func TestEnds(t *testing.T) {
	ends := map[string]func(*program){
		"end of input": func(p *program) { p.stdin.Close() },
		"SIGTERM":      func(p *program) { p.signal(syscall.SIGTERM) },
		"SIGHUP":       func(p *program) { p.signal(syscall.SIGHUP) },
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			h := served(t, "")
			p, c := opened(t, h.page())
			waiting := c.calling(suite.Within(t), "waits", `{}`)
			h.hears(t, "waiting")
			end(p)
			p.hasEnded()
			if got := c.awaits(waiting); got.err == nil && !got.IsError {
				t.Errorf("the call gave %s", got.text())
			}
		})
	}
}

// The input may end before the browser has started.
func TestEndsAtOnce(t *testing.T) {
	p := start(t, fixture.URL+"/page.html")
	p.ends()
}
