package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/catalog"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/policy"
	"github.com/pagewarden/pagewarden/registry"
)

func newRegistry(t testing.TB, policies ...policy.Policy) *registry.Registry {
	t.Helper()
	r, err := registry.New(registry.Options{
		Authority: contract.NewOpenAuthority(contract.OpenOptions{AllowInProduction: true}), Policies: policies,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Dispose)
	return r
}

func component(kind, instance string, actions ...string) *registry.Component {
	c := &registry.Component{Type: kind, InstanceID: instance, Description: "A component"}
	for _, name := range actions {
		c.Actions = append(c.Actions, registry.Action{
			Name: name, Description: "Does " + name, Effect: capability.LocalState, Input: registry.Schema{Document: `{}`},
			Execute: func(context.Context, capability.JSON, *registry.Call) (capability.JSON, error) { return "", nil },
		})
	}
	return c
}

func procedure(path string, context *registry.ComponentRef) registry.ProcedureBinding {
	return registry.ProcedureBinding{Context: context, Ref: registry.ProcedureRef{
		Path: path, Description: "Does it", Effect: capability.ServerQuery, Input: registry.Schema{Document: `{}`},
	}}
}

func mount(t testing.TB, r *registry.Registry, c *registry.Component) *registry.Handle {
	t.Helper()
	h, err := r.Register(c)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func update(t testing.TB, c *catalog.Catalog) []string {
	t.Helper()
	_, names, err := c.Update()
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func wantNames(t testing.TB, got []string, names ...string) {
	t.Helper()
	if !slices.Equal(got, names) {
		t.Errorf("the names are %q; want %q", got, names)
	}
}

func TestNamesAreQualifiedWhereTheyMustBe(t *testing.T) {
	r := newRegistry(t)
	c := catalog.New(r, registry.SnapshotOptions{})
	one := mount(t, r, component("app.list", "one", "open", "close"))
	wantNames(t, update(t, c), "view_app__list__open", "view_app__list__close")
	two := mount(t, r, component("app.list", "two", "open"))
	wantNames(t, update(t, c), "view_app__list__open_at_one", "view_app__list__close_at_one", "view_app__list__open_at_two",
		"view_app__list__close", "view_app__list__open")
	mount(t, r, component("app.list", "three", "open"))
	wantNames(t, update(t, c), "view_app__list__open_at_three")
	wantNames(t, update(t, c))
	two.Unregister()
	wantNames(t, update(t, c), "view_app__list__open_at_two")
	one.Unregister()
	wantNames(t, update(t, c), "view_app__list__open",
		"view_app__list__close_at_one", "view_app__list__open_at_one", "view_app__list__open_at_three")
}

func TestProceduresAreQualifiedByContext(t *testing.T) {
	r := newRegistry(t)
	c := catalog.New(r, registry.SnapshotOptions{})
	first := component("app.a", "x")
	first.Procedures = []registry.ProcedureBinding{procedure("items.list", nil)}
	mount(t, r, first)
	wantNames(t, update(t, c), "domain_items__list")
	second := component("app.b", "y")
	second.Procedures = []registry.ProcedureBinding{procedure("items.list", nil)}
	h := mount(t, r, second)
	wantNames(t, update(t, c), "domain_items__list_at_x", "domain_items__list_at_y", "domain_items__list")
	third := component("app.c", "z")
	third.Procedures = []registry.ProcedureBinding{procedure("items.list", &registry.ComponentRef{Type: "app.b", InstanceID: "y"})}
	h3 := mount(t, r, third)
	wantNames(t, update(t, c), "domain_items__list_at_"+h.RegistrationID(), "domain_items__list_at_"+h3.RegistrationID(), "domain_items__list_at_y")
}

func TestNamesThatCollideAreToldApart(t *testing.T) {
	r := newRegistry(t)
	c := catalog.New(r, registry.SnapshotOptions{})
	long := "a234567890123456789012345678901234567890123456789012345678"
	mount(t, r, component("app."+long, "", "open"))
	before := update(t, c)
	// An id with an underscore in a domain path is always shortened with its hash; two of one name are not possible
	// by accident, so the catalog is only asked to keep them apart.
	b := component("app.b", "")
	b.Procedures = []registry.ProcedureBinding{procedure("a.b c", nil), procedure("a.b-c", nil)}
	h := mount(t, r, b)
	after := update(t, c)
	if len(after) != 2 || after[0] == after[1] || len(before) != 1 {
		t.Errorf("the names are %q", after)
	}
	h.Unregister()
	if left := c.Names(); !slices.Equal(left, before) {
		update(t, c)
	}
	wantNames(t, c.Names(), before...)
}

func TestStateAndBudget(t *testing.T) {
	r := newRegistry(t)
	c := catalog.New(r, registry.SnapshotOptions{MaxComponents: 1})
	h := mount(t, r, component("app.a", "", "open"))
	mount(t, r, component("app.b", "", "open"))
	wantNames(t, update(t, c), "view_app__a__open")
	enabled := false
	if err := h.Update(registry.Update{Enabled: &enabled}); err != nil {
		t.Fatal(err)
	}
	wantNames(t, update(t, c), "view_app__a__open")
	if item := c.Item("view_app__a__open"); item.State.Available || item.State.UnavailableReason != "component-disabled" {
		t.Errorf("the state is %+v", item.State)
	}
	h.Unregister()
	wantNames(t, update(t, c), "view_app__b__open", "view_app__a__open")
	if c.Item("view_app__a__open") != nil {
		t.Error("the name of what is gone still stands for something")
	}
}

func TestDisposed(t *testing.T) {
	r := newRegistry(t)
	c := catalog.New(r, registry.SnapshotOptions{})
	mount(t, r, component("app.a", "", "open"))
	r.Dispose()
	if _, _, err := c.Update(); !errors.Is(err, registry.ErrDisposed) {
		t.Errorf("the error is %v", err)
	}
	c.Stop()
}

// TestUpdatesComeToTheSameAsANewCatalog holds the catalog that follows a surface to one that looks at it whole.
func TestUpdatesComeToTheSameAsANewCatalog(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		guests := policy.Policy{Name: "p", OnDiscovery: func(ctx *policy.Context) (policy.Vote, error) {
			if ctx.Consumer.ID == "guest" && ctx.CapabilityID == "view:app.a.hidden" {
				return policy.Vote{Decision: policy.Hide}, nil
			}
			return policy.Vote{Decision: policy.Expose}, nil
		}}
		var policies []policy.Policy
		if rapid.Bool().Draw(rt, "policies") {
			policies = append(policies, guests)
		}
		r := newRegistry(t, policies...)
		options := registry.SnapshotOptions{
			Consumer:      capability.Consumer{ID: "guest", Kind: "test"},
			MaxComponents: rapid.SampledFrom([]int{0, 0, 0, 2}).Draw(rt, "most"),
		}
		c := catalog.New(r, options)
		items := map[string]*catalog.Item{}
		var handles []*registry.Handle
		for range rapid.IntRange(1, 25).Draw(rt, "steps") {
			switch rapid.IntRange(0, 4).Draw(rt, "step") {
			case 0, 1, 2:
				handles = append(handles, mount(t, r, drawComponent(rt)))
			case 3:
				if len(handles) > 0 {
					handles[rapid.IntRange(0, len(handles)-1).Draw(rt, "which")].Unregister()
				}
			case 4:
				if len(handles) > 0 {
					enabled := rapid.Bool().Draw(rt, "enabled")
					if err := handles[rapid.IntRange(0, len(handles)-1).Draw(rt, "which")].Update(registry.Update{Enabled: &enabled}); err != nil {
						rt.Fatal(err)
					}
				}
			}
			if rapid.Bool().Draw(rt, "looks") {
				checkUpdate(t, rt, r, c, options, items)
			}
		}
		checkUpdate(t, rt, r, c, options, items)
	})
}

func drawComponent(rt *rapid.T) *registry.Component {
	kind := rapid.SampledFrom([]string{"app.a", "app.b", "app.c"}).Draw(rt, "type")
	instance := rapid.SampledFrom([]string{"x", "y", "z"}).Draw(rt, "instance")
	c := component(kind, instance, "open", "hidden")
	paths := []string{"items.list", "a.b c", "a.b-c", "a.b_c", "a.b.c"}
	for _, path := range paths {
		if rapid.Bool().Draw(rt, path) {
			c.Procedures = append(c.Procedures, procedure(path, rapid.SampledFrom([]*registry.ComponentRef{nil, {Type: "app.a", InstanceID: "x"}}).Draw(rt, "context")))
		}
	}
	return c
}

func checkUpdate(t *testing.T, rt *rapid.T, r *registry.Registry, c *catalog.Catalog, options registry.SnapshotOptions, before map[string]*catalog.Item) {
	touched := update(t, c)
	whole := catalog.New(r, options)
	defer whole.Stop()
	update(t, whole)
	if !slices.Equal(c.Names(), whole.Names()) {
		rt.Fatalf("following gives %q; looking anew %q", c.Names(), whole.Names())
	}
	now := map[string]*catalog.Item{}
	for _, name := range c.Names() {
		now[name] = c.Item(name)
		if got, want := fmt.Sprint(now[name].CapabilityID, now[name].RegistrationID, now[name].State), whole.Item(name); got != fmt.Sprint(want.CapabilityID, want.RegistrationID, want.State) {
			rt.Fatalf("%s stands for %s", name, got)
		}
		if before[name] != now[name] && !slices.Contains(touched, name) {
			rt.Fatalf("%s stands for something else, and was not told", name)
		}
	}
	for name := range before {
		if now[name] == nil && !slices.Contains(touched, name) {
			rt.Fatalf("%s is gone, and was not told", name)
		}
	}
	clear(before)
	for name, item := range now {
		before[name] = item
	}
}

func BenchmarkOneChange(b *testing.B) {
	for _, n := range []int{1, 100, 1000, 5000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := newRegistry(b)
			c := catalog.New(r, registry.SnapshotOptions{})
			for i := range n {
				mount(b, r, component("app.list", fmt.Sprint("i", i), "open"))
			}
			h := mount(b, r, component("app.other", "", "open"))
			update(b, c)
			enabled := false
			for b.Loop() {
				if err := h.Update(registry.Update{Enabled: &enabled}); err != nil {
					b.Fatal(err)
				}
				enabled = !enabled
				update(b, c)
			}
		})
	}
}
