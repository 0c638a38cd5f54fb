package matrix

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/pagewarden/pagewarden/browser"
	"github.com/pagewarden/pagewarden/e2e/internal/suite"
)

// The tools of the lab's widget and of its desk.
const (
	hold = "view_ui__widget__hold"
	poke = "view_ui__widget__poke"
	sell = "view_shop__desk__sell"
)

func (w *world) mountWidget() {
	w.T.Helper()
	w.do("lab.newWidget()")
	w.Have(hold, poke)
}

func remountInFlight(w *world) {
	w.mountWidget()
	held := w.calling(suite.Within(w.T), hold, `{}`)
	w.Until("lab.held()")
	w.do("lab.remountWidget()")
	r := w.refuses(w.wait(held), "COMPONENT_UNMOUNTED")
	if r.Details["phase"] != "mid-flight" || r.Details["progress"] != "may-have-happened" {
		w.T.Errorf("the details are %v", r.Details)
	}
	w.Have(hold, poke)
	w.Until("lab.status().registered.length === 2")
	w.gives(w.call(poke, `{}`), `"poked"`)
	again := w.calling(suite.Within(w.T), hold, `{}`)
	w.Until("lab.widget.runs === 2")
	w.do("lab.widget.finish('of the new one')")
	w.gives(w.wait(again), `"of the new one"`)
}

func removedByItsSuccess(w *world) {
	const leave = "view_ui__leaver__leave"
	for range 5 {
		w.do("lab.mountLeaver()")
		w.Have(leave)
		w.gives(w.call(leave, `{}`), `"gone, for good"`)
		w.Have()
	}
	// The caller may be in the page as well.
	w.do("lab.mountLeaver()")
	w.Have(leave)
	w.do(fmt.Sprintf("void (globalThis.one = lab.agent.begin(%q, {}))", leave))
	if end := w.ended(); !strings.Contains(end.Value, "gone, for good") {
		w.T.Errorf("the caller in the page got %+v", end)
	}
	w.Have()
}

// end is how a call of the agent in the page ended.
type end struct {
	Value string
	Error string
}

// ended waits for the end of the page's call.
func (w *world) ended() end {
	w.T.Helper()
	w.Until("one.ended !== null")
	return see[end](w, "one.ended")
}

// freed waits until the page's call that was given up has ended, which it must do before its handler does.
func (w *world) freed() {
	w.T.Helper()
	if end := w.ended(); end.Error == "" {
		w.T.Errorf("the caller in the page got %+v", end)
	}
}

func abortedBefore(w *world) {
	w.mountWidget()
	w.Expected = []string{"the agent has changed its mind"} // which 147 to 149 report as unhandled
	w.do(fmt.Sprintf("void (globalThis.one = lab.agent.begin(%q, {}, { aborted: true }))", hold))
	w.freed()
	if runs := see[int](w, "lab.widget.runs"); runs != 0 {
		w.T.Errorf("the handler ran %d times", runs)
	}
	w.gives(w.call(poke, `{}`), `"poked"`)
}

func abortedWaiting(w *world) {
	w.do("lab.mountDesk()")
	w.Have(sell)
	w.do(fmt.Sprintf("void (globalThis.one = lab.agent.begin(%q, { item: 'tea' }))", sell))
	w.Until("lab.pending().length === 1")
	w.do("one.abort()")
	w.freed()
	if !w.host.sees {
		// Nobody tells the tool, so the question stands until the person answers it.
		w.do("lab.decide('deny')")
	}
	w.Until("lab.pending().length === 0")
	if ran := see[int](w, "lab.desk.ran"); ran != 0 {
		w.T.Errorf("the handler ran %d times", ran)
	}
	w.do("void (globalThis.one = null)")
	w.confirms(w.calling(suite.Within(w.T), sell, `{"item":"milk"}`), "milk")
}

// confirms approves the call and wants its result.
func (w *world) confirms(answers <-chan answer, item string) {
	w.T.Helper()
	w.Until("lab.pending().length === 1")
	w.do("lab.decide('approve')")
	w.gives(w.wait(answers), fmt.Sprintf("%q", item+" sold"))
}

func abortedRunning(w *world) {
	w.mountWidget()
	w.do(fmt.Sprintf("void (globalThis.one = lab.agent.begin(%q, {}))", hold))
	w.Until("lab.held()")
	w.do("one.abort()")
	w.freed()
	if w.host.sees {
		w.Until("lab.widget.signal.aborted")
	} else {
		w.do("lab.widget.finish('late')")
	}
	w.Until("lab.calls() === 0")
	w.gives(w.call(poke, `{}`), `"poked"`)
	w.do("lab.remountWidget()")
	w.Have(hold, poke)
}

func signalOnAbort(w *world) {
	w.do("lab.mountDesk()")
	w.Have(sell)
	w.do(fmt.Sprintf("void (globalThis.one = lab.agent.begin(%q, { item: 'tea' }))", sell))
	w.Until("lab.pending().length === 1")
	w.do("one.abort()")
	w.Until("lab.pending().length === 0") // withdrawn, so that nobody approves it any more
	w.do("lab.reset()")

	w.mountWidget()
	w.do(fmt.Sprintf("void (globalThis.first = lab.agent.begin(%q, {}))", hold))
	w.Until("lab.held()")
	w.do(fmt.Sprintf("void (globalThis.one = lab.agent.begin(%q, {}))", hold))
	w.Until("lab.calls() === 2")
	w.do("one.abort()")
	w.Until("lab.calls() === 1") // it waited for the first, and waits no more
	w.do("first.abort()")
	w.Until("lab.widget.signal.aborted")
	w.Until("lab.calls() === 0")
	if runs := see[int](w, "lab.widget.runs"); runs != 1 {
		w.T.Errorf("the handler ran %d times; want once", runs)
	}
}

// protocolCall compares the protocol with what the page itself can do, which the other behaviours use where there is no
// protocol.
func protocolCall(w *world) {
	w.do("lab.kinds()")
	ways, err := w.Ways(suite.Within(w.T))
	if err != nil || len(ways) != 2 || ways[0] != browser.ByDevTools {
		w.T.Fatalf("the ways are %q, %v; want the protocol first and one more", ways, err)
	}
	defer w.Use(w.host.way)
	var lists [][]string
	for _, way := range ways {
		w.Use(way)
		tools := w.Have("view_kinds__all__act", "view_kinds__all__look", "view_kinds__all__go", "domain_kinds__query", "domain_kinds__change", "domain_kinds__erase")
		list := []string{}
		for _, tool := range tools {
			list = append(list, fmt.Sprintf("%s %s %s %+v", tool.Name, tool.Description, tool.InputSchema, tool.Annotations))
		}
		lists = append(lists, list)
		w.gives(w.call("view_kinds__all__act", `{"zulu":"ü","alpha":2}`), `{"done":"üü"}`)
		w.refuses(w.call("view_kinds__all__act", `{"zulu":"ü"}`), "INVALID_INPUT")
	}
	if fmt.Sprint(lists[0]) != fmt.Sprint(lists[1]) {
		w.T.Errorf("the protocol lists\n%q\nand the page\n%q", lists[0], lists[1])
	}
}

func protocolAbort(w *world) {
	if w.host.way != browser.ByDevTools {
		w.T.Fatalf("the suite's agent calls by %s there; want the protocol", w.host.way)
	}
	w.do("lab.mountDesk()")
	w.Have(sell)
	w.givesUp(sell, `{"item":"tea"}`, "lab.pending().length === 1", "lab.pending().length === 0", "lab.decide('deny')")
	if ran := see[int](w, "lab.desk.ran"); ran != 0 {
		w.T.Errorf("the handler of the desk ran %d times", ran)
	}
	w.do("lab.reset()")

	w.mountWidget()
	first := w.calling(suite.Within(w.T), hold, `{}`)
	w.Until("lab.held()")
	if w.host.sees {
		w.givesUp(hold, `{}`, "lab.calls() === 2", "lab.calls() === 1", "")
	} // elsewhere nobody tells the tool, so that the second call runs after the first
	w.do("lab.widget.finish('in time')")
	w.gives(w.wait(first), `"in time"`)
	w.do("void (lab.widget.signal = null)")
	w.givesUp(hold, `{}`, "lab.held()", "lab.widget.signal.aborted", "lab.widget.finish('late')")
	w.Until("lab.calls() === 0")
	if runs := see[int](w, "lab.widget.runs"); runs != 2 {
		w.T.Errorf("the handler ran %d times; want twice", runs)
	}
	w.givesUpBefore()
}

// givesUpBefore calls a page that is busy, and gives up before it is not: the page gets the call and its end together.
func (w *world) givesUpBefore() {
	w.T.Helper()
	w.do("void (lab.widget.signal = null)")
	tool := toolNamed(w.T, w.Have(hold, poke), hold)
	w.do("lab.beBusy(300)")
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	if result, err := w.CallTool(ctx, tool, nil); err == nil {
		w.T.Errorf("the call gave %s", result.Raw)
	}
	if !w.host.sees {
		w.Until("lab.held()")
		w.do("lab.widget.finish('late')")
	}
	w.Until("lab.calls() === 0")
	w.gives(w.call(poke, `{}`), `"poked"`)
}

// givesUp calls through the protocol and gives up once the page is so far. A tool that sees that must bring the page to
// the end; otherwise the page is helped.
func (w *world) givesUp(name, input, sofar, end, help string) {
	w.T.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), suite.Patience)
	defer cancel()
	answers := w.calling(ctx, name, input)
	w.Until(sofar)
	cancel()
	if a := w.wait(answers); a.err == nil {
		w.T.Errorf("the caller got %s", a)
	}
	if w.host.sees {
		w.Until(end)
	} else {
		w.do(help)
	}
}
