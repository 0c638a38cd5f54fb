package registry

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pagewarden/pagewarden/capability"
)

// watched keeps the steps of a registry's calls.
type watched struct {
	mu    sync.Mutex
	steps []map[string]any
}

func (w *world) watch() *watched {
	seen := &watched{}
	Watch(w.Registry, func(step capability.JSON) {
		var one map[string]any
		if err := json.Unmarshal([]byte(step), &one); err != nil {
			w.t.Errorf("a step is %s: %v", step, err)
		}
		seen.mu.Lock()
		defer seen.mu.Unlock()
		seen.steps = append(seen.steps, one)
	})
	return seen
}

// take are the steps since it was last asked.
func (s *watched) take() []map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	steps := s.steps
	s.steps = nil
	return steps
}

// phasesOf are the phases of steps, in one line.
func phasesOf(steps []map[string]any) string {
	var names []string
	for _, step := range steps {
		names = append(names, step["phase"].(string))
	}
	return strings.Join(names, ", ")
}

const allPhases = "resolution, availability, authorization, effective input, invoke policies, confirmation, precondition, admission, execution, settlement"

// compact is a value as JSON, for comparison.
func compact(t *testing.T, value any) string {
	t.Helper()
	out, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestWatchTellsEveryPhase(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		w, g := newWorld(t, on), newGate(on)
		w.mount(widget(action("poke", g.run)))
		seen := w.watch()
		first := w.call(Request{CapabilityID: poke, InvocationID: "one", InstanceID: "default", Input: `{"n":1}`})
		steps := seen.take()
		want(t, "phases while it runs", phasesOf(steps), strings.TrimSuffix(allPhases, ", settlement"))
		want(t, "request", compact(t, steps[0]), `{"capabilityId":"`+poke+`","consumerId":"embedded:anonymous","invocationId":"one","phase":"resolution",`+
			`"request":{"input":{"n":1},"instanceId":"default"}}`)
		want(t, "members of another step", len(steps[1]), 4)

		second := w.call(Request{CapabilityID: poke, Input: `{"n":2}`})
		on.advance(30 * time.Millisecond)
		seen.take()
		g.release(w, 0, `7`)
		first.wantOK(`7`)
		g.release(w, 1, "")
		second.wantOK("")
		waits := map[any]any{}
		for _, step := range seen.take() {
			if step["phase"] == "settlement" {
				waits[compact(t, step["effectiveInput"])] = step["queueWaitMs"]
				result, _ := step["result"].(map[string]any)
				want(t, "status", result["status"], any("ok"))
				want(t, "registration", strings.HasPrefix(step["registrationId"].(string), "reg_"), true)
			}
		}
		want(t, "waits", compact(t, []any{waits[`{"n":1}`], waits[`{"n":2}`]}), `[0,30]`)
	})
}

func TestWatchTellsWhereACallEnds(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		w, g := newWorld(t, on), newGate(on)
		w.mount(widget(action("poke", g.run)))
		seen := w.watch()
		w.call(Request{CapabilityID: "view:no.such"})
		steps := seen.take()
		want(t, "phases", phasesOf(steps), "resolution, settlement")
		want(t, "code", steps[1]["result"].(map[string]any)["error"].(map[string]any)["code"], any("CAPABILITY_NOT_FOUND"))
		want(t, "registration of nothing", steps[1]["registrationId"], nil)

		Watch(w.Registry, nil)
		w.call(Request{CapabilityID: "view:no.such"})
		want(t, "steps that nobody wants", len(seen.take()), 0)
	})
}

// TestWatcherThatPanics is no matter of the call.
func TestWatcherThatPanics(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		w, g := newWorld(t, on), newGate(on)
		w.mount(widget(action("poke", g.run)))
		Watch(w.Registry, func(capability.JSON) { panic("on purpose") })
		call := w.call(Request{CapabilityID: poke})
		g.release(w, 0, "")
		call.wantOK("")
		want(t, "told of it", w.logged("a watcher of "+poke+" failed: on purpose"), true)
	})
}
