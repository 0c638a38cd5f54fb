package chromium

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"

	"github.com/pagewarden/pagewarden/tools/internal/repo"
)

// packed is one file of an archive.
type packed struct{ name, content string }

// shop is a pretended npm with the packages of one lock file.
type shop struct {
	t        *testing.T
	root     string
	archives map[string][]byte // by what npm calls the package
	fails    error
	ran      []string
	said     []string
}

// newShop makes a checkout whose lock file pins a build and a polyfill, and an npm that has them.
func newShop(t *testing.T) *shop {
	s := &shop{t: t, root: t.TempDir(), archives: map[string][]byte{}}
	libraries := string(shrunk(t, string(tarred(t, packed{"libEGL.so", "a library"}, packed{"./deep/libGLESv2.so", "another"}))))
	s.archives["builds@147.0.0"] = zipped(t, tarred(t,
		packed{"package/package.json", "{}"},
		packed{"package/bin/chromium.br", string(shrunk(t, "a browser"))},
		packed{"package/bin/swiftshader.tar.br", libraries},
		packed{"package/bin/fonts.tar.br", "not wanted"},
	))
	s.archives["polyfills@2.0.8"] = zipped(t, tarred(t, packed{"package/dist/index.iife.js", "a script"}))
	s.pin(map[string]string{"chromium-147": "builds@147.0.0", "polyfill-2": "polyfills@2.0.8"})
	return s
}

// pin writes the lock file.
func (s *shop) pin(specs map[string]string) {
	packages := map[string]pin{}
	for alias, spec := range specs {
		name, version, _ := strings.Cut(spec, "@")
		sum := sha512.Sum512(s.archives[spec])
		packages["node_modules/"+alias] = pin{name, version, "sha512-" + base64.StdEncoding.EncodeToString(sum[:])}
	}
	lock, err := json.Marshal(map[string]any{"packages": packages})
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := repo.Write(filepath.Join(s.root, "tools", "chromium", "package-lock.json"), lock); err != nil {
		s.t.Fatal(err)
	}
}

func (s *shop) fetch(items ...Item) (int, error) {
	return Fetcher{Root: s.root, Run: s.run, Say: func(format string, args ...any) {
		s.said = append(s.said, fmt.Sprintf(format, args...))
	}}.Fetch(s.t.Context(), items)
}

func (s *shop) run(_ context.Context, name string, args ...string) (string, error) {
	s.ran = append(s.ran, strings.Join(append([]string{name}, args...), " "))
	if s.fails != nil {
		return "", s.fails
	}
	dir, spec := args[len(args)-2], args[len(args)-1]
	return "archive.tgz\n", os.WriteFile(filepath.Join(dir, "archive.tgz"), s.archives[spec], 0o644)
}

// left lists what the cache holds.
func (s *shop) left() []string {
	s.t.Helper()
	entries, err := os.ReadDir(filepath.Join(s.root, repo.CacheDir, "chromium"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		s.t.Fatal(err)
	}
	names := []string{}
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

func (s *shop) wantFile(path, content string) {
	s.t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != content {
		s.t.Errorf("%s holds %q, %v; want %q", filepath.Base(path), got, err, content)
	}
	if info, err := os.Stat(path); err != nil || info.Mode()&0o100 == 0 {
		s.t.Errorf("%s cannot be run", filepath.Base(path))
	}
}

func tarred(t *testing.T, files ...packed) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, f := range files {
		if err := w.WriteHeader(&tar.Header{Name: f.name, Size: int64(len(f.content)), Mode: 0o644}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(f.content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func zipped(t *testing.T, content []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func shrunk(t *testing.T, content string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := brotli.NewWriter(&out)
	if _, err := w.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

var (
	aBuild    = build("chromium-147", "147")
	aPolyfill = polyfill("polyfill-2")
)

func TestFetchOnce(t *testing.T) {
	s := newShop(t)
	if aBuild.Check(s.root) == nil {
		t.Error("a build passes for fetched before it was")
	}
	for _, want := range []int{2, 0} {
		if got, err := s.fetch(aBuild, aPolyfill); err != nil || got != want {
			t.Fatalf("fetched %d, %v; want %d", got, err, want)
		}
	}
	if len(s.ran) != 2 || !strings.HasPrefix(s.ran[0], "npm pack ") || !strings.HasSuffix(s.ran[1], " polyfills@2.0.8") {
		t.Errorf("ran %q", s.ran)
	}
	s.wantFile(aBuild.Path(s.root), "a browser")
	s.wantFile(filepath.Join(filepath.Dir(aBuild.Path(s.root)), "libEGL.so"), "a library")
	s.wantFile(filepath.Join(filepath.Dir(aBuild.Path(s.root)), "libGLESv2.so"), "another")
	s.wantFile(aPolyfill.Path(s.root), "a script")
	if err := errors.Join(aBuild.Check(s.root), aPolyfill.Check(s.root)); err != nil {
		t.Error(err)
	}
	if want := []string{"chromium-147", "polyfill-2"}; !slices.Equal(s.left(), want) {
		t.Errorf("the cache holds %q; want %q", s.left(), want)
	}
	if want := "downloading chromium-147, npm package builds@147.0.0 (1 of 2)"; s.said[0] != want || len(s.said) != 4 {
		t.Errorf("it says %q; want %q and three more", s.said, want)
	}
}

func TestFetchAnewWhenTheLockFileChanges(t *testing.T) {
	s := newShop(t)
	if _, err := s.fetch(aPolyfill); err != nil {
		t.Fatal(err)
	}
	s.archives["polyfills@3.0.0"] = zipped(t, tarred(t, packed{"package/dist/index.iife.js", "a newer script"}))
	s.pin(map[string]string{"polyfill-2": "polyfills@3.0.0"})
	if err := aPolyfill.Check(s.root); err == nil || !strings.Contains(err.Error(), "tools/setup matrix") {
		t.Errorf("%v; want advice", err)
	}
	if got, err := s.fetch(aPolyfill); err != nil || got != 1 {
		t.Fatalf("fetched %d, %v", got, err)
	}
	s.wantFile(aPolyfill.Path(s.root), "a newer script")
}

func TestFailedFetchLeavesNothing(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(*shop)
		says  []string
	}{
		{"out of reach", func(s *shop) { s.fails = errors.New("ENOTFOUND") }, []string{"ENOTFOUND", "Check the network", "tools/setup matrix"}},
		{"another package", func(s *shop) { s.archives["builds@147.0.0"] = s.archives["polyfills@2.0.8"] }, []string{"not the package that the lock file pins"}},
		{"another layout", func(s *shop) {
			s.archives["builds@147.0.0"] = zipped(s.t, tarred(s.t, packed{"package/bin/chrome.zst", "?"}))
			s.pin(map[string]string{"chromium-147": "builds@147.0.0"})
		}, []string{"has no chromium", "layout"}},
		{"no archive", func(s *shop) {
			s.archives["builds@147.0.0"] = []byte("no archive at all")
			s.pin(map[string]string{"chromium-147": "builds@147.0.0"})
		}, []string{"unpacking chromium-147", "gzip"}},
		{"half a browser", func(s *shop) {
			s.archives["builds@147.0.0"] = zipped(s.t, tarred(s.t, packed{"package/bin/chromium.br", string(shrunk(s.t, "a browser")[:8])}))
			s.pin(map[string]string{"chromium-147": "builds@147.0.0"})
		}, []string{"unpacking chromium-147", "unexpected EOF"}},
		{"not pinned", func(s *shop) { s.pin(nil) }, []string{"does not pin chromium-147", "npm install --package-lock-only"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newShop(t)
			test.spoil(s)
			_, err := s.fetch(aBuild)
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range test.says {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not say %q", err, want)
				}
			}
			if left := s.left(); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

func TestLockFilePinsEverything(t *testing.T) {
	root, err := repo.Root(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range slices.Concat(Builds(), Polyfills()) {
		if _, err := item.pin(root); err != nil {
			t.Error(err)
		}
	}
}
