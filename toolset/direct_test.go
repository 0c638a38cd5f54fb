package toolset_test

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/policy"
	"github.com/pagewarden/pagewarden/registry"
	"github.com/pagewarden/pagewarden/toolset"
)

func TestDirectTools(t *testing.T) {
	p := newPage(t, nil)
	p.Register(p.list("main"))
	p.Register(p.admin())
	want := strings.Join([]string{
		`view_app__list__rows|[view · read] Reads the rows|{"type":"object","properties":{},"additionalProperties":false}|{"available":true}`,
		`view_app__list__select|[view · local-state] Selects rows|{"type":"object","properties":{"ids":{"type":"array"}}}|{"available":true}`,
		`domain_items__server-query|[domain · server-query] Does it|{"type":"object","properties":{"id":{"type":"string"}}}|{"available":true}`,
		`domain_items__server-mutation|[domain · server-mutation] Does it|{"type":"object","properties":{"id":{"type":"string"}}}|{"available":true}`,
		`domain_items__external-side-effect|[domain · external-side-effect · requires confirmation] Does it|{"type":"object","properties":{"id":{"type":"string"}}}|{"available":true}`,
		`domain_items__destructive|[domain · destructive · requires confirmation] Does it|{"type":"object","properties":{"id":{"type":"string"}}}|{"available":true}`,
	}, "\n")
	if got := describeAll(p.tools()); got != want {
		t.Errorf("the tools are\n%s\nwant\n%s", got, want)
	}
	wantMap := map[string]string{
		"view_app__list__rows": "view:app.list.rows", "view_app__list__select": "view:app.list.select",
		"domain_items__server-query": "domain:items.server-query", "domain_items__server-mutation": "domain:items.server-mutation",
		"domain_items__external-side-effect": "domain:items.external-side-effect", "domain_items__destructive": "domain:items.destructive",
	}
	if got := p.set.WireNameMap(); !maps.Equal(got, wantMap) {
		t.Errorf("the map is %v", got)
	}
}

// TestToolJSON holds the form that hosts render.
func TestToolJSON(t *testing.T) {
	p := newPage(t, nil)
	c := p.list("main")
	c.Actions[0].When = func() (bool, error) { return false, nil }
	p.Register(c)
	want := capability.JSON(`{"name":"view_app__list__select","description":"[view · local-state] Selects rows",` +
		`"inputSchema":{"type":"object","properties":{"ids":{"type":"array"}}},"state":{"available":false,"unavailableReason":"Currently unavailable"}}`)
	if got := p.tool(selectTool).JSON(); got != want {
		t.Errorf("the tool is\n%s\nwant\n%s", got, want)
	}
}

func TestInstancesAreToldApartByName(t *testing.T) {
	p := newPage(t, nil)
	first := p.Register(p.list("left"))
	p.wantNames("view_app__list__rows view_app__list__select")
	p.Register(p.list("right"))
	p.wantNames("view_app__list__rows_at_left view_app__list__select_at_left view_app__list__rows_at_right view_app__list__select_at_right")
	first.Unregister()
	p.wantNames("view_app__list__rows view_app__list__select")
}

// TestStateIsAskedAtEveryLook though no event tells of it.
func TestStateIsAskedAtEveryLook(t *testing.T) {
	p := newPage(t, nil)
	ready, note, signedIn := true, "3 rows selected", true
	p.Registry().SetExecutor(registry.ExecutorFunc(func(context.Context, string, capability.JSON, *registry.Call) (capability.JSON, error) {
		return "", nil
	}))
	c := p.list("")
	c.Actions[0].When = func() (bool, error) { return ready, nil }
	c.Actions[0].UnavailableReason = func() string { return "not yet" }
	c.Observations[0].Policies = []policy.Policy{{Name: "signed-in", OnDiscovery: func(*policy.Context) (policy.Vote, error) {
		if !signedIn {
			return policy.Vote{Decision: policy.Hide}, nil
		}
		return policy.Vote{}, nil
	}}}
	c.Procedures = []registry.ProcedureBinding{{
		Ref:      registry.ProcedureRef{Path: "rows.find", Description: "Finds rows", Effect: capability.ServerQuery, Input: document(`{"type":"object"}`)},
		Describe: func() (string, error) { return note, nil },
	}}
	p.Register(c)
	p.wantNames("view_app__list__rows view_app__list__select domain_rows__find")
	if got := p.tool("domain_rows__find").State; got != (toolset.State{Available: true, Note: "3 rows selected"}) {
		t.Errorf("the state is %+v", got)
	}
	ready, note, signedIn = false, "", false
	p.wantNames("view_app__list__select domain_rows__find")
	if got := p.tool(selectTool).State; got != (toolset.State{UnavailableReason: "not yet"}) {
		t.Errorf("the state is %+v", got)
	}
	if got := p.tool("domain_rows__find").State; got != (toolset.State{Available: true}) {
		t.Errorf("the state is %+v", got)
	}
}

func TestScopeOfDirectMode(t *testing.T) {
	p := newPage(t, func(o *toolset.Options) { o.Scope = []string{"app.list"} })
	p.Register(p.list(""))
	p.Register(p.admin())
	p.wantNames("view_app__list__rows view_app__list__select")
}

// TestCatalogsStayWhatTheyWere: a tool that was handed out does not change when the next catalog has another.
func TestCatalogsStayWhatTheyWere(t *testing.T) {
	p := newPage(t, nil)
	h := p.Register(p.list(""))
	before := p.tools()
	text := describeAll(before)
	disable(t, h)
	after := p.tools()
	if describeAll(before) != text {
		t.Error("a catalog changed after it was handed out")
	}
	if before[0].Spec == after[0].Spec || after[0].State.Available {
		t.Error("the next catalog has the old tool")
	}
	if before[0].SurfaceVersion == after[0].SurfaceVersion {
		t.Errorf("both catalogs are of version %s", after[0].SurfaceVersion)
	}
}

// TestUnchangedCatalogIsTheSame so that a host can tell without comparing texts.
func TestUnchangedCatalogIsTheSame(t *testing.T) {
	p := newPage(t, nil)
	p.Register(p.list(""))
	first, second := p.tools(), p.tools()
	if &first[0] != &second[0] {
		t.Error("nothing has changed, and the list is another")
	}
	p.Registry().Invalidate()
	third := p.tools()
	if third[0].Spec != first[0].Spec {
		t.Error("only the version has changed, and the tool is another")
	}
	if third[0].SurfaceVersion == first[0].SurfaceVersion {
		t.Error("the version has changed, and the catalog does not say so")
	}
}

func disable(t testing.TB, h *registry.Handle) { setEnabled(t, h, false) }

func setEnabled(t testing.TB, h *registry.Handle, enabled bool) {
	t.Helper()
	if err := h.Update(registry.Update{Enabled: &enabled}); err != nil {
		t.Fatal(err)
	}
}

func TestEndOfAToolset(t *testing.T) {
	p := newPage(t, nil)
	p.Register(p.list(""))
	tool := p.tool(selectTool)
	p.set.Dispose()
	p.set.Dispose()
	if _, err := p.set.Tools(); !errors.Is(err, toolset.ErrDisposed) {
		t.Errorf("the error is %v", err)
	}
	wantCode(t, p.call(tool, `{}`), capability.CodeNotFound)
	p.wantRan()

	p.set = p.newSet(nil)
	tool = p.tool(selectTool)
	p.Registry().Dispose()
	if _, err := p.set.Tools(); !errors.Is(err, registry.ErrDisposed) {
		t.Errorf("the error is %v", err)
	}
	wantCode(t, p.call(tool, `{}`), capability.CodeCancelled)
}

// TestHookThatAsksForTools: a hook of the page that looks at the tools while they are being made sees them.
func TestHookThatAsksForTools(t *testing.T) {
	p := newPage(t, nil)
	c := p.list("")
	asked := 0
	c.Actions[0].When = func() (bool, error) {
		if asked++; asked == 1 {
			p.wantNames("view_app__list__rows view_app__list__select")
		}
		return true, nil
	}
	p.Register(c)
	p.wantNames("view_app__list__rows view_app__list__select")
	if asked != 2 {
		t.Errorf("the hook was asked %d times", asked)
	}
}
