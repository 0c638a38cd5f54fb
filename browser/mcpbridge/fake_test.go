package mcpbridge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pagewarden/pagewarden/browser"
)

// sight is what a page shows.
type sight struct {
	tools []browser.Tool
	err   error
}

// fakePage is a page whose test shows what it likes.
type fakePage struct {
	first  []browser.Tool
	sights chan sight
	loss   chan error
	// stands reports that the page never answers when it is asked.
	stands  bool
	execute func(ctx context.Context, tool browser.Tool, input json.RawMessage) (browser.Result, error)

	mu      sync.Mutex
	dialogs []browser.Dialog
	closed  bool
}

func newFakePage(tools ...browser.Tool) *fakePage {
	p := &fakePage{first: tools}
	p.execute = func(_ context.Context, tool browser.Tool, input json.RawMessage) (browser.Result, error) {
		text, err := json.Marshal([]string{tool.Name, string(input)})
		return browser.Result{Raw: text}, err
	}
	return p
}

// start makes the channels, which must be of the test's bubble.
func (p *fakePage) start() {
	p.sights, p.loss = make(chan sight, 10), make(chan error, 1)
	p.has(p.first...)
}

// has makes those the tools of the page.
func (p *fakePage) has(tools ...browser.Tool) { p.sights <- sight{tools: tools} }

func (p *fakePage) Follow(ctx context.Context, show func([]browser.Tool, error)) error {
	for {
		select {
		case s := <-p.sights:
			show(s.tools, s.err)
		case err := <-p.loss:
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (p *fakePage) CallTool(ctx context.Context, tool browser.Tool, input json.RawMessage) (browser.Result, error) {
	return p.execute(ctx, tool, input)
}

func (p *fakePage) Eval(ctx context.Context, _ string) (json.RawMessage, error) {
	if p.stands {
		<-ctx.Done()
	}
	return nil, ctx.Err()
}

func (p *fakePage) Dialogs() []browser.Dialog {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.dialogs)
}

func (p *fakePage) asks(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dialogs = append(p.dialogs, browser.Dialog{Kind: "confirm", Text: text})
}

func (p *fakePage) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stands && !p.closed {
		p.loss <- &browser.GoneError{What: "the page", Reason: "it was closed"}
	}
	p.closed = true
	return nil
}

// world is a bridge to fake pages, and what it has logged.
type world struct {
	*testing.T
	bridge   *Bridge
	attempts []time.Duration
	began    time.Time
	log      *bytes.Buffer
	ended    error
}

type opening struct {
	page *fakePage
	err  error
	// takes is how long it takes.
	takes time.Duration
}

// bridged runs a test with a bridge whose attempts to open the page come to
// what openings says, one after another; the last one stands for all later ones.
func bridged(t *testing.T, test func(*world), openings ...opening) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{T: t, began: time.Now(), log: &bytes.Buffer{}}
		var pages []*fakePage
		for _, o := range openings {
			if o.page != nil {
				o.page.start()
			}
		}
		w.bridge = New(Options{
			Address: mainURL, Log: slog.New(slog.NewTextHandler(w.log, nil)),
			Open: func(ctx context.Context) (Page, error) {
				next := openings[min(len(w.attempts), len(openings)-1)]
				w.attempts = append(w.attempts, time.Since(w.began).Round(time.Millisecond))
				select {
				case <-time.After(next.takes):
				case <-ctx.Done():
					return nil, &browser.UnreachableError{URL: mainURL, Cause: context.Cause(ctx)}
				}
				if next.err != nil {
					return nil, next.err
				}
				pages = append(pages, next.page)
				return next.page, nil
			},
		})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			w.ended = w.bridge.Run(ctx)
		}()
		test(w)
		cancel()
		<-done
		for _, p := range pages {
			if !p.closed {
				t.Error("a page was left open")
			}
		}
	})
}

// client connects another client; changes counts the notices of a changed list.
func (w *world) client() (session *mcp.ClientSession, changes func() int) {
	w.Helper()
	n := 0
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { n++ },
	})
	here, there := mcp.NewInMemoryTransports()
	if _, err := w.bridge.Server().Connect(w.Context(), there, nil); err != nil {
		w.Fatal(err)
	}
	session, err := client.Connect(w.Context(), here, nil)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { session.Close() })
	return session, func() int { synctest.Wait(); return n }
}

// logged is what the bridge has logged so far.
func (w *world) logged() string {
	synctest.Wait()
	return w.log.String()
}

// names lists the tools.
func (w *world) names(session *mcp.ClientSession) []string {
	w.Helper()
	names := []string{}
	for _, tool := range w.tools(session) {
		names = append(names, tool.Name)
	}
	return names
}

func (w *world) tools(session *mcp.ClientSession) []*mcp.Tool {
	w.Helper()
	list, err := session.ListTools(w.Context(), nil)
	if err != nil {
		w.Fatal(err)
	}
	return list.Tools
}

// lists fails unless those are the tools.
func (w *world) lists(session *mcp.ClientSession, want ...string) {
	w.Helper()
	if got := w.names(session); !slices.Equal(got, want) && len(got)+len(want) > 0 {
		w.Errorf("the tools are %q, want %q", got, want)
	}
}

// answer is the text of a result, and whether it is an error.
func (w *world) answer(session *mcp.ClientSession, name, input string) (text string, isError bool) {
	w.Helper()
	result, err := session.CallTool(w.Context(), &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(input)})
	if err != nil {
		w.Fatal(err)
	}
	return result.Content[0].(*mcp.TextContent).Text, result.IsError
}

// refuses fails unless the call gives an error of that code, and returns it.
func (w *world) refuses(session *mcp.ClientSession, name, code string) payload {
	w.Helper()
	text, isError := w.answer(session, name, `{}`)
	var p payload
	if err := json.Unmarshal([]byte(text), &p); err != nil || !isError || p.Code != code {
		w.Errorf("calling %s gives %s, want %s", name, text, code)
	}
	return p
}

type payload struct {
	Code, Message, Retry string
	Details              struct{ Reason, Progress string }
}

var errGone = errors.Join(&browser.GoneError{What: "the page", Reason: "it has crashed"})
