package browser

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/cdproto/webmcp"
	"github.com/chromedp/chromedp"
)

// session is a connection to one process of a page: the page itself, or an
// iframe of another site, which the browser runs apart and shows as a target of
// its own.
type session struct {
	d      *devtools
	realms *realms
	// ctx is the chromedp context of the target. It is set before the target
	// sends its first event.
	ctx context.Context
	// iframe reports that even the session's first frame is an iframe.
	iframe bool
}

// first is the session's outermost frame: in Chromium, the id of a target is
// that of its first frame, for as long as it lives.
func (s *session) first() cdp.FrameID {
	return cdp.FrameID(chromedp.FromContext(s.ctx).Target.TargetID)
}

// isMain reports the page's own document.
func (s *session) isMain(frame cdp.FrameID) bool { return !s.iframe && frame == s.first() }

// attach turns the domain on, which makes the browser announce the tools that
// exist already. A browser without the domain is no error.
func (s *session) attach() {
	_, err := chromedp.Call(s.ctx, webmcp.Enable, cdp.Empty{})
	s.d.mu.Lock()
	defer s.d.mu.Unlock()
	s.d.ready = s.d.ready || err == nil
}

// on handles one event. It runs in the loop that reads the connection: it never
// blocks and sends no command.
func (s *session) on(ev any) {
	switch ev := ev.(type) {
	case *webmcp.EventToolsAdded:
		s.added(ev.Tools)
	case *webmcp.EventToolsRemoved:
		s.removed(ev.Tools)
	case *webmcp.EventToolResponded:
		s.d.responded(ev)
	case *page.EventFrameStartedNavigating:
		s.d.setHeading(frameKey{s, ev.FrameID}, ev.URL)
	case *runtime.EventExecutionContextCreated:
		s.realms.created(s, ev.Context)
	case *runtime.EventExecutionContextDestroyed:
		s.realms.destroyed(ev.ExecutionContextUniqueID)
	case *runtime.EventExecutionContextsCleared:
		s.realms.cleared(s)
		s.cleared()
	case *page.EventFrameNavigated:
		s.navigated(ev)
	case *page.EventNavigatedWithinDocument:
		s.d.setURL(frameKey{s, ev.FrameID}, ev.URL)
	case *page.EventFrameDetached:
		s.d.dropFrame(frameKey{s, ev.FrameID}, "its frame was removed")
	case *inspector.EventTargetCrashed:
		s.realms.cleared(s)
		s.d.dropSession(s, "it has crashed")
	case *target.EventAttachedToTarget:
		if ev.TargetInfo.Type == "iframe" {
			s.d.children.Go(func() { s.adopt(ev.TargetInfo) })
		}
	}
}

func (s *session) added(tools []*webmcp.Tool) {
	s.d.mu.Lock()
	for _, t := range tools {
		s.d.tools[toolKey{frameKey{s, t.FrameID}, t.Name}] = convertTool(t)
	}
	s.d.mu.Unlock()
	s.d.change.fire()
}

func (s *session) removed(tools []*webmcp.RemovedTool) {
	s.d.mu.Lock()
	for _, t := range tools {
		delete(s.d.tools, toolKey{frameKey{s, t.FrameID}, t.Name})
	}
	s.d.mu.Unlock()
	s.d.change.fire()
}

// cleared follows the session's first frame to its next document, which takes
// all its frames along. The browser announces no removal of tools then. This is
// the first event of the change: the tools of a document that comes back from
// the back/forward cache are announced before FrameNavigated.
func (s *session) cleared() {
	s.d.dropSession(s, s.d.movedReason(frameKey{s, s.first()}))
}

// navigated follows a frame to its next document.
func (s *session) navigated(ev *page.EventFrameNavigated) {
	key := frameKey{s, ev.Frame.ID}
	if ev.Type == page.NavigationTypeBackForwardCacheRestore {
		// See cleared; and the document's iframes come back unannounced.
		s.d.children.Go(s.learnFrames)
	} else {
		s.d.dropFrame(key, s.d.movedReason(key))
	}
	s.d.setURL(key, ev.Frame.URL+ev.Frame.URLFragment)
}

// adopt looks after an iframe of another site until it goes away.
func (s *session) adopt(info *target.Info) {
	child := &session{d: s.d, realms: s.realms, iframe: true}
	ctx, cancel := chromedp.NewContext(s.ctx,
		chromedp.WithTargetID(info.TargetID),
		chromedp.WithListener(child.on),
		// Closing an iframe's target would be ours to answer for.
		chromedp.WithDetachOnCancel(),
	)
	defer cancel()
	child.ctx = ctx
	if err := chromedp.Do(ctx); err != nil {
		return // The iframe went away while it was attached.
	}
	detached, err := chromedp.Detached(ctx)
	if err != nil {
		return
	}
	child.learnFrames()
	child.attach()
	select {
	case <-detached:
	case <-ctx.Done():
	}
	s.realms.cleared(child)
	s.d.dropSession(child, "its frame was removed")
}

// learnFrames records the documents that were there before the session.
func (s *session) learnFrames() {
	got, err := chromedp.Call(s.ctx, page.GetFrameTree, cdp.Empty{})
	if err != nil {
		return // Gone again; the caller notices by itself.
	}
	for trees := []*page.FrameTree{got.FrameTree}; len(trees) > 0; trees = trees[1:] {
		f := trees[0].Frame
		s.d.setURL(frameKey{s, f.ID}, f.URL+f.URLFragment)
		trees = append(trees, trees[0].ChildFrames...)
	}
}

// setURL records the address of a document.
func (d *devtools) setURL(key frameKey, url string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.frames[key] = url
}

// setHeading records where a frame is about to go.
func (d *devtools) setHeading(key frameKey, url string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.headings[key] = url
}

// movedReason says that a frame has navigated, and where to when that is known.
func (d *devtools) movedReason(key frameKey) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if url := d.headings[key]; url != "" {
		return "it has navigated to " + url
	}
	return "it has navigated"
}

// responded settles the call that the browser answers.
func (d *devtools) responded(ev *webmcp.EventToolResponded) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if c := d.pending[ev.InvocationID]; c != nil {
		delete(d.pending, ev.InvocationID)
		c.settle(answerOf(c.tool.Name, ev))
		return
	}
	if d.starting > 0 {
		d.early[ev.InvocationID] = ev
	}
}

// dropFrame forgets a document and ends the calls in it.
func (d *devtools) dropFrame(key frameKey, reason string) {
	d.drop(func(k frameKey) bool { return k == key }, reason)
}

// dropSession forgets everything that a session brought.
func (d *devtools) dropSession(s *session, reason string) {
	d.drop(func(k frameKey) bool { return k.session == s }, reason)
}

func (d *devtools) drop(match func(frameKey) bool, reason string) {
	d.mu.Lock()
	for key := range d.tools {
		if match(key.frameKey) {
			delete(d.tools, key)
		}
	}
	for key := range d.frames {
		if match(key) {
			delete(d.frames, key)
			d.loads[key]++
		}
	}
	for id, c := range d.pending {
		if match(c.at) {
			delete(d.pending, id)
			c.settle(nil, gone(c.tool.Name, reason))
		}
	}
	d.mu.Unlock()
	d.change.fire()
}

// convertTool translates the protocol's tool; its frame is filled in by list.
func convertTool(t *webmcp.Tool) Tool {
	tool := Tool{Name: t.Name, Description: t.Description, InputSchema: schemaOf(t.InputSchema)}
	if a := t.Annotations; a != nil {
		tool.Annotations = Annotations{
			ReadOnly:         a.ReadOnly,
			Consequential:    a.Consequential,
			UntrustedContent: a.UntrustedContent,
		}
	}
	return tool
}

// schemaOf unwraps a schema that arrives as JSON text, as builds before 156
// have it.
func schemaOf(raw []byte) json.RawMessage {
	var text string
	if json.Unmarshal(raw, &text) == nil && json.Valid([]byte(text)) && strings.HasPrefix(text, "{") {
		return json.RawMessage(text)
	}
	if len(raw) == 0 {
		return nil
	}
	return json.RawMessage(raw)
}
