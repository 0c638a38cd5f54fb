package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/browser"
	"github.com/pagewarden/pagewarden/e2e/internal/suite"
)

// The tools of the lab's widget.
const (
	hold = "view_ui__widget__hold"
	poke = "view_ui__widget__poke"
	read = "view_ui__widget__read"
)

// aftermath is what the lab saw while a component went.
type aftermath struct {
	Log   []string `json:"log"`
	Names []string `json:"names"`
}

func (a aftermath) position(entry string) int { return slices.Index(a.Log, entry) }

func openWidget(t *testing.T) tab {
	t.Helper()
	p := openLab(t)
	if status := see[string](p, "lab.mountWidget()"); status != "active" {
		t.Fatalf("the widget is %s", status)
	}
	p.Have(hold, poke, read)
	return p
}

func TestUnregisteredIdleToolsGoInTheSameTurn(t *testing.T) {
	p := openWidget(t)
	after := see[aftermath](p, "lab.unregisterIdle()")
	if want := []string{"remove " + hold, "remove " + poke, "remove " + read, "turn over"}; !slices.Equal(sortedUpTo(after.Log, "turn over"), want) {
		t.Errorf("it went as %q; want the tools removed before the turn was over", after.Log)
	}
	if len(after.Names) != 0 {
		t.Errorf("the browser still has %q", after.Names)
	}
	p.Have()
}

// sortedUpTo sorts the entries before the mark: tools may go in any order.
func sortedUpTo(log []string, mark string) []string {
	log = slices.Clone(log)
	if at := slices.Index(log, mark); at > 0 {
		slices.Sort(log[:at])
	}
	return log
}

func TestUnregisteredBusyToolGoesATaskAfterItsCall(t *testing.T) {
	t.Run("ended by the registry", func(t *testing.T) {
		result := unregisterBusy(t, "wait")
		r := refusalOf(t, result, "COMPONENT_UNMOUNTED")
		if r.Details.Phase != "mid-flight" || r.Details.Progress != "may-have-happened" {
			t.Errorf("the details are %+v", r.Details)
		}
	})
	t.Run("answered in time", func(t *testing.T) {
		if result := unregisterBusy(t, "answer"); result.IsError() || result.Value() != `"in time"` {
			t.Errorf("the call gave %s; want its answer", result.Raw)
		}
	})
}

// unregisterBusy unregisters the widget while hold is in flight, and returns what the agent got.
func unregisterBusy(t *testing.T, how string) browser.Result {
	t.Helper()
	p := openWidget(t)
	ctx := suite.Within(t)
	type answer struct {
		result browser.Result
		err    error
	}
	answered := make(chan answer, 1)
	go func() {
		result, err := p.Call(ctx, hold, json.RawMessage("{}"))
		answered <- answer{result, err}
	}()
	p.Until("lab.held()")
	after := see[aftermath](p, fmt.Sprintf("lab.unregisterBusy(%q)", how))
	settled, microtask, gone := after.position("settled"), after.position("microtask after"), after.position("remove "+hold)
	if settled < 0 || gone < microtask || microtask < settled {
		t.Errorf("it went as %q; want that %s goes in a task after its call has settled", after.Log, hold)
	}
	for _, idle := range []string{poke, read} {
		if at := after.position("remove " + idle); at < 0 || how == "wait" && at > settled {
			t.Errorf("it went as %q; want that %s, which is idle, goes at once", after.Log, idle)
		}
	}
	if len(after.Names) != 0 {
		t.Errorf("three tasks after the call the browser still has %q", after.Names)
	}
	p.Have()
	got := <-answered
	if got.err != nil {
		t.Fatalf("the agent lost the result: %v", got.err)
	}
	return got.result
}

func TestActionThatRemovesItselfDeliversItsResult(t *testing.T) {
	p := openLab(t)
	see[string](p, "lab.mountLeaver()")
	p.Have("view_ui__leaver__leave")
	if result := p.call("view_ui__leaver__leave", "{}"); result.IsError() || result.Value() != `"gone"` {
		t.Errorf("the call gave %s", result.Raw)
	}
	p.Have()
}

func TestQuickRemountsLeaveOneSet(t *testing.T) {
	for _, between := range []string{"nothing", "microtask", "task"} {
		t.Run(between, func(t *testing.T) {
			p := openWidget(t)
			after := see[struct {
				Gaps   [][]string    `json:"gaps"`
				Names  []string      `json:"names"`
				Status adapterStatus `json:"status"`
				Handle string        `json:"handle"`
			}](p, fmt.Sprintf("lab.remount(50, %q)", between))
			want := []string{hold, poke, read}
			if !slices.Equal(after.Names, want) || after.Handle != "active" {
				t.Errorf("the browser has %q, the widget is %s; want %q", after.Names, after.Handle, want)
			}
			if len(after.Gaps) > 0 {
				t.Errorf("after a turn the browser had %q", after.Gaps)
			}
			if len(after.Status.Registered) != 3 || len(after.Status.Refused) != 0 {
				t.Errorf("the adapter says %+v", after.Status)
			}
			p.Have(hold, poke, read)
			if result := p.call(poke, "{}"); result.IsError() || !strings.Contains(string(result.Raw), "poked") {
				t.Errorf("the call gave %s", result.Raw)
			}
		})
	}
}
