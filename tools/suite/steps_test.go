package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// in returns a suite on a made-up checkout and what it prints.
func in(t *testing.T, files map[string]string) (*suite, *bytes.Buffer) {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		put(t, root, name, content)
	}
	var out bytes.Buffer
	return &suite{root: root, out: &shared{to: &out}}, &out
}

func TestFormat(t *testing.T) {
	s, _ := in(t, map[string]string{
		"good.go": "package p\n", "bad.go": "package  p\n", "a/testdata/bad.go": "package  p\n", "dist/bad.go": "package  p\n",
	})
	err := checkFormat(t.Context(), s)
	if err == nil || !strings.Contains(err.Error(), "make fmt") || !strings.HasSuffix(err.Error(), ":\n  bad.go") {
		t.Errorf("%v; want bad.go alone", err)
	}
	s, _ = in(t, map[string]string{"good.go": "package p\n"})
	if err := checkFormat(t.Context(), s); err != nil {
		t.Errorf("a formatted file: %v", err)
	}
	s, _ = in(t, map[string]string{"broken.go": "package ("})
	if err := checkFormat(t.Context(), s); err == nil || !strings.Contains(err.Error(), "formatting broken.go") {
		t.Errorf("a file that does not parse: %v", err)
	}
}

func TestVetLooksAtEveryBuild(t *testing.T) {
	wrong := "package p\n\nimport \"fmt\"\n\nfunc F() { fmt.Printf(\"%d\", \"x\") }\n"
	main := "package main\n\nimport _ \"example.com/m/p\"\n\nfunc main() {}\n"
	for _, test := range []struct{ name, file, content string }{
		{"native", "p/wrong.go", "//go:build !js\n\n" + wrong},
		{"wasm", "p/wrong_js.go", wrong},
		{"faults", "p/wrong.go", "//go:build js && faults\n\n" + wrong},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s, out := in(t, map[string]string{
				"go.mod": "module example.com/m\n\ngo 1.26.0\n", "wasm/main.go": main, "p/p.go": "package p\n", test.file: test.content,
			})
			if err := vet(t.Context(), s); err == nil || !strings.Contains(out.String(), test.file) {
				t.Errorf("vet passes: %v\n%s", err, out)
			}
		})
	}
	s, out := in(t, map[string]string{"go.mod": "module example.com/m\n\ngo 1.26.0\n", "wasm/main.go": main, "p/p.go": "package p\n"})
	if err := vet(t.Context(), s); err != nil {
		t.Errorf("nothing is wrong, yet: %v\n%s", err, out)
	}
}

func TestNodeTests(t *testing.T) {
	const head = "import test from \"node:test\";\nimport assert from \"node:assert\";\n"
	tests := []struct {
		name, body string
		want       tally
		fails      bool
	}{
		{"passing", "test(\"a\", () => {}); test(\"b\", () => {});", tally{passed: 2}, false},
		{"failing", "test(\"a\", () => {}); test(\"b\", () => assert.equal(1, 2));", tally{passed: 1, failed: 1}, true},
		{"skipping", "test(\"a\", () => {}); test.skip(\"b\", () => {});", tally{passed: 1, skipped: 1}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s, out := in(t, map[string]string{"web/test/a.test.mjs": head + test.body, "web/test/helper.mjs": "throw 1"})
			got, err := nodeTests(t.Context(), s)
			if got != test.want || (err != nil) != test.fails || !strings.Contains(out.String(), "tests ") {
				t.Errorf("counts %+v, %v; want %+v, failing: %v\n%s", got, err, test.want, test.fails, out)
			}
		})
	}
	s, _ := in(t, nil)
	if _, err := nodeTests(t.Context(), s); err == nil {
		t.Error("no test file, and no error")
	}
}

func TestTypesNeedTheCompiler(t *testing.T) {
	s, _ := in(t, nil)
	if err := checkTypes(t.Context(), s); err == nil || !strings.Contains(err.Error(), "make setup") {
		t.Errorf("%v; want advice", err)
	}
}

func TestInterruptReachesWhatAProgramStarted(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Fatalf("this test needs a shell: %v", err)
	}
	s, _ := in(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	reads, writes := io.Pipe()
	go func() {
		// The first line says that the inner shell is ready to be interrupted.
		line := bufio.NewScanner(reads)
		line.Scan()
		cancel()
		for line.Scan() {
		}
	}()
	script := `sh -c 'trap "touch told; exit 0" INT; echo ready; while :; do sleep 0.05; done'; exit 1`
	if err := s.commandTo(ctx, writes, nil, "sh", "-c", script); err == nil {
		t.Error("an interrupted program counts as passed")
	}
	if _, err := os.Stat(filepath.Join(s.root, "told")); err != nil {
		t.Errorf("the inner program was not told: %v", err)
	}
}
