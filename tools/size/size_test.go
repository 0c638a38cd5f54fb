package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestStanding(t *testing.T) {
	tests := []struct {
		name      string
		brotli    int
		most, aim int
		want      string
	}{
		{name: "no target", brotli: 5, want: "no target"},
		{name: "over", brotli: 1_500_000, most: 1_250_000, aim: 1_100_000, want: "over by 0.25 MB (+20 %)"},
		{name: "at the promise", brotli: 1_250_000, most: 1_250_000, aim: 1_100_000, want: "met; over the aim by 0.15 MB"},
		{name: "at the aim", brotli: 1_100_000, most: 1_250_000, aim: 1_100_000, want: "met, the aim too"},
		{name: "without an aim", brotli: 13_500, most: 14_000, want: "met, 500 B to spare"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := row{target: target{most: test.most, aim: test.aim}, brotli: test.brotli}
			if got := r.standing(); got != test.want {
				t.Errorf("standing = %q; want %q", got, test.want)
			}
		})
	}
}

func TestReport(t *testing.T) {
	root := t.TempDir()
	put(t, root, "dist/pagewarden.wasm", strings.Repeat("x", 3_000_000))
	put(t, root, "dist/pagewarden.wasm.br", strings.Repeat("y", 1_500_000))
	put(t, root, "dist/pagewarden.js", strings.Repeat("z", 20_000))
	put(t, root, "dist/pagewarden.mjs", strings.Repeat("z", 20_001))
	put(t, root, "dist/pagewarden-dialog.js", strings.Repeat("z", 9_000))
	put(t, root, "dist/pagewarden-webtools.js", strings.Repeat("z", 8_000))
	put(t, root, "dist/pagewarden-predict.js", strings.Repeat("z", 7_000))
	put(t, root, "dist/pagewarden-cursor.js", strings.Repeat("z", 3_000))
	put(t, root, "dist/pagewarden-inspector.js", strings.Repeat("z", 12_000))
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), []string{"-root", root}, &stdout, &stderr); code != 0 {
		t.Fatalf("exit code %d with a size over its target; want 0: %s", code, &stderr)
	}
	for _, want := range []string{
		"pagewarden.wasm   3.00 MB   1.50 MB   1.25 MB   1.10 MB   over by 0.25 MB (+20 %)",
		"20.0 kB", "14.0 kB", "to spare", "pagewarden-dialog.js    9.0 kB", "pagewarden-webtools.js    8.0 kB", "no target", "quality 11, window 24", "0.42 MB brotli",
	} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, &stdout)
		}
	}
}

func TestReportWithoutABuild(t *testing.T) {
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), []string{"-root", t.TempDir()}, &stdout, &stderr)
	if code != 1 || !strings.Contains(stderr.String(), "make build") || stdout.Len() > 0 {
		t.Errorf("exit %d, says %q and prints %q; want 1 and advice", code, &stderr, &stdout)
	}
}

func TestUsage(t *testing.T) {
	var stderr bytes.Buffer
	if code := run(t.Context(), []string{"-nonsense"}, &stderr, &stderr); code != 2 {
		t.Errorf("exit %d for an unknown flag; want 2", code)
	}
	if code := run(t.Context(), []string{"-h"}, &stderr, &stderr); code != 0 || !strings.Contains(stderr.String(), "-root") {
		t.Errorf("exit %d for help; want 0 and the flags", code)
	}
}

func put(t *testing.T, root, name, content string) {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
