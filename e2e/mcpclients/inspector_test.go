package mcpclients

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// inspector runs the inspector once, as its users do in scripts.
func inspector(t *testing.T, target []string, args ...string) (code int, out, errs string) {
	t.Helper()
	script := modules(t, "@modelcontextprotocol", "inspector", "clients", "launcher", "build", "index.js")
	return node(t, nil, script, append(append([]string{"--cli"}, target...), append([]string{"--quiet"}, args...)...)...)
}

type listed struct {
	Tools []struct {
		Name        string
		InputSchema map[string]any
	}
}

func (l listed) names() []string {
	var names []string
	for _, tool := range l.Tools {
		names = append(names, tool.Name)
	}
	return names
}

type called struct {
	Content           []struct{ Text string }
	StructuredContent map[string]any
	IsError           bool
}

// exitToolError is the inspector's exit code for a result with isError.
const exitToolError = 5

// TestInspector: it calls a tool, sees a typed error, and another list after a change, in each of the ways to reach a
// server; and its linter has nothing to say about the schemas.
func TestInspector(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	stdio := []string{self, "-e", asServer + "=1", "--transport", "stdio"}
	address := serve(t)
	for name, target := range map[string][]string{
		"http":          {address, "--transport", "http", "--header", "Authorization: Bearer " + token},
		"stdio":         stdio,
		"stdio, newest": append(slices.Clone(stdio), "--protocol-era", "modern"),
	} {
		t.Run(name, func(t *testing.T) {
			code, out, errs := inspector(t, target, "--method", "tools/list", "--strict")
			if code != 0 {
				t.Fatalf("listing ends with %d: %s", code, errs)
			}
			before := decode[listed](t, out).names()
			if !slices.Contains(before, "view_garden__plant__say") || slices.Contains(before, flower) {
				t.Errorf("the tools are %q", before)
			}
			code, out, errs = inspector(t, target, "--method", "tools/call", "--tool-name", "view_garden__plant__say", "--tool-args-json", `{"word":"hello"}`)
			if r := decode[called](t, out); code != 0 || r.IsError || r.StructuredContent["word"] != "hello" {
				t.Errorf("calling ends with %d: %s %s", code, out, errs)
			}
			code, out, errs = inspector(t, target, "--method", "tools/call", "--tool-name", "view_garden__plant__say", "--tool-args-json", `{"word":7}`)
			if r := decode[called](t, out); code != exitToolError || !r.IsError || r.StructuredContent != nil || !strings.Contains(r.Content[0].Text, `"code":"INVALID_INPUT"`) || !strings.Contains(r.Content[0].Text, `"path":"word"`) {
				t.Errorf("a wrong call ends with %d: %s %s", code, out, errs)
			}
		})
	}
	http := []string{address, "--transport", "http", "--header", "Authorization: Bearer " + token}
	if code, _, errs := inspector(t, http, "--method", "tools/call", "--tool-name", "view_garden__plant__grow"); code != 0 {
		t.Errorf("growing ends with %d: %s", code, errs)
	}
	if _, out, _ := inspector(t, http, "--method", "tools/list"); !slices.Contains(decode[listed](t, out).names(), flower) {
		t.Errorf("after the change the tools are %s", out)
	}
	if code, _, _ := inspector(t, []string{address, "--transport", "http", "--header", "Authorization: Bearer wrong", "--stored-auth-only"}, "--method", "tools/list"); code == 0 {
		t.Error("it gets in with a wrong token")
	}
}

const flower = "view_garden__flower__smell"
