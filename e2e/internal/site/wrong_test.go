package site

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	someID     = "0123456789abcdef0123456789abcdef"
	reversedID = "fedcba9876543210fedcba9876543210"
)

// serveWrong serves a stand-in for a build.
func serveWrong(t *testing.T) (*Wrong, []byte, string) {
	t.Helper()
	dir := t.TempDir()
	module := []byte("\x00asm" + strings.Repeat("code", 5000) + someID)
	for name, content := range map[string][]byte{"pagewarden.wasm": module, "pagewarden.mjs": []byte(`var a="` + someID + `";`)} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w, err := NewWrong(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(w)
	t.Cleanup(server.Close)
	return w, module, server.URL
}

func get(t *testing.T, address string) (*http.Response, []byte, error) {
	t.Helper()
	response, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return response, body, err
}

func TestWrongServesWhatItSays(t *testing.T) {
	_, module, url := serveWrong(t)
	half := module[:len(module)/2]
	for name, want := range map[string]struct {
		status int
		mime   string
		body   []byte
		broken bool
	}{
		"right.wasm":       {200, "application/wasm", module, false},
		"gzip.wasm":        {200, "application/wasm", module, false}, // Go's client unpacks it
		"untyped.wasm":     {200, "", module, false},
		"missing.wasm":     {404, html, nil, false},
		"empty.wasm":       {200, "application/wasm", nil, false},
		"truncated.wasm":   {200, "application/wasm", half, false},
		"lost.wasm":        {200, "application/wasm", half, true},
		"lost-octets.wasm": {200, "application/octet-stream", half, true},
		"moved.wasm":       {200, "application/wasm", module, false},
		"other.wasm":       {200, "application/wasm", bytes.Replace(module, []byte(someID), []byte(reversedID), 1), false},
		"unheard-of.wasm":  {404, "text/plain; charset=utf-8", nil, false},
	} {
		response, body, err := get(t, url+"/wrong/"+name)
		if response.StatusCode != want.status || response.Header.Get("Content-Type") != want.mime || (err != nil) != want.broken {
			t.Errorf("%s: %d, %q, %v", name, response.StatusCode, response.Header.Get("Content-Type"), err)
		}
		if want.status == 200 && !bytes.Equal(body, want.body) {
			t.Errorf("%s: %d bytes; want %d", name, len(body), len(want.body))
		}
	}
}

func TestWrongCountsAndHolds(t *testing.T) {
	w, module, url := serveWrong(t)
	for i, want := range []int{404, 200, 200} {
		if response, _, _ := get(t, url+"/late.wasm?a"); response.StatusCode != want || w.Requests("/late.wasm?a") != i+1 {
			t.Errorf("request %d: %d, %d counted", i+1, response.StatusCode, w.Requests("/late.wasm?a"))
		}
	}
	response, err := http.Get(url + "/held.wasm?a")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	first := make([]byte, len(module)/2)
	if _, err := io.ReadFull(response.Body, first); err != nil {
		t.Fatal(err)
	}
	w.Release("/held.wasm?a")
	rest, err := io.ReadAll(response.Body)
	if err != nil || !bytes.Equal(append(first, rest...), module) {
		t.Errorf("%d bytes came after the first %d, %v", len(rest), len(first), err)
	}
}

func TestWrongNeedsABuildWithAnID(t *testing.T) {
	if _, err := OtherBuild([]byte("no id"), []byte(`"`+someID+`"`)); err == nil {
		t.Error("a module without the id was taken")
	}
	if _, err := OtherBuild(nil, []byte("no id")); err == nil {
		t.Error("a script without an id was taken")
	}
	if _, err := NewWrong(os.DirFS(t.TempDir())); err == nil {
		t.Error("an empty folder was taken")
	}
}
