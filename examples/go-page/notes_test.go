//go:build !js

package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/registry"
)

// TestSurface calls what the page offers, natively: only what draws needs a browser.
func TestSurface(t *testing.T) {
	drawn := 0
	b := &board{notes: []string{"one", "two", "three"}}
	b.show = func() { drawn++ }
	surface, err := newSurface(b)
	if err != nil {
		t.Fatal(err)
	}
	defer surface.Dispose()
	for _, step := range []struct {
		id    string
		input capability.JSON
		want  string // the output, or the code of the error
	}{
		{"list", "", `["one","two","three"]`},
		{"remove", `{"number":2}`, `{"notes":2}`},
		{"list", "", `["one","three"]`},
		{"remove", `{"number":3}`, "PRECONDITION_FAILED"},
		{"remove", `{"number":0}`, "PRECONDITION_FAILED"},
		{"remove", `{"number":"1"}`, "INVALID_INPUT"},
		{"remove", `{"number":1}`, `{"notes":1}`},
		{"remove", `{"number":1}`, `{"notes":0}`},
		{"remove", `{"number":1}`, "CAPABILITY_NOT_AVAILABLE"},
		{"add", `{"text":"four"}`, `{"notes":1}`},
		{"add", `{}`, "INVALID_INPUT"},
		{"clear", `{}`, "CONFIRMATION_REQUIRED"},
		{"list", "", `["four"]`},
	} {
		result := surface.Invoke(context.Background(), registry.Request{CapabilityID: "view:notes.board." + step.id, Input: step.input}, registry.InvokeOptions{})
		got := string(result.Output)
		if result.Error != nil {
			got = string(result.Error.Code)
		}
		if got != step.want {
			t.Errorf("%s %s gives %s; want %s", step.id, step.input, got, step.want)
		}
	}
	if drawn != 4 {
		t.Errorf("the notes were drawn %d times; want 4", drawn)
	}
}

// TestTheContractIsOfThisDeclaration: whoever changes it runs go generate, and has the difference reviewed.
func TestTheContractIsOfThisDeclaration(t *testing.T) {
	file := filepath.Join(t.TempDir(), "contract.json")
	var stdout, stderr strings.Builder
	if code := run(t.Context(), []string{"-contract", file}, &stdout, &stderr); code != 0 || stdout.Len()+stderr.Len() > 0 {
		t.Fatalf("exit code %d, %q, %q", code, stdout.String(), stderr.String())
	}
	written, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(written) != manifest {
		t.Errorf("the contract is another: run go generate ./examples/go-page; it would be\n%s", written)
	}
}

func TestWrongArguments(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "no", "file")
	for _, test := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"-what"}, 2, "-contract"},
		{[]string{"-contract", missing}, 1, "go-page: "},
		{[]string{"-out", missing}, 1, "go-page: building the page: "},
	} {
		var stdout, stderr strings.Builder
		if code := run(t.Context(), test.args, &stdout, &stderr); code != test.code || !strings.Contains(stderr.String(), test.says) {
			t.Errorf("%q: exit code %d, %q", test.args, code, stderr.String())
		}
	}
}
