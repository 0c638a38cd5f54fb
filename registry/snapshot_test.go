package registry

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/policy"
)

func scope(prefixes ...string) func(*SnapshotOptions) {
	return func(o *SnapshotOptions) { o.Scope = prefixes }
}

func seenBy(id string) func(*SnapshotOptions) {
	return func(o *SnapshotOptions) {
		o.Consumer = capability.Consumer{ID: id, Kind: capability.EmbeddedConsumer}
	}
}

// types are the component types of a snapshot, with instances that are not the default.
func types(s *Snapshot) string {
	var out []string
	for _, c := range s.Components {
		name := c.Type
		if c.InstanceID != capability.DefaultInstanceID {
			name += "/" + c.InstanceID
		}
		out = append(out, name)
	}
	return strings.Join(out, " ")
}

func paths(s *Snapshot) string {
	var out []string
	for _, p := range s.Procedures {
		out = append(out, p.ProcedureID)
	}
	return strings.Join(out, " ")
}

func TestSnapshotAsData(t *testing.T) {
	w := newWorld(t, onLoop(t), func(o *Options) {
		o.Route = func() *Route { return &Route{Path: "/devices", Params: `{"id":"7"}`} }
	})
	read := observation("readState", gives(`1`))
	read.Title, read.UntrustedContent, read.Meta = "State", true, `{"m":1}`
	doIt := action("poke", echo)
	doIt.Output.Document = anyValue
	call := procedure("items.find", capability.ServerQuery)
	call.Ref.Input.Document = `{"type":"object","properties":{"tenant":{"type":"string"},"page":{"type":"integer"},"q":{"type":"string"}},"required":["tenant","page","q"]}`
	call.BoundKeys, call.OverridableKeys, call.Bind = []string{"tenant", "page"}, []string{"page"}, noBind
	call.Describe = func() (string, error) { return "Filtered to rack 7", nil }
	handle := w.mount(widget(read, doIt, call, func(c *Component) { c.Parent = &ComponentRef{Type: "page"}; c.Meta = `{"x":[1]}` }))
	var got, expected any
	text := w.look().JSON()
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	template := `{"surfaceId":"SURFACE","surfaceVersion":"1","capturedAt":"2000-01-01T00:00:00.000Z","route":{"path":"/devices","params":{"id":"7"}},
	"components":[{"type":"bench.widget","instanceId":"default","registrationId":"REG","description":"A widget","parent":{"type":"page","instanceId":"default"},"meta":{"x":[1]},
	 "observations":[{"capabilityId":"view:bench.widget.readState","name":"readState","title":"State","description":"Reads readState","untrustedContent":true,"outputSchema":{},"available":true,"meta":{"m":1}}],
	 "actions":[{"capabilityId":"view:bench.widget.poke","name":"poke","description":"Does poke","inputSchema":{"type":"object"},"outputSchema":{},"effect":"local-state","idempotent":false,"reversible":true,"confirmation":"never","available":true}]}],
	"procedures":[{"procedureId":"domain:items.find","description":"Calls items.find","contextualNote":"Filtered to rack 7",
	 "inputSchema":{"type":"object","properties":{"page":{"type":"integer"},"q":{"type":"string"}},"required":["q"]},"effect":"server-query","confirmation":"never","available":true,
	 "boundFields":[{"path":"tenant","locked":true,"source":"ui-state"},{"path":"page","locked":false,"source":"ui-state"}],
	 "registrationId":"REG","context":{"type":"bench.widget","instanceId":"default"}}]}`
	template = strings.NewReplacer("SURFACE", w.SurfaceID(), "REG", handle.RegistrationID()).Replace(template)
	if err := json.Unmarshal([]byte(template), &expected); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(got) != fmt.Sprint(expected) {
		t.Errorf("snapshot:\n%s\nwant:\n%s", text, template)
	}
}

func TestSnapshotNeverShowsInternalsOrOutput(t *testing.T) {
	w := newWorld(t, onLoop(t))
	ran := false
	w.mount(widget(observation("readState", func(contextArg, *Call) (capability.JSON, error) { ran = true; return `"OUTPUT"`, nil }),
		func(c *Component) { c.Internal = "INTERNAL" }))
	if text := string(w.look().JSON()); strings.Contains(text, "INTERNAL") || strings.Contains(text, "OUTPUT") {
		t.Errorf("the snapshot tells too much: %s", text)
	}
	want(t, "read ran", ran, false)
}

func TestSnapshotOrder(t *testing.T) {
	w := newWorld(t, onLoop(t))
	add := func(componentType, id string, priority int) {
		w.mount(widget(action("poke", echo), ofType(componentType), instance(id), func(c *Component) { c.Priority = priority }))
	}
	add("b", "default", 0)
	add("a.z", "default", 0)
	add("a-z", "default", 0)
	add("a", "b", 0)
	add("a", "B", 0)
	add("low", "default", -1)
	add("high", "default", 7)
	want(t, "order", types(w.look()), "high a/B a/b a-z a.z b low")
	first := w.look().JSON()
	for range 20 {
		want(t, "the same surface", w.look().JSON(), first)
	}
}

func TestCapabilitiesKeepTheOrderOfDeclaration(t *testing.T) {
	w := newWorld(t, onLoop(t))
	w.mount(widget(action("zeta", echo), action("alpha", echo), observation("omega", gives(`1`)), observation("beta", gives(`1`)),
		procedure("z", capability.ServerQuery), procedure("a", capability.ServerQuery)))
	s := w.look()
	c := s.Components[0]
	want(t, "actions", c.Actions[0].Name+" "+c.Actions[1].Name, "zeta alpha")
	want(t, "observations", c.Observations[0].Name+" "+c.Observations[1].Name, "omega beta")
	want(t, "procedures", paths(s), "domain:z domain:a")
}

func TestScope(t *testing.T) {
	w := newWorld(t, onLoop(t))
	for _, name := range []string{"devices", "devices.table", "devices.table.row", "devicesx", "users"} {
		w.mount(widget(action("poke", echo), ofType(name)))
	}
	w.mount(widget(ofType("users.list"), procedure("devices.remove", capability.ServerQuery)))
	linked := procedure("users.add", capability.ServerQuery)
	linked.Context = &ComponentRef{Type: "devices.form"}
	w.mount(widget(ofType("other"), linked))
	for _, test := range []struct {
		scope             []string
		components, paths string
	}{
		{nil, "devices devices.table devices.table.row devicesx users", "domain:users.add domain:devices.remove"},
		{[]string{}, "devices devices.table devices.table.row devicesx users", "domain:users.add domain:devices.remove"},
		{[]string{"devices"}, "devices devices.table devices.table.row", "domain:users.add"},
		{[]string{"devices.table"}, "devices.table devices.table.row", ""},
		{[]string{"users", "devicesx"}, "devicesx users", "domain:devices.remove"},
		{[]string{"device"}, "", ""},
		{[]string{""}, "", ""},
	} {
		s := w.look(scope(test.scope...))
		want(t, fmt.Sprintf("components in %q", test.scope), types(s), test.components)
		want(t, fmt.Sprintf("procedures in %q", test.scope), paths(s), test.paths)
	}
}

func TestOnlyAvailable(t *testing.T) {
	w := newWorld(t, onLoop(t))
	off := action("off", echo)
	off.When = func() (bool, error) { return false, nil }
	w.mount(widget(off, action("on", echo)))
	want(t, "by default", len(w.look().Components[0].Actions), 2)
	only := w.look(func(o *SnapshotOptions) { o.OnlyAvailable = true })
	want(t, "only available", len(only.Components[0].Actions), 1)
	want(t, "the one", only.Components[0].Actions[0].Name, "on")
}

func TestHiddenIsAbsent(t *testing.T) {
	w := newWorld(t, onLoop(t))
	secret := action("secret", echo)
	secret.Policies = []policy.Policy{onlyFor("admin")}
	w.mount(widget(secret, action("poke", echo), ofType("mixed")))
	w.mount(widget(action("poke", echo), procedure("x", capability.ServerQuery), onlyFor("admin"), ofType("hidden")))
	s := w.look()
	want(t, "components", types(s), "mixed")
	want(t, "actions", len(s.Components[0].Actions), 1)
	want(t, "procedures", paths(s), "")
	s = w.look(seenBy("admin"))
	want(t, "components for admin", types(s), "hidden mixed")
	want(t, "procedures for admin", paths(s), "domain:x")
}

func TestComponentOfProceduresIsNotListed(t *testing.T) {
	w := newWorld(t, onLoop(t))
	w.mount(widget(procedure("x", capability.ServerQuery)))
	s := w.look()
	want(t, "components", types(s), "")
	want(t, "procedures", paths(s), "domain:x")
}

func TestBudget(t *testing.T) {
	w := newWorld(t, onLoop(t))
	for i := range 9 {
		w.mount(widget(action("poke", echo), ofType(fmt.Sprintf("c%d", i)), func(c *Component) { c.Priority = i }))
	}
	w.mount(widget(procedure("x", capability.ServerQuery), ofType("p")))
	most := func(n int) func(*SnapshotOptions) { return func(o *SnapshotOptions) { o.MaxComponents = n } }
	bytes := func(n int) func(*SnapshotOptions) { return func(o *SnapshotOptions) { o.MaxBytes = n } }
	want(t, "three", types(w.look(most(3))), "c8 c7 c6")
	want(t, "dropped", w.look(most(3)).DroppedComponents, 6)
	want(t, "told", strings.Contains(string(w.look(most(3)).JSON()), `"truncated":{"droppedComponents":6}`), true)
	want(t, "enough room", w.look(most(9)).DroppedComponents, 0)
	want(t, "not told", strings.Contains(string(w.look(most(9)).JSON()), "truncated"), false)
	full := len(w.look().JSON())
	for limit := 1; limit <= full+1; limit += 37 {
		s := w.look(bytes(limit))
		if len(s.JSON()) > limit && len(s.Components) > 0 {
			t.Fatalf("%d bytes for a budget of %d with %d components", len(s.JSON()), limit, len(s.Components))
		}
		want(t, "nothing lost", len(s.Components)+s.DroppedComponents, 9)
		want(t, "procedures stay", len(s.Procedures), 1)
	}
	want(t, "exactly enough", w.look(bytes(full)).DroppedComponents, 0)
	want(t, "one byte less", w.look(bytes(full-1)).DroppedComponents, 1)
}

func TestContextualNote(t *testing.T) {
	for name, test := range map[string]struct {
		describe func() (string, error)
		note     string
	}{
		"given":  {func() (string, error) { return "Now", nil }, "Now"},
		"absent": {nil, ""},
		"error":  {func() (string, error) { return "x", errors.New("secret") }, ""},
		"panic":  {func() (string, error) { panic("secret") }, ""},
		"long":   {func() (string, error) { return long(400), nil }, long(300)},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, onLoop(t))
			p := procedure("x", capability.ServerQuery)
			p.Describe = test.describe
			w.mount(widget(p))
			view := w.look().Procedures[0]
			want(t, "note", view.ContextualNote, test.note)
			want(t, "description", view.Description, "Calls x")
		})
	}
}

func TestSnapshotChangesNothing(t *testing.T) {
	w := newWorld(t, onLoop(t))
	w.mount(plain())
	w.mount(widget(action("gone", echo), instance("gone"))).Unregister()
	w.heard()
	records := len(w.trail.Events())
	first := w.look()
	first.Components[0].Description = "changed by the caller"
	first.Components[0].Actions[0].Name = "changed"
	want(t, "the next one", w.look().Components[0].Description, "A widget")
	want(t, "its action", w.look().Components[0].Actions[0].Name, "poke")
	wantLines(t, "events", w.heard(), nil)
	want(t, "audit records", len(w.trail.Events()), records)
}

func TestRouteFailureLeavesItOut(t *testing.T) {
	for name, route := range map[string]func() *Route{
		"absent": nil, "nil": func() *Route { return nil }, "panics": func() *Route { panic("secret") },
	} {
		w := newWorld(t, onLoop(t), func(o *Options) { o.Route = route })
		if s := w.look(); s.Route != nil {
			t.Errorf("%s: route is %v", name, s.Route)
		}
	}
}

func TestSnapshotOfTheAnonymous(t *testing.T) {
	w := newWorld(t, onLoop(t))
	var seen capability.Consumer
	w.mount(widget(action("poke", echo), policy.Policy{Name: "p", OnDiscovery: func(c *policy.Context) (policy.Vote, error) {
		seen = c.Consumer
		return policy.Vote{}, nil
	}}))
	w.look()
	want(t, "consumer", seen.Key(), "embedded:anonymous")
	w.invoke(poke, "")
	want(t, "consumer of a call", seen.Key(), "embedded:anonymous")
}

func TestRejectedScopesAreShown(t *testing.T) {
	s := Snapshot{RejectedScopes: []string{"a", `b"`}}
	want(t, "told", strings.Contains(string(s.JSON()), `"scopeRejected":{"prefixes":["a","b\""]}`), true)
}
