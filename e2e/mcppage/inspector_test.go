package mcppage

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pagewarden/pagewarden/e2e/internal/suite"
)

// inspector runs npm's inspector once, as its users do in scripts, and gives its exit code and what it printed.
func inspector(t *testing.T, temp string, target []string, args ...string) (code int, out string) {
	t.Helper()
	script := filepath.Join(fixture.Root, "tools", "node", "node_modules", "@modelcontextprotocol", "inspector", "clients", "launcher", "build", "index.js")
	if _, err := os.Stat(script); err != nil {
		t.Fatalf("%v (run `make setup`)", err)
	}
	command := exec.CommandContext(suite.Within(t), "node", slices.Concat([]string{script, "--cli"}, target, []string{"--quiet"}, args)...)
	command.Env = append(os.Environ(), "HOME="+t.TempDir(), "NO_COLOR=1", "TMPDIR="+temp)
	var said strings.Builder
	command.Stderr = &said
	printed, err := command.Output()
	if failed := new(exec.ExitError); err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	t.Logf("the inspector said %s", said.String())
	return command.ProcessState.ExitCode(), string(printed)
}

// TestInspector: a client that is not ours sees a page's tools, a typed error, and another list after a change, and its
// linter has nothing to say about the schemas.
func TestInspector(t *testing.T) {
	const toolError = 5 // the inspector's exit code for a result with isError
	h := served(t, "")
	temp, err := os.MkdirTemp("", "pw")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(temp) })
	stdio := []string{fixture.command, "mcp", h.page(), "-e", "TMPDIR=" + temp, "--transport", "stdio"}
	code, out := inspector(t, temp, stdio, "--method", "tools/list", "--strict")
	if code != 0 || !strings.Contains(out, `"orders_find_18c286a5"`) {
		t.Errorf("listing ends with %d: %s", code, out)
	}
	code, out = inspector(t, temp, stdio, "--method", "tools/call", "--tool-name", "refuses")
	if code != toolError || !strings.Contains(out, `NOT_AUTHORIZED`) {
		t.Errorf("a refused call ends with %d: %s", code, out)
	}
	clientEnds(t, temp)

	p := start(t, "--http", "127.0.0.1:0", h.page())
	line, err := bufio.NewReader(p.stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("it prints no address: %v; it said %s", err, p.err)
	}
	http := []string{strings.TrimSpace(line), "--transport", "http"}
	code, out = inspector(t, temp, http, "--method", "tools/call", "--tool-name", "adds", "--tool-args-json", `{"zulu":"fresh"}`)
	if code != 0 || !strings.Contains(out, "added") {
		t.Errorf("a call ends with %d: %s", code, out)
	}
	code, out = inspector(t, temp, http, "--method", "tools/list")
	var list struct{ Tools []struct{ Name string } }
	if code != 0 || json.Unmarshal([]byte(out), &list) != nil || !slices.ContainsFunc(list.Tools, func(tool struct{ Name string }) bool { return tool.Name == "fresh" }) {
		t.Errorf("after the change listing ends with %d: %s", code, out)
	}
	p.signal(syscall.SIGTERM)
	p.hasEnded()
}

// clientEnds waits until the client's programs have ended, which it does not wait for itself.
func clientEnds(t *testing.T, temp string) {
	t.Helper()
	limit := suite.Within(t)
	for left := processesWith(temp); len(left) > 0; left = processesWith(temp) {
		select {
		case <-time.After(50 * time.Millisecond):
		case <-limit.Done():
			t.Fatalf("these processes are left: %v", left)
		}
	}
	if left, err := filepath.Glob(filepath.Join(temp, "pagewarden-*")); err != nil || len(left) > 0 {
		t.Errorf("these files are left: %q, error %v", left, err)
	}
}
