package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// The tools of the page of deaths.
const (
	lifeAsk   = "view_page__life__ask"
	lifeBreak = "view_page__life__break"
	lifeEcho  = "view_page__life__echo"
	lifeWait  = "view_page__life__wait"
)

// aftermathOfDeath is what a page sees after its runtime has ended.
type aftermathOfDeath struct {
	Call, Confirmation, Later, Other string
	Snapshot, Status                 struct{ Code, Reason, Message string }
	Aborted, Told, Uncaught          []string
}

func openDeaths(t *testing.T) tab {
	t.Helper()
	p := open(t, "containment/deaths.html")
	p.Until("globalThis.deaths !== undefined")
	p.Expected = []string{"pagewarden: ", "panic: ", "fatal error: ", "goroutine ", "the crash suite"}
	p.Have(echo)
	return p
}

// busy starts a runtime with a call of the page's, a confirmation and a call of an agent's pending.
func (p tab) busy() <-chan callOutcome {
	p.T.Helper()
	see[any](p, "deaths.begin()")
	p.Have(echo, lifeAsk, lifeBreak, lifeEcho, lifeWait)
	pending := p.begin(lifeWait, `{}`)
	p.Until("deaths.seen.waiting === 2")
	return pending
}

// TestDeathOfTheRuntime ends the runtime in every way, from the page and from inside a call of an agent's: every pending
// call is answered, the tools leave the browser, the console is told once, and a runtime beside it lives on.
func TestDeathOfTheRuntime(t *testing.T) {
	p := openDeaths(t)
	for _, fault := range []string{"PANIC_ELSEWHERE", "FATAL", "EXIT", "RECURSION", "TRAP", "TORN", "OUT_OF_MEMORY"} {
		t.Run(fault, func(t *testing.T) {
			p := tab{p.Of(t)}
			pending := p.busy()
			if got := see[struct{ Reason string }](p, fmt.Sprintf("deaths.fault(%q)", fault)); got.Reason != "runtime-lost" && fault != "PANIC_ELSEWHERE" {
				t.Errorf("the fault gave %+v", got)
			}
			p.mustBeDead(pending)
		})
		t.Run(fault+" inside a call", func(t *testing.T) {
			p := tab{p.Of(t)}
			pending := p.busy()
			result := p.call(lifeBreak, fmt.Sprintf(`{"fault":%q}`, fault))
			if fault != "PANIC_ELSEWHERE" {
				mustBeLost(t, callOutcome{result: result})
			}
			p.mustBeDead(pending)
		})
	}
}

func mustBeLost(t *testing.T, got callOutcome) {
	t.Helper()
	if got.err != nil {
		t.Fatalf("the agent's call gave %v; want an answer", got.err)
	}
	if r := refusalOf(t, got.result, "EXECUTION_FAILED"); r.Details.Reason != "runtime-lost" {
		t.Errorf("the agent's call gave %+v", r)
	}
}

// mustBeDead fails unless everybody knows.
func (p tab) mustBeDead(pending <-chan callOutcome) {
	p.T.Helper()
	p.Until("deaths.dead()") // a panic in a goroutine of its own is noticed when Go's scheduler next runs
	p.Have(echo)
	mustBeLost(p.T, <-pending)
	got := see[aftermathOfDeath](p, "deaths.after()")
	const lost = "EXECUTION_FAILED runtime-lost"
	if got.Call != lost || got.Later != lost || got.Confirmation != "expired" {
		p.T.Errorf("the page's calls gave %q and %q, its confirmation %q", got.Call, got.Later, got.Confirmation)
	}
	if got.Snapshot.Reason != "runtime-lost" || got.Status.Reason != "runtime-lost" {
		p.T.Errorf("synchronous calls threw %+v and %+v", got.Snapshot, got.Status)
	}
	if want := []string{"the runtime has ended", "the runtime has ended"}; !slices.Equal(got.Aborted, want) {
		p.T.Errorf("the handlers were told %q; want %q", got.Aborted, want)
	}
	ends := slices.DeleteFunc(got.Told, func(line string) bool { return !strings.Contains(line, "the runtime has ended") })
	if len(ends) != 1 {
		p.T.Errorf("the console was told %q; want it once", ends)
	}
	if len(got.Uncaught) > 0 || got.Other != "other" {
		p.T.Errorf("nobody caught %q; the runtime beside it gave %q", got.Uncaught, got.Other)
	}
	callOnce(p)
}

// TestStackOfThePage calls the runtime with ever more room on the page's stack: it does what it was asked, refuses, or
// ends as a whole; it never goes on half done.
func TestStackOfThePage(t *testing.T) {
	p := openDeaths(t)
	for _, call := range []string{"invoke", "register", "snapshot", "resolve"} {
		t.Run(call, func(t *testing.T) {
			p := tab{p.Of(t)}
			pending := p.busy()
			kinds := map[string]int{}
			for room := 1; room < 4000; room += 1 + room/24 {
				kind := see[string](p, fmt.Sprintf("deaths.tight(%q, %d)", call, room))
				if see[bool](p, "deaths.dead()") {
					p.mustBeDead(pending)
					pending = p.busy()
					kind = "died"
				} else if alive := see[string](p, "deaths.echo()"); alive != "alive" {
					t.Fatalf("room for %d frames: the call %s, and the next gave %q", room, kind, alive)
				}
				kinds[kind]++
			}
			t.Logf("%v", kinds)
			if kinds["done"] == 0 || kinds["threw"]+kinds["died"] == 0 {
				t.Errorf("the calls were %v; want some with room enough and some without", kinds)
			}
			see[any](p, "deaths.end()")
			refusalOf(t, (<-pending).result, "CANCELLED")
		})
	}
	t.Run("inside a call", func(t *testing.T) {
		p := tab{p.Of(t)}
		pending := p.busy()
		refused := p.refused(lifeBreak, `{"fault":"STACK"}`, "EXECUTION_FAILED")
		if see[bool](p, "deaths.dead()") {
			p.mustBeDead(pending)
			return
		}
		if alive := see[string](p, "deaths.echo()"); alive != "alive" || refused.Details.Reason != "handler-error" {
			t.Errorf("the call gave %+v, and the next %q", refused, alive)
		}
		see[any](p, "deaths.end()")
		refusalOf(t, (<-pending).result, "CANCELLED")
	})
}

// TestPanicIsContained panics in an export and in a flow: only that operation fails.
func TestPanicIsContained(t *testing.T) {
	p := openDeaths(t)
	for _, fault := range []string{"PANIC", "PANIC_IN_FLOW"} {
		pending := p.busy()
		see[any](p, fmt.Sprintf("deaths.fault(%q)", fault))
		p.call(lifeBreak, fmt.Sprintf(`{"fault":%q}`, fault))
		if alive := see[string](p, "deaths.echo()"); alive != "alive" {
			t.Errorf("%s: the next call gave %q", fault, alive)
		}
		if result := p.call(lifeEcho, `{}`); result.Value() != `"alive"` {
			t.Errorf("%s: the agent's next call gave %s", fault, result.Raw)
		}
		see[any](p, "deaths.end()")
		refusalOf(t, (<-pending).result, "CANCELLED")
		p.Have(echo)
	}
}
