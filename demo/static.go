package demo

import (
	"bytes"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"
)

// asset is one file ready to be served.
type asset struct {
	content  []byte
	modified time.Time
	brotli   bool
}

// serveFile serves the page's own files first, then those of the dist folder.
func (s *server) serveFile(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "Use GET here.", http.StatusMethodNotAllowed)
		return
	}
	name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
	if name == "" {
		name = "index.html"
	}
	found, ok := open(s.page, name, false)
	if !ok && s.dist != nil {
		// A cache must not hand a compressed file to a client that cannot read it.
		w.Header().Add("Vary", "Accept-Encoding")
		found, ok = open(s.dist, name, acceptsBrotli(r.Header.Get("Accept-Encoding")))
	}
	if !ok {
		http.NotFound(w, r)
		return
	}
	found.write(w, r, name)
}

// open reads a regular file, or its .br sibling if the client takes that and there is one.
func open(files fs.FS, name string, brotli bool) (asset, bool) {
	if brotli {
		if found, ok := open(files, name+".br", false); ok {
			found.brotli = true
			return found, true
		}
	}
	if !fs.ValidPath(name) {
		return asset{}, false
	}
	info, err := fs.Stat(files, name)
	if err != nil || !info.Mode().IsRegular() {
		return asset{}, false
	}
	content, err := fs.ReadFile(files, name)
	return asset{content: content, modified: info.ModTime()}, err == nil
}

func (a asset) write(w http.ResponseWriter, r *http.Request, name string) {
	w.Header().Set("Content-Type", contentType(name))
	w.Header().Set("Cache-Control", "no-cache")
	if a.brotli {
		w.Header().Set("Content-Encoding", "br")
	}
	http.ServeContent(w, r, name, a.modified, bytes.NewReader(a.content))
}

// contentType does not ask the machine's MIME table for the types that browsers are strict about.
func contentType(name string) string {
	switch ext := path.Ext(name); ext {
	case ".html":
		return "text/html; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".js", ".mjs":
		return "text/javascript; charset=utf-8"
	case ".wasm":
		return "application/wasm"
	case ".json", ".map":
		return "application/json"
	case ".svg":
		return "image/svg+xml"
	case ".ts":
		return "text/plain; charset=utf-8"
	default:
		if known := mime.TypeByExtension(ext); known != "" {
			return known
		}
		return "application/octet-stream"
	}
}

// acceptsBrotli reads an Accept-Encoding header: br must be named, and not with a weight of zero.
func acceptsBrotli(header string) bool {
	for part := range strings.SplitSeq(header, ",") {
		coding, parameters, _ := strings.Cut(part, ";")
		if !strings.EqualFold(strings.TrimSpace(coding), "br") {
			continue
		}
		weight, given := strings.CutPrefix(strings.ReplaceAll(parameters, " ", ""), "q=")
		if !given {
			return true
		}
		q, err := strconv.ParseFloat(weight, 64)
		return err == nil && q > 0
	}
	return false
}
