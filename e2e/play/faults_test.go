package main

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pagewarden/pagewarden/browser"
	"github.com/pagewarden/pagewarden/e2e/internal/site"
)

// fault is one defect of the demo page: a file that is served with one place changed.
type fault struct {
	name string
	file string // path in the address
	from string // must be there, exactly once
	to   string
	step string // that must see it
	says string // in its error
}

func faults() []fault {
	return []fault{
		{
			name: "a tool is missing", file: "/agent.js",
			from: "registerFilters(registry, app);", to: "",
			step: "list the tools", says: sortBy,
		},
		{
			name: "a tool too many", file: "/agent.js", // past the registry, which the contract closes
			from: "await startAdapter(registry, document);",
			to: `await startAdapter(registry, document);
				await document.modelContext.registerTool({ name: "view_devices__filters__wipe", description: "Wipes", inputSchema: { type: "object" }, execute: () => 1 });`,
			step: "list the tools", says: "view_devices__filters__wipe",
		},
		{
			name: "a wrong row count", file: "/agent/table.js",
			from: "matching: matching.length,", to: "matching: matching.length - 1,",
			step: "read the table", says: "199 of 200",
		},
		{
			name: "a filter that does not filter", file: "/agent/filters.js",
			from: "app.setFilters(input);", to: "app.setFilters({});",
			step: "filter the table", says: "200 devices match",
		},
		{
			name: "no typed error", file: "/agent.js",
			from: "runtime.createWebMcpAdapter({});",
			to: `runtime.createWebMcpAdapter({ modelContext: { registerTool: (tool, options) => document.modelContext.registerTool({ ...tool, execute: async (input) => {
					const result = await tool.execute(input);
					return result.isError ? { content: [{ type: "text", text: "null" }] } : result;
				} }, options) } });`,
			step: "send wrong input", says: "INVALID_INPUT",
		},
		{
			name: "an unavailable action is listed", file: "/agent/table.js",
			from: "() => app.selected.size === 1", to: "() => true",
			step: "look for actions that are not available", says: openSelected,
		},
		{
			name: "an action that stays unavailable", file: "/agent/table.js",
			from: "() => app.selected.size === 1", to: "() => app.selected.size === 2",
			step: "select a row, which makes them available", says: openSelected,
		},
		{
			name: "tools that outlive their component", file: "/agent/drawer.js",
			from: "handle.unregister();", to: "undefined;",
			step: "close the drawer", says: closeDrawer,
		},
		{
			name: "nobody is asked", file: "/agent.js",
			from: "mountConfirmationDialog(registry);",
			to:   "registry.confirmations.subscribe((all) => all.forEach((one) => registry.confirmations.resolve(one.confirmationId, { approved: true })));",
			step: "disable devices, approved by a person", says: "without asking",
		},
		{
			name: "a script can approve", file: "/agent.js",
			from: "mountConfirmationDialog(registry);",
			to: `mountConfirmationDialog(registry);
				document.addEventListener("click", () => registry.confirmations.pending().forEach((one) => registry.confirmations.resolve(one.confirmationId, { approved: true })));`,
			step: "disable devices, approved by a person", says: "script's click",
		},
		{
			name: "the server is not told", file: "/agent/procedures.js",
			from: "await app.disable(ids, reason, signal);", to: "ids;",
			step: "disable devices, approved by a person", says: "the database has",
		},
		{
			name: "a denial that approves", file: "/agent.js",
			from: "mountConfirmationDialog(registry);",
			to: `const { pending, subscribe, resolve } = registry.confirmations;
				mountConfirmationDialog({ confirmations: { pending, subscribe, resolve: (id) => resolve(id, { approved: true }) } });`,
			step: "disable devices, denied by a person", says: "accepted it",
		},
		{
			name: "an error on the page", file: "/app.js",
			from: "await startAgentSurface(app, document);",
			to:   `await startAgentSurface(app, document); console.error("seeded");`,
			step: "look at the pages' console", says: "seeded",
		},
		{
			name: "nothing is predicted", file: "/agent/rename.js",
			from: "app.expectName(id, activePredictionIds.length > 0 ? state.name : undefined);", to: "",
			step: "rename it: shown at once, then the server's", says: "predicted true",
		},
		{
			name: "a prediction that is believed for ever", file: "/agent/rename.js",
			from: "expiresAt: Date.now() + EXPIRY", to: "",
			step: "rename it, and the server is too slow", says: "predicted false",
		},
		{
			name: "a search that finds all", file: "/shop/model.js",
			from: "await this.#api.products(query);", to: `await this.#api.products("");`,
			step: "search the shop", says: "the search found",
		},
		{
			name: "a tool that asks nobody", file: "/shop-tools.js",
			from: "destructive: true,\n    requireConfirmation: true,", to: "destructive: true,",
			step: "clear the cart, denied by the person", says: "without asking",
		},
		{
			name: "a script can press", file: "/shop/cart.js",
			from: "if (event.isTrusted) ", to: "",
			step: "clear the cart, denied by the person", says: "the cart ", // has less at once, or was cleared in the end
		},
		{
			name: "the shop's server is not told", file: "/shop/api.js",
			from: `(await send("/api/cart/add", { productId, quantity })).cart`, to: `({ lines: [], count: 3, totalCents: 7470, productId, quantity })`,
			step: "add to the cart, by the person's own press", says: "the database has 0",
		},
	}
}

// script is what is played with the fault: the part that it is in.
func (f fault) script() []step {
	part := devicesScript()
	switch {
	case strings.HasPrefix(f.file, "/shop"):
		part = shopScript()
	case f.file == "/agent/rename.js":
		part = renameScript()
	}
	return slices.Concat([]step{{"open the page", openPage}}, part, []step{{"look at the pages' console", lookAtConsole}})
}

// faultLimit is for the steps that wait for what a fault prevents.
const faultLimit = 15 * time.Second

// TestMainJobFailsAtTheFault serves the demo with one fault at a time.
func TestMainJobFailsAtTheFault(t *testing.T) {
	b, err := browser.Launch(t.Context(), browser.Options{ExtraFlags: windowFlags()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, f := range faults() {
		t.Run(f.name, func(t *testing.T) {
			var out bytes.Buffer
			err := playFaulty(t, b, f, &out)
			var differs *stepError
			switch {
			case !errors.As(err, &differs):
				t.Errorf("play gave %v; want that a step differs\n%s", err, &out)
			case differs.step != f.step || !strings.Contains(differs.Error(), f.says):
				t.Errorf("%v; want it at %q, saying %q\n%s", differs, f.step, f.says, &out)
			}
		})
	}
}

func playFaulty(t *testing.T, b *browser.Browser, f fault, out *bytes.Buffer) error {
	t.Helper()
	root, err := site.Root()
	if err != nil {
		t.Fatal(err)
	}
	served := &rewriter{fault: f}
	d, err := site.Serve(t.Context(), root, served.wrap)
	if err != nil {
		t.Fatal(err)
	}
	a, err := newAlbum(options{shots: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	p := &player{browser: b, site: d, out: &transcript{w: out}, album: a, limit: faultLimit}
	err = p.play(t.Context(), f.script())
	if closing := d.Close(); closing != nil {
		t.Error(closing)
	}
	if served.err != nil || served.count == 0 {
		t.Errorf("the fault was served %d times: %v", served.count, served.err)
	}
	return err
}

// rewriter changes one file on its way to the browser.
type rewriter struct {
	fault fault
	count int
	err   error
}

func (r *rewriter) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if request.URL.Path != r.fault.file {
			next.ServeHTTP(w, request)
			return
		}
		original := httptest.NewRecorder()
		plain := request.Clone(request.Context())
		plain.Header = http.Header{} // no conditions, no compression
		next.ServeHTTP(original, plain)
		changed, err := r.fault.seed(original.Body.String())
		if err != nil {
			r.err = err
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		r.count++
		for name, values := range original.Header() {
			if name != "Content-Length" && name != "Last-Modified" {
				w.Header()[name] = values
			}
		}
		fmt.Fprint(w, changed)
	})
}

// seed puts the fault into the file's text.
func (f fault) seed(text string) (string, error) {
	if n := strings.Count(text, f.from); n != 1 {
		return "", fmt.Errorf("seeding %q: %s has %q %d times; want once", f.name, f.file, f.from, n)
	}
	return strings.Replace(text, f.from, f.to, 1), nil
}

func TestSeedingFailsLoudly(t *testing.T) {
	f := fault{name: "x", file: "/a.js", from: "abc", to: "d"}
	for text, ok := range map[string]bool{"1abc2": true, "nothing": false, "abcabc": false} {
		changed, err := f.seed(text)
		if (err == nil) != ok || ok && changed != "1d2" {
			t.Errorf("seeding %q gave %q, %v", text, changed, err)
		}
	}
}
