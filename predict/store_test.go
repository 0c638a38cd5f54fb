package predict

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pagewarden/pagewarden/canonical"
	"github.com/pagewarden/pagewarden/capability"
)

var dawn = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// bench is a store on a clock that a test sets.
type bench struct {
	*Store
	t      *testing.T
	now    time.Time
	events []string
}

func newBench(t *testing.T, state capability.JSON) *bench {
	t.Helper()
	b := &bench{t: t, now: dawn}
	var err error
	if b.Store, err = NewStore(State{state, "v1"}, func() time.Time { return b.now }); err != nil {
		t.Fatal(err)
	}
	b.Subscribe(func(e Event) { b.events = append(b.events, string(e.Type)+" "+e.PredictionID) })
	return b
}

// set predicts that a member gets a value.
func (b *bench) set(id, base, name string, value int, expires ...time.Time) Outcome {
	b.t.Helper()
	p := Prediction{BaseVersion: base, Patch: mustPatch(b.t, setting(name, value))}
	if len(expires) > 0 {
		p.ExpiresAt = expires[0]
	}
	outcome, err := b.Predict(id, p, time.Time{})
	if err != nil {
		b.t.Fatal(err)
	}
	return outcome
}

func setting(name string, value int) capability.JSON {
	return capability.JSON(fmt.Sprintf(`[{"op":"add","path":"/%s","value":%d}]`, name, value))
}

func (b *bench) commit(id string, state capability.JSON, version string, rule Reconciliation) Outcome {
	b.t.Helper()
	outcome, err := b.Commit(id, State{state, version}, time.Time{}, rule)
	if err != nil {
		b.t.Fatal(err)
	}
	return outcome
}

func (b *bench) expect(state capability.JSON, version string, ids ...string) {
	b.t.Helper()
	s := b.Snapshot()
	if s.State != state || s.AuthoritativeVersion != version || !slices.Equal(s.ActivePredictionIDs, ids) {
		b.t.Errorf("the store is %s", s.JSON())
	}
}

func (b *bench) told(want ...string) {
	b.t.Helper()
	if !slices.Equal(b.events, want) {
		b.t.Errorf("listeners heard %q; want %q", b.events, want)
	}
	b.events = nil
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if got != want {
		t.Errorf("%s is %v; want %v", what, got, want)
	}
}

func TestStoreAppliesInOrder(t *testing.T) {
	b := newBench(t, `{}`)
	same(t, "the first", b.set("p1", "v1", "a", 1), Predicted)
	same(t, "the second", b.set("p2", "v1", "a", 2), Predicted)
	b.expect(`{"a":2}`, "v1", "p1", "p2")
	same(t, "the rollback", b.Rollback("p2"), RolledBack)
	b.expect(`{"a":1}`, "v1", "p1")
	same(t, "the second rollback", b.Rollback("p2"), Missing)
	b.told("predicted p1", "predicted p2", "rolled-back p2")
	want := capability.JSON(`{"state":{"a":1},"version":"v1","authoritativeVersion":"v1","activePredictionIds":["p1"]}`)
	same(t, "the snapshot", b.Snapshot().JSON(), want)
}

func TestStoreRefusesPredictions(t *testing.T) {
	b := newBench(t, `{}`)
	b.set("p1", "v1", "a", 1)
	same(t, "a taken id", b.set("p1", "v1", "a", 2), Invalid)
	same(t, "an old base", b.set("p2", "v0", "a", 2), Stale)
	same(t, "a due one", b.set("p2", "v1", "a", 2, dawn), Expired)
	outcome, err := b.Predict("p2", Prediction{BaseVersion: "v1", Patch: mustPatch(t, `[{"op":"add","path":"/b","value":1},{"op":"remove","path":"/x"}]`)}, time.Time{})
	same(t, "the error", err, nil)
	same(t, "one that does not apply", outcome, Invalid)
	b.expect(`{"a":1}`, "v1", "p1")
	b.told("predicted p1")
	for i := range MaxPredictions {
		want := Predicted
		if i == MaxPredictions-1 { // p1 is one of them
			want = Invalid
		}
		same(t, "prediction "+fmt.Sprint(i), b.set(fmt.Sprintf("q%d", i), "v1", "a", i), want)
	}
}

func TestStoreCommits(t *testing.T) {
	b := newBench(t, `{}`)
	b.set("p1", "v1", "a", 1)
	b.set("p2", "v1", "b", 2)
	same(t, "the commit", b.commit("p1", `{"a":9}`, "v2", Manual), Committed)
	b.expect(`{"a":9}`, "v2")
	b.told("predicted p1", "predicted p2", "committed p1", "conflicted p2")
	same(t, "the commit again", b.commit("p1", `{"a":8}`, "v3", AcceptServerState), Missing)
	same(t, "the id of a conflicted one", b.set("p2", "v2", "b", 3), Invalid)
	same(t, "its rollback", b.Rollback("p2"), Missing)
	same(t, "its commit", b.commit("p2", `{"b":2}`, "v3", Reload), Conflicted)
	b.expect(`{"a":9}`, "v2")
	same(t, "its commit, accepted", b.commit("p2", `{"b":2}`, "v3", AcceptServerState), Committed)
	b.expect(`{"b":2}`, "v3")
	same(t, "its commit, accepted twice", b.commit("p2", `{"b":3}`, "v4", AcceptServerState), Missing)
	b.told("committed p2")
}

func TestStoreCommitOfTheSameVersionKeepsTheOthers(t *testing.T) {
	b := newBench(t, `{"n":0}`)
	b.set("p1", "v1", "a", 1)
	b.set("p2", "v1", "b", 2)
	same(t, "the commit", b.commit("p1", `{"n":0}`, "v1", Manual), Committed)
	b.expect(`{"n":0,"b":2}`, "v1", "p2")
}

func TestStorePredictionWithoutGroundHasNoEffect(t *testing.T) {
	b := newBench(t, `{}`)
	b.set("p1", "v1", "a", 1)
	if outcome, err := b.Predict("p2", Prediction{BaseVersion: "v1", Patch: mustPatch(t, `[{"op":"replace","path":"/a","value":2}]`)}, time.Time{}); outcome != Predicted {
		t.Fatal(outcome, err)
	}
	b.Rollback("p1")
	b.expect(`{}`, "v1", "p2")
	same(t, "the commit", b.commit("p2", `{"a":2}`, "v2", Manual), Committed)
}

func TestStoreExpires(t *testing.T) {
	b := newBench(t, `{}`)
	b.set("p1", "v1", "a", 1, dawn.Add(time.Second))
	b.set("p2", "v1", "b", 2, dawn.Add(2*time.Second))
	b.set("p3", "v1", "c", 3)
	same(t, "what is due at once", len(b.Expire(time.Time{})), 0)
	b.now = dawn.Add(time.Second)
	same(t, "what is due then", strings.Join(b.Expire(time.Time{}), " "), "p1")
	b.expect(`{"b":2,"c":3}`, "v1", "p2", "p3")
	same(t, "a late commit", b.commit("p1", `{}`, "v2", AcceptServerState), Missing)
	b.now = dawn.Add(2 * time.Second)
	same(t, "a commit that is due", b.commit("p2", `{}`, "v2", AcceptServerState), Expired)
	b.expect(`{"c":3}`, "v1", "p3")
	same(t, "at a given time", len(b.Expire(dawn.Add(time.Hour))), 0)
	b.told("predicted p1", "predicted p2", "predicted p3", "expired p1", "expired p2")
}

func TestStoreRefusesArguments(t *testing.T) {
	b := newBench(t, `{}`)
	b.set("p1", "v1", "a", 1)
	good := Prediction{BaseVersion: "v1"}
	large := capability.JSON(`"` + strings.Repeat("x", MaxStateBytes) + `"`)
	for _, test := range []struct {
		where string
		size  bool
		call  func() error
	}{
		{"version", false, func() error { _, err := NewStore(State{"{}", ""}, nil); return err }},
		{"version", false, func() error { _, err := NewStore(State{"{}", "v 1"}, nil); return err }},
		{"version", false, func() error { _, err := NewStore(State{"{}", strings.Repeat("v", 129)}, nil); return err }},
		{"state", false, func() error { _, err := NewStore(State{"{", "v1"}, nil); return err }},
		{"state", false, func() error { _, err := NewStore(State{"", "v1"}, nil); return err }},
		{"state", false, func() error { _, err := NewStore(State{`{"a":1,"a":2}`, "v1"}, nil); return err }},
		{"state", true, func() error { _, err := NewStore(State{large, "v1"}, nil); return err }},
		{"id", false, func() error { _, err := b.Predict("", good, dawn); return err }},
		{"id", false, func() error { _, err := b.Predict(strings.Repeat("p", 129), good, dawn); return err }},
		{"baseVersion", false, func() error { _, err := b.Predict("p", Prediction{}, dawn); return err }},
		{"id", false, func() error { _, err := b.Commit("", State{"{}", "v2"}, dawn, Manual); return err }},
		{"version", false, func() error { _, err := b.Commit("p1", State{"{}", ""}, dawn, Manual); return err }},
		{"state", false, func() error { _, err := b.Commit("p1", State{"nope", "v2"}, dawn, Manual); return err }},
		{"reconciliation", false, func() error { _, err := b.Commit("p1", State{"{}", "v2"}, dawn, "server"); return err }},
	} {
		var argument *ArgumentError
		if err := test.call(); !errors.As(err, &argument) || argument.Where != test.where || argument.Size != test.size {
			t.Errorf("got %v; want an error of %s", err, test.where)
		}
	}
	b.expect(`{"a":1}`, "v1", "p1")
}

func TestStoreForgetsOldConflicts(t *testing.T) {
	b := newBench(t, `{}`)
	version := "v1"
	for i := 0; i <= MaxConflicted; i++ {
		next := fmt.Sprintf("v%d", i+2)
		b.set(fmt.Sprintf("lost%d", i), version, "a", i)
		b.set("won", version, "b", i)
		b.commit("won", `{}`, next, Manual)
		version = next
	}
	same(t, "the first", b.commit("lost0", `{}`, "w", Manual), Missing)
	same(t, "the second", b.commit("lost1", `{}`, "w", Manual), Conflicted)
}

func TestStoreListeners(t *testing.T) {
	b := newBench(t, `{}`)
	var late []string
	var stop func()
	stop = b.Subscribe(func(e Event) {
		late = append(late, string(e.Type))
		if e.Type == Predicted {
			b.Rollback(e.PredictionID) // told after everybody has heard of the prediction
		} else {
			stop()
		}
		panic("a listener's own fault")
	})
	b.Subscribe(func(e Event) { late = append(late, "last "+string(e.Type)) })
	same(t, "the prediction", b.set("p1", "v1", "a", 1), Predicted)
	b.told("predicted p1", "rolled-back p1")
	b.expect(`{}`, "v1")
	b.set("p2", "v1", "a", 1)
	same(t, "what was heard", strings.Join(late, ", "), "predicted, last predicted, rolled-back, last rolled-back, last predicted")
	b.expect(`{"a":1}`, "v1", "p2")
}

// model is what a store must be, told apart from how it is made.
type model struct {
	base       map[string]int
	version    int
	overlays   []foreseen
	conflicted map[string]bool
	begun      map[string]int // predictions that became active, by id
	ended      map[string]int
	commits    int
}

type foreseen struct {
	id, name string
	value    int // 0 removes
	base     int
	expires  time.Time
}

func (f foreseen) patch() capability.JSON {
	if f.value == 0 {
		return capability.JSON(`[{"op":"remove","path":"/` + f.name + `"}]`)
	}
	return setting(f.name, f.value)
}

func (f foreseen) apply(state map[string]int) bool {
	if _, there := state[f.name]; f.value == 0 {
		delete(state, f.name)
		return there
	}
	state[f.name] = f.value
	return true
}

func (m *model) view() map[string]int {
	state := map[string]int{}
	for name, value := range m.base {
		state[name] = value
	}
	for _, f := range m.overlays {
		f.apply(state)
	}
	return state
}

func (m *model) index(id string) int {
	return slices.IndexFunc(m.overlays, func(f foreseen) bool { return f.id == id })
}

func (m *model) end(at int) {
	m.ended[m.overlays[at].id]++
	m.overlays = slices.Delete(m.overlays, at, at+1)
}

func (m *model) predict(f foreseen, now time.Time) Outcome {
	switch {
	case m.index(f.id) >= 0 || m.conflicted[f.id]:
		return Invalid
	case f.base != m.version:
		return Stale
	case !f.expires.IsZero() && !now.Before(f.expires):
		return Expired
	case !f.apply(m.view()):
		return Invalid
	}
	m.overlays = append(m.overlays, f)
	m.begun[f.id]++
	return Predicted
}

func (m *model) commit(id string, state map[string]int, version int, now time.Time, rule Reconciliation) Outcome {
	at := m.index(id)
	switch {
	case at >= 0 && !m.overlays[at].expires.IsZero() && !now.Before(m.overlays[at].expires):
		m.end(at)
		return Expired
	case at >= 0:
		m.end(at)
	case !m.conflicted[id]:
		return Missing
	case rule != AcceptServerState:
		return Conflicted
	default:
		delete(m.conflicted, id)
	}
	m.base, m.version = state, version
	m.commits++
	for i := len(m.overlays) - 1; i >= 0; i-- {
		if m.overlays[i].base != version {
			m.conflicted[m.overlays[i].id] = true
			m.end(i)
		}
	}
	return Committed
}

func TestStoreIsItsModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := dawn
		m := &model{base: map[string]int{}, version: 1, conflicted: map[string]bool{}, begun: map[string]int{}, ended: map[string]int{}}
		s, err := NewStore(State{"{}", "v1"}, func() time.Time { return now })
		if err != nil {
			t.Fatal(err)
		}
		heard := map[Outcome]map[string]int{}
		s.Subscribe(func(e Event) {
			if heard[e.Type] == nil {
				heard[e.Type] = map[string]int{}
			}
			heard[e.Type][e.PredictionID]++
		})
		ids := rapid.SampledFrom([]string{"p1", "p2", "p3", "p4"})
		names := rapid.SampledFrom([]string{"a", "b", "c"})
		agree := func(what string, got, want any) {
			if got != want {
				t.Fatalf("%s: got %v, want %v", what, got, want)
			}
		}
		accepted := map[string]int{}
		t.Repeat(map[string]func(*rapid.T){
			"predict": func(t *rapid.T) {
				f := foreseen{
					id: ids.Draw(t, "id"), name: names.Draw(t, "name"), value: rapid.IntRange(0, 3).Draw(t, "value"),
					base: m.version - max(0, rapid.IntRange(-4, 1).Draw(t, "behind")),
				}
				if rapid.Bool().Draw(t, "expires") {
					f.expires = now.Add(time.Duration(rapid.IntRange(0, 3).Draw(t, "in")) * time.Second)
				}
				outcome, err := s.Predict(f.id, Prediction{BaseVersion: fmt.Sprintf("v%d", f.base), Patch: mustPatch(t, f.patch()), ExpiresAt: f.expires}, time.Time{})
				agree("predict", err, nil)
				agree("predict", outcome, m.predict(f, now))
			},
			"commit": func(t *rapid.T) {
				id, rule := ids.Draw(t, "id"), rapid.SampledFrom([]Reconciliation{Manual, AcceptServerState}).Draw(t, "rule")
				state := map[string]int{names.Draw(t, "name"): rapid.IntRange(1, 9).Draw(t, "value")}
				version := m.version + rapid.IntRange(0, 1).Draw(t, "newer")
				wasConflicted := m.conflicted[id]
				outcome, err := s.Commit(id, State{encode(t, state), fmt.Sprintf("v%d", version)}, time.Time{}, rule)
				agree("commit", err, nil)
				agree("commit", outcome, m.commit(id, state, version, now, rule))
				if outcome == Committed && wasConflicted {
					accepted[id]++
				}
			},
			"roll back": func(t *rapid.T) {
				id, want := ids.Draw(t, "id"), Missing
				if at := m.index(id); at >= 0 {
					m.end(at)
					want = RolledBack
				}
				agree("rollback", s.Rollback(id), want)
			},
			"wait": func(*rapid.T) { now = now.Add(time.Second) },
			"expire": func(*rapid.T) {
				var want []string
				for i := 0; i < len(m.overlays); {
					if f := m.overlays[i]; !f.expires.IsZero() && !now.Before(f.expires) {
						want = append(want, f.id)
						m.end(i)
						continue
					}
					i++
				}
				agree("expire", fmt.Sprint(s.Expire(time.Time{})), fmt.Sprint(want))
			},
			"": func(t *rapid.T) {
				snapshot := s.Snapshot()
				if !canonical.Equal(snapshot.State, encode(t, m.view())) {
					t.Fatalf("the state is %s; want %v", snapshot.State, m.view())
				}
				agree("version", snapshot.AuthoritativeVersion, fmt.Sprintf("v%d", m.version))
				agree("active", len(snapshot.ActivePredictionIDs), len(m.overlays))
				for _, id := range []string{"p1", "p2", "p3", "p4"} {
					active := 0
					if m.index(id) >= 0 {
						active = 1
					}
					ends := heard[Committed][id] - accepted[id] + heard[RolledBack][id] + heard[Conflicted][id] + heard[Expired][id]
					agree("begun "+id, heard[Predicted][id], m.begun[id])
					agree("ends of "+id, ends+active, m.begun[id])
					agree("ended "+id, ends, m.ended[id])
				}
				total := 0
				for _, count := range heard[Committed] {
					total += count
				}
				agree("commits", total, m.commits)
			},
		})
	})
}

func TestStoreFromManySides(t *testing.T) {
	s, err := NewStore(State{`{}`, "v1"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	counts := map[Outcome]int{}
	s.Subscribe(func(e Event) {
		mu.Lock()
		defer mu.Unlock()
		counts[e.Type]++
	})
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for j := range 50 {
				id := fmt.Sprintf("p%d-%d", i, j)
				patch, _ := ParsePatch(setting(fmt.Sprintf("a%d", i), j))
				base := s.Snapshot().AuthoritativeVersion
				if outcome, err := s.Predict(id, Prediction{BaseVersion: base, Patch: patch}, time.Time{}); err != nil || outcome != Predicted {
					continue
				}
				if j%2 == 0 {
					s.Rollback(id)
				} else if _, err := s.Commit(id, State{`{}`, "w" + id}, time.Time{}, Manual); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	mu.Lock()
	defer mu.Unlock()
	if ends := counts[RolledBack] + counts[Committed] + counts[Conflicted]; counts[Predicted] == 0 || ends != counts[Predicted] {
		t.Errorf("%d predictions and %d ends: %v", counts[Predicted], ends, counts)
	}
	if left := s.Snapshot(); left.State != "{}" || len(left.ActivePredictionIDs) > 0 {
		t.Errorf("the store is left as %s", left.JSON())
	}
}
