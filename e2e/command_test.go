package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/browser"
	"github.com/pagewarden/pagewarden/e2e/internal/suite"
)

// command is the built command-line tool.
type command struct {
	t    *testing.T
	path string
}

func buildCommand(t *testing.T) command {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pagewarden")
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	build := exec.Command("go", "build", "-o", path, "./cmd/pagewarden")
	build.Dir = fixture.Root
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the command: %v\n%s", err, output)
	}
	return command{t, path}
}

// run runs the command and returns its exit code and what it wrote.
func (c command) run(args ...string) (code int, stdout, stderr string) {
	c.t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(suite.Within(c.t), c.path, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		c.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

// ok runs the command, which must succeed, and returns its output.
func (c command) ok(args ...string) string {
	c.t.Helper()
	code, out, errs := c.run(args...)
	if code != 0 || errs != "" {
		c.t.Fatalf("%q ended with %d: %s", args, code, errs)
	}
	return out
}

// no runs the command, which must end with 1 and say the text.
func (c command) no(text string, args ...string) {
	c.t.Helper()
	if code, out, errs := c.run(args...); code != 1 || out != "" || !strings.Contains(errs, text) {
		c.t.Errorf("%q ended with %d, %q, %q; want 1 and %q", args, code, out, errs, text)
	}
}

func TestCommandOnAPageThatUsesNothingOfOurs(t *testing.T) {
	c := buildCommand(t)
	address := fixture.URL + "/plain.html"
	if out := c.ok("tools", "--wait", address); !strings.Contains(out, "greet") || !strings.Contains(out, "Greet a person.") || !strings.Contains(out, "read-only") {
		t.Errorf("tools prints %q", out)
	}
	var tools []browser.Tool
	if err := json.Unmarshal([]byte(c.ok("tools", "--wait", "--json", address)), &tools); err != nil {
		t.Fatal(err)
	}
	if len(tools) != 1 || tools[0].Name != "greet" || !tools[0].Annotations.ReadOnly {
		t.Errorf("the tools are %+v", tools)
	}
	if out := c.ok("call", "--wait", address, "greet", `{"name":"Ada"}`); out != "Hello, Ada.\n" {
		t.Errorf("call prints %q", out)
	}
}

func TestCommandOnTheDemo(t *testing.T) {
	c := buildCommand(t)
	address := serveDemo(t).URL
	out := c.ok("tools", "--wait", address)
	for _, name := range []string{"view_app__navigation__goTo", "view_devices__table__readRows"} {
		if !strings.Contains(out, name+" ") {
			t.Errorf("tools does not print %s:\n%s", name, out)
		}
	}
	filters := c.ok("call", "--wait", address, "view_devices__filters__readFilters")
	if want := `{"status":"any","city":"any","query":"","sort":{"column":"name","direction":"ascending"}}` + "\n"; filters != want {
		t.Errorf("call prints %q; want %q", filters, want)
	}
	c.no("INVALID_INPUT", "call", "--wait", address, "view_devices__filters__setFilters", `{"status":7}`)
}
