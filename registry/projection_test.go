package registry

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/policy"
)

// joined is the projection with its parts in place.
func (p *Projection) joined() capability.JSON {
	components, procedures := []capability.JSON{}, []capability.JSON{}
	for _, part := range p.Parts {
		if part.Component != "" {
			components = append(components, part.Component)
		}
		procedures = append(procedures, part.Procedures...)
	}
	return p.JSON(capability.ArrayJSON(components), capability.ArrayJSON(procedures))
}

func (w *world) project(options SnapshotOptions) *Projection {
	w.t.Helper()
	p, err := w.Project(options)
	if err != nil {
		w.t.Fatal(err)
	}
	return p
}

func TestProjectionIsTheSnapshot(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(t, onLoop(t))
		on := true
		votes := policy.Policy{Name: "p", OnDiscovery: func(ctx *policy.Context) (policy.Vote, error) {
			if ctx.Consumer.ID == "guest" {
				return policy.Vote{Decision: policy.Hide}, nil
			}
			return policy.Vote{Decision: policy.Expose}, nil
		}}
		handles := []*Handle{}
		add := func(rt *rapid.T) {
			name := rapid.StringMatching(`[a-c]{1,2}`).Draw(rt, "instance")
			parts := []any{observation("readState", nil), action("poke", echo), instance(name)}
			if rapid.Bool().Draw(rt, "dynamic") {
				poke := action("poke2", echo)
				poke.When = func() (bool, error) { return on, nil }
				parts = append(parts, poke)
			}
			if rapid.Bool().Draw(rt, "voted") {
				parts = append(parts, votes)
			}
			if rapid.Bool().Draw(rt, "procedures") {
				parts = append(parts, procedure("items.remove", capability.Destructive))
			}
			c := widget(parts...)
			c.Priority = rapid.IntRange(0, 2).Draw(rt, "priority")
			if h, err := w.Register(c); err == nil && h.Status() == Active {
				handles = append(handles, h)
			}
		}
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			switch rapid.IntRange(0, 3).Draw(rt, "step") {
			case 0, 1:
				add(rt)
			case 2:
				on = !on
			case 3:
				if len(handles) > 0 {
					h := handles[rapid.IntRange(0, len(handles)-1).Draw(rt, "which")]
					if rapid.Bool().Draw(rt, "leaves") {
						h.Unregister()
					} else {
						enabled := rapid.Bool().Draw(rt, "enabled")
						if err := h.Update(Update{Enabled: &enabled}); err != nil {
							rt.Fatal(err)
						}
					}
				}
			}
			options := SnapshotOptions{
				Consumer:      capability.Consumer{ID: rapid.SampledFrom([]string{"guest", "owner"}).Draw(rt, "consumer"), Kind: "test"},
				OnlyAvailable: rapid.Bool().Draw(rt, "available"),
				MaxComponents: rapid.IntRange(0, 3).Draw(rt, "most"),
				MaxBytes:      rapid.SampledFrom([]int{0, 0, 300, 1000, 3000}).Draw(rt, "bytes"),
			}
			if rapid.Bool().Draw(rt, "scoped") {
				options.Scope = []string{rapid.SampledFrom([]string{"bench", "other"}).Draw(rt, "scope")}
			}
			snapshot, err := w.Snapshot(options)
			if err != nil {
				rt.Fatal(err)
			}
			if got := w.project(options).joined(); got != snapshot.JSON() {
				rt.Fatalf("the projection is\n%s\nthe snapshot is\n%s", got, snapshot.JSON())
			}
		}
	})
}

func TestUnchangedPartsAreTheSame(t *testing.T) {
	w := newWorld(t, onLoop(t))
	one := w.mount(widget(action("poke", echo), instance("one")))
	w.mount(widget(action("poke", echo), instance("two")))
	first := w.project(SnapshotOptions{}).Parts
	again := w.project(SnapshotOptions{Consumer: capability.Consumer{ID: "other", Kind: "test"}}).Parts
	want(t, "the list is the same", &first[0] == &again[0], true)
	enabled := false
	if err := one.Update(Update{Enabled: &enabled}); err != nil {
		t.Fatal(err)
	}
	changed := w.project(SnapshotOptions{}).Parts
	want(t, "the changed part is the same", changed[0] == first[0], false)
	want(t, "the other part is the same", changed[1] == first[1], true)
	one.Unregister()
	want(t, "the part that is left is the same", w.project(SnapshotOptions{}).Parts[0] == first[1], true)
}

func TestUnsteadyPartsAreAskedAgain(t *testing.T) {
	w := newWorld(t, onLoop(t))
	asked, on := 0, true
	poke := action("poke", echo)
	poke.When = func() (bool, error) { asked++; return on, nil }
	w.mount(widget(poke))
	first := w.project(SnapshotOptions{}).Parts
	second := w.project(SnapshotOptions{}).Parts
	want(t, "asked", asked, 2)
	want(t, "the part is the same", first[0] == second[0], true)
	on = false
	if third := w.project(SnapshotOptions{}).Parts[0]; !strings.Contains(string(third.Component), `"available":false`) {
		t.Errorf("the part says %s", third.Component)
	}
}

func TestProjectAfterDispose(t *testing.T) {
	w := newWorld(t, onLoop(t))
	w.mount(widget(action("poke", echo)))
	w.project(SnapshotOptions{})
	w.Dispose()
	if _, err := w.Project(SnapshotOptions{}); err != ErrDisposed {
		t.Errorf("the error is %v", err)
	}
}

func TestBlueprintsAreMountedManyTimes(t *testing.T) {
	w := newWorld(t, onLoop(t))
	b, err := w.Prepare(widget(action("poke", echo), instance("first")))
	if err != nil {
		t.Fatal(err)
	}
	ran := ""
	for _, id := range []string{"", "second"} {
		_, err := w.Mount(b, Instance{ID: id, Functions: func(int) Functions {
			return Functions{Run: func(_ contextArg, _ capability.JSON, c *Call) (capability.JSON, error) {
				ran = c.RegistrationID
				return "", nil
			}}
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range []string{"first", "second"} {
		w.call(Request{CapabilityID: poke, InstanceID: id}).wantOK("")
		want(t, "the registration that ran", ran, w.state.live[instanceKey{"bench.widget", id}].id)
	}
	duplicate, err := w.Mount(b, Instance{ID: "second"})
	if err != nil || duplicate.Reason() != "duplicate" {
		t.Errorf("mounting it twice gave %v, %v", duplicate, err)
	}
	_, err = w.Mount(b, Instance{ID: "a b"})
	if defect, ok := IsDefinitionError(err); !ok || defect.Code != InvalidID {
		t.Errorf("a wrong id gave %v", err)
	}
	_, err = newWorld(t, onLoop(t)).Mount(b, Instance{})
	if defect, ok := IsDefinitionError(err); !ok || defect.Code != InvalidDefinition {
		t.Errorf("another registry gave %v", err)
	}
}

func TestManyInstancesComeAndGo(t *testing.T) {
	w := newWorld(t, onLoop(t))
	handles := map[string]*Handle{}
	for i := range 200 {
		id := fmt.Sprint("i", i)
		handles[id] = w.mount(widget(action("poke", echo), instance(id)))
	}
	for i := range 200 {
		if id := fmt.Sprint("i", i); i%10 != 0 {
			handles[id].Unregister()
			delete(handles, id)
		}
	}
	list := w.state.offers[poke]
	want(t, "live offers", list.live, len(handles))
	want(t, "gaps are closed", len(list.list) <= 2*list.live+8, true)
	order := -1
	for e := range list.all() {
		want(t, "in order of registration", e.reg.order > order, true)
		order = e.reg.order
	}
	for id := range handles {
		w.call(Request{CapabilityID: poke, InstanceID: id}).wantOK("{}")
	}
	var shown struct{ Components []struct{ InstanceID string } }
	if err := json.Unmarshal([]byte(w.project(SnapshotOptions{}).joined()), &shown); err != nil {
		t.Fatal(err)
	}
	ids := []string{}
	for _, c := range shown.Components {
		ids = append(ids, c.InstanceID)
	}
	want(t, "shown", reflect.DeepEqual(ids, []string{"i0", "i10", "i100", "i110", "i120", "i130", "i140", "i150", "i160", "i170", "i180", "i190", "i20", "i30", "i40", "i50", "i60", "i70", "i80", "i90"}), true)
}

func TestWhatIsGoneIsKeptByNobody(t *testing.T) {
	w := newWorld(t, onLoop(t))
	kept := w.mount(widget(action("poke", echo), instance("kept")))
	w.project(SnapshotOptions{})
	f := w.Follow(SnapshotOptions{})
	if _, err := f.Changes(); err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		w.mount(widget(action("poke", echo), instance("other"))).Unregister()
	}
	enabled := false
	if err := kept.Update(Update{Enabled: &enabled}); err != nil {
		t.Fatal(err)
	}
	s := &w.state
	want(t, "the order is short", len(s.order.sorted)+len(s.order.added) < 200, true)
	want(t, "what the follower has to look at", len(f.dirty), 1)
	want(t, "what it has seen", len(f.seen), 1)
	want(t, "offers", len(s.offers[poke].list) < 20, true)
	f.Stop()
	want(t, "followers", len(s.followers), 0)
}
