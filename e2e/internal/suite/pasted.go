package suite

import (
	"io"
	"mime"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/e2e/internal/site"
)

// Text reads a file of the checkout, such as docs/webtools.md.
func (f *Fixture) Text(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(f.Root, filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// Snippet is the code of a Markdown text of the checkout between the marks <!-- name --> and <!-- /name -->.
func (f *Fixture) Snippet(t *testing.T, file, name string) string {
	t.Helper()
	_, after, opened := strings.Cut(f.Text(t, file), "<!-- "+name+" -->\n```")
	_, after, found := strings.Cut(after, "\n") // the language
	code, _, closed := strings.Cut(after, "```\n<!-- /"+name+" -->")
	if !opened || !found || !closed {
		t.Fatalf("%[1]s has no code between <!-- %[2]s --> and <!-- /%[2]s -->", file, name)
	}
	return code
}

// Paste serves a page for one test, as a reader would put it together: beside it are the built runtime, and files by their
// paths, such as "/lamp.js". It returns the page's address, with a slash at the end.
func (f *Fixture) Paste(t *testing.T, page string, beside map[string]string) string {
	t.Helper()
	dist, err := site.Dist(f.Root)
	if err != nil {
		t.Fatal(err)
	}
	runtime := http.FileServerFS(dist)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if content, ok := beside[r.URL.Path]; ok {
			w.Header().Set("Content-Type", mime.TypeByExtension(path.Ext(r.URL.Path)))
			_, _ = io.WriteString(w, content) // an error means that the browser has gone
			return
		}
		switch r.URL.Path {
		case "/":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = io.WriteString(w, page)
		case "/favicon.ico": // the browser asks for one by itself
			w.WriteHeader(http.StatusNoContent)
		default:
			runtime.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL + "/"
}

// Careful serves pages under the policy of a careful author.
func Careful(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; img-src data:; "+
			"require-trusted-types-for 'script'; trusted-types 'none'")
		next.ServeHTTP(w, r)
	})
}
