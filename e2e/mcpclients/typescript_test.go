package mcpclients

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// seen is what client.mjs prints.
type seen struct {
	Server struct{ Name, Version string }
	Said   struct{ Word string }
	Text   string
	Leaves []string
	Wrong  struct {
		IsError, Structured bool
		Code, Retry         string
	}
	Approved      struct{ Word string }
	Progress      []struct{ Progress, Total float64 }
	Before, After []string
	Denied        string
	Instructions  string
	Aborted       string
	Forms         int
}

// TestTypeScriptSDK: the client that most agents are built with, over HTTP and stdio. It checks every message, and every
// result with the output schema that the tool declares.
func TestTypeScriptSDK(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("client.mjs")
	if err != nil {
		t.Fatal(err)
	}
	// Imports are looked for beside the script.
	file, err := os.CreateTemp(modules(t), ".mcp-client-*.mjs")
	if err != nil {
		t.Fatalf("%v (run `make setup`)", err)
	}
	t.Cleanup(func() { os.Remove(file.Name()) })
	if _, err := file.Write(source); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]string{"http": {"http", serve(t), token}, "stdio": {"stdio", self}} {
		t.Run(name, func(t *testing.T) {
			code, out, errs := node(t, []string{asServer + "=1"}, file.Name(), args...)
			if code != 0 {
				t.Fatalf("it ends with %d: %s", code, errs)
			}
			got := decode[seen](t, out)
			if got.Server.Name != "plant" || got.Instructions != "Water it." {
				t.Errorf("the server is %+v: %s", got.Server, got.Instructions)
			}
			if got.Said.Word != "hello" || got.Text != "{}" || got.Leaves == nil || len(got.Leaves) > 0 {
				t.Errorf("the results are %+v, %q and %v", got.Said, got.Text, got.Leaves)
			}
			if w := got.Wrong; !w.IsError || w.Structured || w.Code != "INVALID_INPUT" || w.Retry != "with-changes" {
				t.Errorf("a wrong call gives %+v", w)
			}
			if got.Approved.Word != "yes" || got.Denied != "CONFIRMATION_INVALID" || got.Forms != 2 {
				t.Errorf("confirmed gives %+v, denied %s, after %d forms", got.Approved, got.Denied, got.Forms)
			}
			if len(got.Progress) != 1 || got.Progress[0].Total != 2 || got.Aborted != "yes" {
				t.Errorf("progress is %v, aborted %s", got.Progress, got.Aborted)
			}
			if slices.Contains(got.Before, flower) || !slices.Contains(got.After, flower) {
				t.Errorf("the list went from %q to %q", got.Before, got.After)
			}
			if strings.Contains(out, "null") {
				t.Errorf("something is null: %s", out)
			}
		})
	}
}
