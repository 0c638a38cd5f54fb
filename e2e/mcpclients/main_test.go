// Package mcpclients runs MCP clients that are not ours against package mcpserver: the inspector of npm in its
// command-line mode, and the official TypeScript SDK's client in Node.
package mcpclients

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/mcpserver"
	"github.com/pagewarden/pagewarden/registry"
)

// asServer is the environment variable that makes the test binary a server over stdio.
const asServer = "PAGEWARDEN_TEST_STDIO"

func TestMain(m *testing.M) {
	if os.Getenv(asServer) == "" {
		os.Exit(m.Run())
	}
	s, dispose, err := newServer()
	if err == nil {
		defer dispose()
		err = s.Run(context.Background(), mcpserver.Stdio())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

const (
	anyObject = `{"type":"object","properties":{},"additionalProperties":false}`
	word      = `{"type":"object","properties":{"word":{"type":"string","maxLength":20}},"required":["word"],"additionalProperties":false}`
	choice    = `{"anyOf":[{"type":"object","properties":{"k":{"const":"a"},"n":{"type":["null","integer"]}},"required":["k"]},{"type":"object","properties":{"k":{"const":"b"}},"required":["k"]}]}`
)

// newServer serves a surface that grows when it is told to.
func newServer() (*mcpserver.Server, func(), error) {
	r, err := registry.New(registry.Options{
		Authority: contract.NewOpenAuthority(contract.OpenOptions{}), Environment: capability.Test, OnDuplicateInstance: registry.ReplaceDuplicate,
	})
	if err != nil {
		return nil, nil, err
	}
	if _, err = r.Register(plant(r)); err != nil {
		return nil, nil, err
	}
	s, err := mcpserver.New(r, mcpserver.Options{ConsumerID: "clients", Name: "plant", Version: "1.0.0", Instructions: "Water it."})
	return s, func() {
		s.Close()
		r.Dispose()
	}, err
}

func echo(_ context.Context, input capability.JSON, _ *registry.Call) (capability.JSON, error) {
	return input, nil
}

// plant is the component that is there from the beginning.
func plant(r *registry.Registry) *registry.Component {
	action := func(name string, schema capability.JSON, execute func(context.Context, capability.JSON, *registry.Call) (capability.JSON, error)) registry.Action {
		return registry.Action{
			Name: name, Title: "To " + name, Description: "Does " + name, Effect: capability.LocalState,
			Input: registry.Schema{Document: schema}, Execute: execute,
		}
	}
	say := action("say", word, echo)
	say.Output = registry.Schema{Document: word}
	prune := action("prune", word, echo)
	prune.Confirmation = capability.Required
	return &registry.Component{
		Type: "garden.plant", Description: "A plant",
		Observations: []registry.Observation{{
			Name: "leaves", Description: "Its leaves", Output: registry.Schema{Document: `{"type":"array","items":{"type":"string"}}`},
			Read: registry.TypedRead(func(context.Context, *registry.Call) ([]string, error) { return nil, nil }),
		}},
		Actions: []registry.Action{
			say, prune, action("choose", choice, echo), action("text", `{"type":"string"}`, echo),
			action("grow", anyObject, func(context.Context, capability.JSON, *registry.Call) (capability.JSON, error) {
				_, err := r.Register(&registry.Component{Type: "garden.flower", Description: "A flower", Actions: []registry.Action{action("smell", anyObject, echo)}})
				return "", err
			}),
			action("wait", anyObject, func(ctx context.Context, _ capability.JSON, _ *registry.Call) (capability.JSON, error) {
				registry.Report(ctx, registry.Progress{Done: 1, Total: 2, Message: "half"})
				<-ctx.Done()
				return "", ctx.Err()
			}),
		},
	}
}

// serve serves over HTTP, for clients with a token.
func serve(t *testing.T) (address string) {
	t.Helper()
	s, dispose, err := newServer()
	if err != nil {
		t.Fatal(err)
	}
	h, err := s.Handler(mcpserver.HTTP{Access: mcpserver.Access{Token: token}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(h)
	t.Cleanup(func() {
		dispose()
		server.Close()
	})
	return server.URL
}

const token = "s3cret"

// node runs a script of the packages that tools/node pins, and gives its exit code and what it wrote.
func node(t *testing.T, env []string, script string, args ...string) (code int, out, errs string) {
	t.Helper()
	if _, err := os.Stat(script); err != nil {
		t.Fatalf("%v (run `make setup`)", err)
	}
	command := exec.CommandContext(t.Context(), "node", append([]string{script}, args...)...)
	command.Env = append(append(os.Environ(), "HOME="+t.TempDir(), "NO_COLOR=1"), env...)
	stdout, err := command.Output()
	var failed *exec.ExitError
	switch {
	case errors.As(err, &failed):
		return failed.ExitCode(), string(stdout), string(failed.Stderr)
	case err != nil:
		t.Fatal(err)
	}
	return 0, string(stdout), ""
}

// modules is where npm's packages are.
func modules(t *testing.T, path ...string) string {
	t.Helper()
	absolute, err := filepath.Abs(filepath.Join(append([]string{"..", "..", "tools", "node", "node_modules"}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	return absolute
}

// decode reads JSON that a client printed.
func decode[T any](t *testing.T, text string) T {
	t.Helper()
	var value T
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("the client printed %q: %v", text, err)
	}
	return value
}
