package matrix

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/pagewarden/pagewarden/browser"
	"github.com/pagewarden/pagewarden/e2e/internal/suite"
)

func hiddenAndShown(w *world) {
	w.do("lab.mountGate()")
	w.Have(ring)
	w.show(false)
	w.do("lab.letWatchUntold(true)")
	w.show(true)
	w.Have(ring, watch)
	w.show(false)
	w.gives(w.call(watch, `{}`), `"seen"`) // a hidden page answers
	w.do("lab.letWatchUntold(false)")
	w.show(true)
	w.Have(ring)
}

// show minimises the window of the tab, or restores it.
func (w *world) show(shown bool) {
	w.T.Helper()
	state, seen := cdpbrowser.WindowStateMinimized, "hidden"
	if shown {
		state, seen = cdpbrowser.WindowStateNormal, "visible"
	}
	tab := w.Protocol()
	window, err := chromedp.CallBrowser(tab, cdpbrowser.GetWindowForTarget,
		cdpbrowser.GetWindowForTargetParams{TargetID: chromedp.FromContext(tab).Target.TargetID})
	if err != nil {
		w.T.Fatal(err)
	}
	_, err = chromedp.CallBrowser(tab, cdpbrowser.SetWindowBounds,
		cdpbrowser.SetWindowBoundsParams{WindowID: window.WindowID, Bounds: &cdpbrowser.Bounds{WindowState: state}})
	if err != nil {
		w.T.Fatal(err)
	}
	w.Until(fmt.Sprintf("document.visibilityState === %q", seen))
}

// backAndForward leaves the page and comes back to it. The downloaded builds are headless ones, which keep no page for
// that ("DisabledForDelegate"): there the page loads again, and must have its tools all the same.
func backAndForward(w *world) {
	if err := w.Navigate(suite.Within(w.T), w.address+"?auto"); err != nil {
		w.T.Fatal(err)
	}
	w.ready()
	w.Have(hold, poke)
	w.do("void (lab.kept = true)")
	reasons := w.reasonsNotToKeep()
	for range 2 {
		if err := w.Navigate(suite.Within(w.T), fixture.URL+"/empty.html"); err != nil {
			w.T.Fatal(err)
		}
		w.do("setTimeout(() => history.back())")
		w.ready()
		w.Have(hold, poke)
		w.gives(w.call(poke, `{}`), `"poked"`)
	}
	switch kept := see[bool](w, "lab.kept === true"); {
	case w.host.build == nil && !kept:
		w.T.Errorf("the browser has not kept the page, because of %q", reasons())
	case w.host.build != nil && !kept && !strings.Contains(reasons(), "DisabledForDelegate"):
		w.T.Errorf("the page was loaded again because of %q", reasons())
	}
}

// reasonsNotToKeep listens for why the browser keeps no page.
func (w *world) reasonsNotToKeep() func() string {
	w.T.Helper()
	var mu sync.Mutex
	var all []string
	err := chromedp.Listen(w.Protocol(), func(ev any) {
		not, ok := ev.(*cdppage.EventBackForwardCacheNotUsed)
		if !ok {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		for _, reason := range not.NotRestoredExplanations {
			all = append(all, string(reason.Reason))
		}
	})
	if err != nil {
		w.T.Fatal(err)
	}
	return func() string {
		mu.Lock()
		defer mu.Unlock()
		return strings.Join(all, ", ")
	}
}

func largeResults(w *world) {
	const fits, exceeds = "view_values__big__fits", "view_values__big__exceeds"
	w.do("lab.mountValues()")
	w.Have(fits, exceeds)
	a := w.call(fits, `{}`)
	if a.err != nil || len(a.value) != 32768 || !strings.HasSuffix(a.value, `x"}`) {
		w.T.Errorf("the call gave %d bytes, error %v; want 32768", len(a.value), a.err)
	}
	r := w.refuses(w.call(exceeds, `{}`), "EXECUTION_FAILED")
	if r.Details["reason"] != "output-too-large" {
		w.T.Errorf("the refusal is %+v", r)
	}
}

func nonASCII(w *world) {
	const read, echo, fail = "view_strange__text__read", "view_strange__text__echo", "view_strange__text__fail"
	w.do("lab.mountStrange()")
	w.Have(read, echo, fail)
	tools, err := w.Tools(suite.Within(w.T))
	if err != nil {
		w.T.Fatal(err)
	}
	strange := see[string](w, "lab.STRANGE")
	quoted := string(marshal(strange))
	if tool := toolNamed(w.T, tools, read); tool.Description != "Lies "+strange || w.host.titled && tool.Title != "Titel "+strange {
		w.T.Errorf("the tool is %+v", tool)
	}
	schema := `{"type":"object","properties":{"größe":{"type":"string","enum":[` + quoted + `,"klein"]},"名前":{"type":"string"}},"required":["größe","名前"],"additionalProperties":false}`
	if got := toolNamed(w.T, tools, echo).InputSchema; !sameJSON(w.T, string(got), schema) {
		w.T.Errorf("the schema is %s; want %s", got, schema)
	}
	for _, text := range []string{strange, "nur ä", "ASCII"} {
		input := fmt.Sprintf(`{"größe":"klein","名前":%s}`, marshal(text))
		a := w.call(echo, input)
		if a.err != nil || a.refusal != nil || !sameJSON(w.T, a.value, input) {
			w.T.Errorf("echo of %s gave %s", input, a)
		}
	}
	w.gives(w.call(echo, `{"größe":`+quoted+`,"名前":""}`), `{"größe":`+quoted+`,"名前":""}`)
	a := w.call(read, `{}`)
	if a.err != nil || !sameJSON(w.T, a.value, `{`+quoted+`:[`+quoted+`]}`) {
		w.T.Errorf("read gave %s", a)
	}
	if r := w.refuses(w.call(fail, `{}`), "PRECONDITION_FAILED"); r.Message != "Nein: "+strange {
		w.T.Errorf("the message is %q; want %q", r.Message, "Nein: "+strange)
	}
}

// marshal writes a text as JSON, with every character as it is.
func marshal(text string) []byte {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(text); err != nil {
		panic(err) // a string can be written
	}
	return []byte(strings.TrimSpace(b.String()))
}

// asked is what a person is shown.
type asked struct {
	Summary string
	Input   struct{ Item string }
}

func confirmedByThePage(w *world) {
	for _, hook := range []string{"", "'answers'"} {
		if hook != "" && w.host.client {
			continue // there the hook is asked, which is another behaviour
		}
		w.do("lab.mountDesk(" + hook + ")")
		w.Have(sell)
		call := func() <-chan answer {
			answers := w.calling(suite.Within(w.T), sell, `{"item":"tea"}`)
			w.Until("lab.pending().length === 1")
			return answers
		}
		answers := call()
		if got := see[[]asked](w, "lab.pending()"); got[0].Summary != "Sell tea?" || got[0].Input.Item != "tea" {
			w.T.Errorf("the person is asked %+v", got)
		}
		w.confirms(answers, "tea")
		for decision, reason := range map[string]string{"deny": "denied", "expire": "expired"} {
			answers := call()
			w.do(fmt.Sprintf("lab.decide(%q)", decision))
			if r := w.refuses(w.wait(answers), "CONFIRMATION_INVALID"); r.Details["reason"] != reason {
				w.T.Errorf("%s gives %+v", decision, r)
			}
		}
		answers = call()
		w.do("lab.desk.adapter.stop()")
		w.refuses(w.wait(answers), "CONFIRMATION_REQUIRED")
		if ran, prompts := see[int](w, "lab.desk.ran"), see[int](w, "lab.desk.prompts.length"); ran != 1 || prompts != 0 {
			w.T.Errorf("the handler ran %d times and the hook was asked %d times; want once and never", ran, prompts)
		}
		w.do("lab.reset()")
		w.Have()
	}
}

func confirmedByTheClient(w *world) {
	w.do("lab.mountDesk('answers')")
	w.Have(sell)
	call := func(prompts int) <-chan answer {
		answers := w.calling(suite.Within(w.T), sell, `{"item":"tea"}`)
		w.Until(fmt.Sprintf("lab.desk.prompts.length === %d", prompts))
		return answers
	}
	answers := call(1)
	if got := see[asked](w, "lab.desk.prompts[0]"); got.Summary != "Sell tea?" || got.Input.Item != "tea" {
		w.T.Errorf("the hook is asked %+v", got)
	}
	w.do("lab.desk.answer(true)")
	w.gives(w.wait(answers), `"tea sold"`)
	answers = call(2)
	w.do("lab.desk.answer('yes')") // which is not true
	if r := w.refuses(w.wait(answers), "CONFIRMATION_INVALID"); r.Details["reason"] != "denied" {
		w.T.Errorf("an answer that is no true gives %+v", r)
	}
	answers = call(3)
	w.do("lab.decide('approve')") // elsewhere, while the prompt is open
	w.gives(w.wait(answers), `"tea sold"`)
	answers = call(4)
	w.do("lab.desk.adapter.stop()")
	w.refuses(w.wait(answers), "CONFIRMATION_REQUIRED")
	w.do("lab.desk.answer(true)")
	w.givenUpDuringThePrompt()
	if ran := see[int](w, "lab.desk.ran"); ran != 2 {
		w.T.Errorf("the handler ran %d times; want twice", ran)
	}
	w.do("lab.reset()")
	w.Have()
	w.do("lab.mountDesk('throws')")
	w.Have(sell)
	w.confirms(w.calling(suite.Within(w.T), sell, `{"item":"tea"}`), "tea")
}

// givenUpDuringThePrompt has the caller give up while the hook asks. Where the tool sees that, the answer comes too late.
func (w *world) givenUpDuringThePrompt() {
	w.T.Helper()
	if !w.host.sees {
		return
	}
	w.do("lab.desk.adapter.start({ registry: lab.desk.registry, consumer: { id: 'again', kind: 'webmcp' } })")
	w.Have(sell)
	w.do(fmt.Sprintf("void (globalThis.one = lab.agent.begin(%q, { item: 'tea' }))", sell))
	w.Until("lab.desk.prompts.length === 5")
	w.do("one.abort()")
	w.freed()
	w.Until("lab.pending().length === 0")
	w.do("lab.desk.answer(true)")
	w.Until("lab.calls() === 0")
}

// commands runs the command-line tool on the host's page, in a browser of its own.
func commands(w *world) {
	var flags []string
	if !w.host.flag {
		flags = append(flags, "--without-flag")
	}
	if program := w.host.program(); program != "" {
		flags = append(flags, "--browser", program)
	}
	run := func(args ...string) string {
		w.T.Helper()
		all := slices.Concat([]string{args[0], "--wait"}, flags, args[1:])
		ctx, cancel := context.WithTimeout(context.Background(), suite.Patience)
		defer cancel()
		output, err := exec.CommandContext(ctx, fixture.command, all...).CombinedOutput()
		if err != nil {
			w.T.Errorf("%q: %v: %s", args, err, output)
		}
		return string(output)
	}
	address := w.address + "?auto"
	if out := run("tools", address); !strings.Contains(out, poke+" ") || !strings.Contains(out, hold+" ") {
		w.T.Errorf("tools prints %q", out)
	}
	if out := run("call", address, poke); out != "\"poked\"\n" {
		w.T.Errorf("call prints %q", out)
	}
	var report browser.Report
	if out := run("doctor", "--json", address); json.Unmarshal([]byte(out), &report) != nil || len(report.Tools) != 2 || report.Ways[0] != w.host.way || report.Page.Native != w.host.flag {
		w.T.Errorf("doctor reports %s", out)
	}
	w.mcpCommand(address, flags...)
}
