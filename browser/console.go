package browser

import (
	"context"
	"iter"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// maxMessages is how many console messages and dialogs of a page are kept; a
// page that logs without end must not fill the memory.
const maxMessages = 1000

// maxText is how many bytes of one of them are kept.
const maxText = 10_000

// start is as much of a page's text as is kept.
func start(text string) string {
	if len(text) <= maxText {
		return text
	}
	return strings.ToValidUTF8(text[:maxText], "") + "…"
}

// Message is something that a page wrote to its console.
type Message struct {
	// Kind is log, debug, info, warning, error or another name of the console
	// API; exception for an exception or rejection that nothing caught.
	Kind string
	// Text is what DevTools shows; of a long one, its beginning.
	Text string
	// URL and Line are the place, when the browser knows it; Line counts from 1.
	URL  string
	Line int
}

// IsException reports an exception or rejection that nothing caught.
func (m Message) IsException() bool { return m.Kind == string(chromedp.ConsoleException) }

// Dialog is a JavaScript dialog that was dismissed.
type Dialog struct {
	// Kind is alert, confirm, prompt or beforeunload.
	Kind string
	// Text is the page's question: untrusted text; of a long one, its beginning.
	Text string
	// URL is the document that asked.
	URL string
}

// console collects what a page says outside its tools.
type console struct {
	mu sync.Mutex
	// seen counts messages that the connection has delivered since counting
	// was set, got those that have been read; they differ for a moment only.
	seen, got       int
	counting, ended bool
	// progress is told of each change of got and ended.
	progress broadcast
	messages []Message
	dialogs  []Dialog
}

// on counts messages and takes note of dialogs, in the order of arrival. It
// reports a dialog that has to be dismissed.
func (c *console) on(ev any) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch ev := ev.(type) {
	case *runtime.EventConsoleAPICalled, *runtime.EventExceptionThrown, *log.EventEntryAdded:
		if c.counting {
			c.seen++
		}
	case *page.EventJavascriptDialogOpening:
		if len(c.dialogs) < maxMessages {
			c.dialogs = append(c.dialogs, Dialog{Kind: string(ev.Type), Text: start(ev.Message), URL: ev.URL})
		}
		return true
	}
	return false
}

// subscribe starts the flow of messages, which collect reads.
func (c *console) subscribe(ctx context.Context) iter.Seq2[chromedp.ConsoleMessage, error] {
	messages := chromedp.Console(ctx)
	// Only now: a message that is counted and never read would hold up all.
	c.mu.Lock()
	c.counting = true
	c.mu.Unlock()
	return messages
}

// collect reads messages until they end with the page.
func (c *console) collect(messages iter.Seq2[chromedp.ConsoleMessage, error]) {
	defer c.end()
	for m, err := range messages {
		if err != nil {
			return
		}
		c.add(Message{Kind: string(m.Type), Text: start(m.Text), URL: m.URL, Line: int(m.Line) + 1})
	}
}

func (c *console) add(m Message) {
	c.mu.Lock()
	c.got++
	if len(c.messages) < maxMessages {
		c.messages = append(c.messages, m)
	}
	c.mu.Unlock()
	c.progress.fire()
}

func (c *console) end() {
	c.mu.Lock()
	c.ended = true
	c.mu.Unlock()
	c.progress.fire()
}

// all returns the messages that arrived before the call.
func (c *console) all() []Message {
	for {
		progress := c.progress.wait()
		c.mu.Lock()
		if c.got >= c.seen || c.ended {
			defer c.mu.Unlock()
			return append([]Message{}, c.messages...)
		}
		c.mu.Unlock()
		<-progress
	}
}

func (c *console) allDialogs() []Dialog {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Dialog{}, c.dialogs...)
}
