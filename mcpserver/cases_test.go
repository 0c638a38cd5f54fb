package mcpserver_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/mcpserver"
	"github.com/pagewarden/pagewarden/registry"
)

// TestNamesThatProvidersWouldMix: each is safe and its own, stays so in another server, and calls what it stands for.
// (Cases 12 and 17.)
func TestNamesThatProvidersWouldMix(t *testing.T) {
	long := strings.Repeat("x", 90)
	paths := []string{"foo.bar", "foo_bar", "foo-bar", "read-only", "read_only", "a." + long + "one", "a." + long + "two", "p/q", "p.q", "p:q"}
	h := newHouse(t)
	procedures := registry.Procedures{}
	plain := &registry.Component{Type: "names.all", Description: "Names"}
	for _, path := range paths {
		procedures[path] = func(context.Context, capability.JSON, *registry.Call) (capability.JSON, error) {
			return capability.Quote(path), nil
		}
		plain.Procedures = append(plain.Procedures, registry.ProcedureBinding{Ref: registry.ProcedureRef{
			Path: path, Description: "Is " + path, Effect: capability.ServerQuery, Input: document(anyObject),
		}})
	}
	h.SetExecutor(procedures)
	h.mount(plain)
	only := func(o *mcpserver.Options) { o.Scope = []string{"names"} }
	first := connect(t, h.server(only), dialling{})
	list, err := first.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != len(paths) {
		t.Fatalf("%d tools for %d names: %v", len(list.Tools), len(paths), err)
	}
	safe := regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	seen := map[string]bool{}
	for i, tool := range list.Tools {
		if !safe.MatchString(tool.Name) || seen[tool.Name] {
			t.Errorf("%s is called %q", paths[i], tool.Name)
		}
		seen[tool.Name] = true
		if r := first.call(tool.Name, ""); text(r) != fmt.Sprintf("%q", paths[i]) {
			t.Errorf("%s calls %s", tool.Name, text(r))
		}
	}
	for range 50 {
		if again, err := first.ListTools(t.Context(), nil); err != nil || jsonOf(again.Tools) != jsonOf(list.Tools) {
			t.Fatalf("the list has changed (%v)", err)
		}
	}
	second, err := connect(t, h.server(only), dialling{}).ListTools(t.Context(), nil)
	if err != nil || jsonOf(second.Tools) != jsonOf(list.Tools) {
		t.Errorf("another server has other names (%v)", err)
	}
}

// TestWaitingForAPersonIsNotExecution: who takes longer than the handler may does not use up its time, and who gives up
// and tries again acts once. (Case 21.)
func TestWaitingForAPersonIsNotExecution(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		wipe := h.lamp().Actions[9]
		wipe.Timeout = 2 * time.Second
		h.mount(&registry.Component{Type: "house.slate", Description: "A slate", Actions: []registry.Action{wipe}})
		forms := 0
		c := connect(t, h.server(nil), dialling{elicit: func(ctx context.Context, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			forms++
			select {
			case <-time.After(10 * time.Second):
				return yes(), nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}})
		const tool = "view_house__slate__wipe"
		hasty, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if _, err := c.try(hasty, tool, "", mcpserver.InvocationMeta, "same"); err == nil || h.runs() > 0 {
			t.Errorf("the hasty call ends with %v after %d runs", err, h.runs())
		}
		synctest.Wait()
		if got := len(h.Confirmations().Pending()); got != 0 {
			t.Errorf("%d records wait for a call that was given up", got)
		}
		for range 2 {
			if r := c.call(tool, "", mcpserver.InvocationMeta, "same"); r.IsError || h.runs() != 1 {
				t.Errorf("the patient call gives %s after %d runs", text(r), h.runs())
			}
		}
		if forms != 2 {
			t.Errorf("a person was asked %d times", forms)
		}
		c.Close()
	})
}
