package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/tools/internal/repo"
)

func TestErrorDocumentIsWhatTheTableSays(t *testing.T) {
	root, err := repo.Root(".")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(errorDocument)))
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != renderErrors() {
		t.Errorf("%s is not what capability.Codes says; run make conformance", errorDocument)
	}
}

func TestErrorDocumentHasEveryCodeOnce(t *testing.T) {
	text := renderErrors()
	for _, info := range capability.Codes() {
		if n := strings.Count(text, "| `"+string(info.Code)+"` |"); n != 1 {
			t.Errorf("%s stands %d times", info.Code, n)
		}
	}
}
