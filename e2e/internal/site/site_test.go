package site

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/demo"
)

// checkout makes a folder that looks like one with a build.
func checkout(t *testing.T, names ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, name := range names {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestRootIsTheCheckout(t *testing.T) {
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(root, "e2e", "internal", "site", "files.go")); err != nil {
		t.Errorf("Root() = %s: %v", root, err)
	}
}

func TestRootOutsideACheckout(t *testing.T) {
	t.Chdir(t.TempDir())
	if root, err := Root(); err == nil {
		t.Errorf("Root() = %s, want an error", root)
	}
}

func TestMissingBuildNamesFileAndRemedy(t *testing.T) {
	complete := checkout(t, "dist/pagewarden.js", "dist/pagewarden.mjs", "dist/pagewarden.wasm", "dist/pagewarden-dialog.js", "dist/pagewarden-webtools.js", "dist/pagewarden-cursor.js", "dist/pagewarden-inspector.js")
	if _, err := Dist(complete); err != nil {
		t.Errorf("a whole build: %v", err)
	}
	partial := checkout(t, "dist/pagewarden.js", "dist/pagewarden.mjs")
	for name, err := range map[string]error{
		"make build": second(Dist(partial)),
		"-faults":    second(Faults(complete)),
	} {
		if err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "has no pagewarden.") {
			t.Errorf("error %v, want one that names the file and %q", err, name)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestServeAnswersOverItsOwnDatabase(t *testing.T) {
	root := checkout(t, "dist/pagewarden.js", "dist/pagewarden.mjs", "dist/pagewarden.wasm", "dist/pagewarden-dialog.js", "dist/pagewarden-webtools.js", "dist/pagewarden-cursor.js", "dist/pagewarden-inspector.js")
	wrapped := 0
	d, err := Serve(t.Context(), root, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			wrapped++
			next.ServeHTTP(w, r)
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.Get(d.URL + "api/devices")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var list struct{ Total int }
	if err := json.NewDecoder(response.Body).Decode(&list); err != nil {
		t.Fatal(err)
	}
	devices, err := d.Store.List(t.Context(), demo.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	if list.Total != len(devices) || list.Total == 0 || wrapped != 1 {
		t.Errorf("the server has %d devices, its store %d; the wrapper saw %d requests", list.Total, len(devices), wrapped)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(d.data); !os.IsNotExist(err) {
		t.Errorf("the database's folder is still there: %v", err)
	}
}

func TestServeWithoutBuild(t *testing.T) {
	if d, err := Serve(context.Background(), t.TempDir(), nil); err == nil {
		d.Close()
		t.Error("Serve without a build did not fail")
	}
}
