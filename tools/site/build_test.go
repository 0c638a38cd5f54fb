package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/pagewarden/pagewarden/tools/internal/repo"
)

// buildOnce builds the site for all tests.
var buildOnce = sync.OnceValues(func() (map[string][]byte, error) {
	root, err := repo.Root(".")
	if err != nil {
		return nil, err
	}
	return Build(root)
})

func built(t *testing.T) map[string][]byte {
	t.Helper()
	files, err := buildOnce()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestSiteHoldsTogether(t *testing.T) {
	files := built(t)
	report(t, brokenSite(files))
	for _, e := range entries() {
		if content := files[e.output]; !bytes.Contains(content, []byte("<h1")) || !bytes.Contains(content, []byte(`aria-current="page"`)) {
			t.Errorf("%s has no title, or is not marked in its own navigation", e.output)
		}
	}
	for name, content := range files {
		if bytes.Contains(content, []byte("<script")) || bytes.Contains(content, []byte("@import")) || bytes.Contains(content, []byte("url(http")) {
			t.Errorf("%s has a script, or takes something from elsewhere", name)
		}
		if strings.HasSuffix(name, ".html") && bytes.Contains(content, []byte(".md\"")) {
			t.Errorf("%s links to a text that is not on the site", name)
		}
	}
}

// TestReferencesAreComplete: every export of the declarations and every package has its place.
func TestReferencesAreComplete(t *testing.T) {
	root, _ := checkout(t)
	files := built(t)
	exported := regexp.MustCompile(`(?m)^export (?:declare )?(?:function|interface|type|const|class) (\w+)`)
	count := 0
	types, err := typeFiles(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range types {
		source, err := os.ReadFile(filepath.Join(root, "web", file))
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range exported.FindAllSubmatch(source, -1) {
			count++
			if !bytes.Contains(files[scriptReference], []byte("<code>"+string(found[1])+"</code> <a")) {
				t.Errorf("the reference lacks %s of %s", found[1], file)
			}
		}
	}
	if count < 100 {
		t.Errorf("only %d exports were found", count)
	}
	for _, want := range []string{`id="Adapter.Call"`, `id="Page.Find"`, `id="NewPage"`} {
		if !bytes.Contains(files["go-webmcp.html"], []byte(want)) {
			t.Errorf("the reference of webmcp lacks %s", want)
		}
	}
	for _, file := range []string{"go-registry.html", "go-schema-infer.html", "go-capability.html"} {
		if !bytes.Contains(files[goReference], []byte(file)) || files[file] == nil {
			t.Errorf("the list of packages lacks %s", file)
		}
	}
}

func TestBrokenSiteBites(t *testing.T) {
	problems := brokenSite(map[string][]byte{
		"a.html": []byte(`<h2 id="x">X</h2> <h2 id="x">X</h2> <a href="b.html#y"> <a href="b.html#z"> <a href="c.html"> <a href="#x"> <a href="https://example.com">`),
		"b.html": []byte(`<h2 id="y">Y</h2> <img src="https://example.com/x.png"> <a href="http://example.com"> <link href="data:,">`),
	})
	var all []string
	for _, p := range problems {
		all = append(all, p.String())
	}
	text := strings.Join(all, "\n")
	for _, says := range []string{"two anchors x", `"b.html#z" leads to no anchor`, `"c.html" leads to no file`, `x.png" leads to another site`, `"http://example.com" leads to another site`} {
		if !strings.Contains(text, says) {
			t.Errorf("no finding says %q:\n%s", says, text)
		}
	}
	if len(problems) != 5 {
		t.Errorf("there are %d findings:\n%s", len(problems), text)
	}
}

func TestSiteLinks(t *testing.T) {
	for _, test := range []struct{ from, to, want string }{
		{"README.md", "docs/go.md#a-page-in-go", "go.html#a-page-in-go"},
		{"docs/go.md", "../README.md", "index.html"},
		{"docs/go.md", "#test-it", "#test-it"},
		{"docs/go.md", "https://example.com/", "https://example.com/"},
		{"docs/go.md", "../examples/native", "example-native.html"},
		{"docs/go.md", "../predict", "go-predict.html"},
		{"docs/go.md", "../adaptertest/adaptertest.go", "go-adaptertest.html"},
		{"docs/go.md", "../web/pagewarden.d.ts", scriptReference},
		{"docs/go.md", "../web/demo/agent", ""},
	} {
		if got, ok := siteLink(test.from, test.to); got != test.want || ok != (test.want != "") {
			t.Errorf("%s in %s leads to %q, %v; want %q", test.to, test.from, got, ok, test.want)
		}
	}
}

func TestReadDeclarations(t *testing.T) {
	got := readDeclarations("/** The file. */\n\n// ------- things\n\n/**\n * A thing.\n * And more.\n */\nexport interface Thing {\n  a: 1;\n\n  b: 2;\n}\nexport type T =\n  | 1\n  | 2;\n\ndeclare global {\n  var x: 1;\n}\n\nexport function f(): void;\n")
	want := []declared{
		{Comment: "The file."}, {Section: "things"}, {Name: "Thing", Comment: "A thing.\nAnd more.", Code: "export interface Thing {\n  a: 1;\n\n  b: 2;\n}"},
		{Name: "T", Code: "export type T =\n  | 1\n  | 2;"}, {Name: "", Code: "declare global {\n  var x: 1;\n}"}, {Name: "f", Code: "export function f(): void;"},
	}
	if len(got) != len(want) {
		t.Fatalf("%d declarations: %+v", len(got), got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("declaration %d is %+v; want %+v", i, got[i], want[i])
		}
	}
}

func TestWriteLeavesNothingOld(t *testing.T) {
	out := filepath.Join(t.TempDir(), "site")
	for _, files := range []map[string][]byte{
		{scriptReference: nil, "old.html": []byte("old")}, {scriptReference: nil, "a/new.html": []byte("new")},
	} {
		if err := write(files, out); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(filepath.Join(out, "old.html")); !os.IsNotExist(err) {
		t.Errorf("the old page is there still: %v", err)
	}
	if content, err := os.ReadFile(filepath.Join(out, "a", "new.html")); err != nil || string(content) != "new" {
		t.Errorf("the new page has %q, %v", content, err)
	}
}

func TestWriteKeepsWhatIsNoSite(t *testing.T) {
	out := t.TempDir()
	if err := os.WriteFile(filepath.Join(out, "mine"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := write(map[string][]byte{"new.html": nil}, out); err == nil || !strings.Contains(err.Error(), "something else than a site") {
		t.Errorf("write = %v; want a refusal", err)
	}
	if _, err := os.Stat(filepath.Join(out, "mine")); err != nil {
		t.Errorf("what was there is lost: %v", err)
	}
}

// TestServe asks for a page at the address that it prints, at another one than a port that is taken.
func TestServe(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "index.html"), []byte("here"), 0o644); err != nil {
		t.Fatal(err)
	}
	address := "127.0.0.1:0"
	for range 2 {
		ctx, stop := context.WithCancel(t.Context())
		reader, writer := io.Pipe()
		ended := make(chan error, 1)
		go func() { ended <- serve(ctx, dir, address, writer) }()
		line := make([]byte, 200)
		n, err := reader.Read(line)
		if err != nil {
			t.Fatal(err)
		}
		url := regexp.MustCompile(`http://\S+`).FindString(string(line[:n]))
		response, err := http.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || string(body) != "here" {
			t.Errorf("%s gives %q, %v", url, body, err)
		}
		address = strings.Trim(strings.TrimPrefix(url, "http://"), "/")
		defer func() {
			stop()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}()
	}
}

func TestUsage(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), []string{"-nonsense"}, &stdout, &stderr); code != 2 || !strings.Contains(stderr.String(), "-serve") {
		t.Errorf("exit %d, %s", code, &stderr)
	}
	t.Chdir(t.TempDir())
	if code := run(t.Context(), nil, &stdout, &stderr); code != 1 || !strings.Contains(stderr.String(), "inside a checkout") {
		t.Errorf("exit %d, %s", code, &stderr)
	}
}

func TestSlugsAreThoseOfCodeHosts(t *testing.T) {
	s := &slugs{used: map[string]int{}}
	for _, test := range [][2]string{
		{"A page in ten lines", "a-page-in-ten-lines"}, {"`pagewarden` and Go: 1.26!", "pagewarden-and-go-126"}, {"a_b – c", "a_b--c"},
		{"Über", "über"}, {"Über", "über-1"},
	} {
		if got := string(s.Generate([]byte(test[0]), 0)); got != test[1] {
			t.Errorf("%q becomes %q; want %q", test[0], got, test[1])
		}
	}
}
