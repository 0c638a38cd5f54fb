package site

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strconv"
	"sync"
)

// Wrong serves the built module in the ways in which hosting goes wrong, each under a name of its own. What is asked
// for is not kept by any cache.
type Wrong struct {
	module, other, zipped []byte

	mu       sync.Mutex
	requests map[string]int
	released map[string]chan struct{} // by address; closed when what is held goes on
}

// NewWrong reads the module of a build.
func NewWrong(dist fs.FS) (*Wrong, error) {
	module, err := fs.ReadFile(dist, "pagewarden.wasm")
	if err != nil {
		return nil, fmt.Errorf("reading the module: %w", err)
	}
	script, err := fs.ReadFile(dist, "pagewarden.mjs")
	if err != nil {
		return nil, fmt.Errorf("reading the script: %w", err)
	}
	other, err := OtherBuild(module, script)
	if err != nil {
		return nil, err
	}
	var zipped bytes.Buffer
	w, err := gzip.NewWriterLevel(&zipped, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(module); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return &Wrong{module: module, other: other, zipped: zipped.Bytes(), requests: map[string]int{}, released: map[string]chan struct{}{}}, nil
}

// idInScript finds the build id that the bundler has put into a script.
var idInScript = regexp.MustCompile(`"([0-9a-f]{32})"`)

// BuildID is the id of the build that a script belongs to.
func BuildID(script []byte) (string, error) {
	found := idInScript.FindSubmatch(script)
	if found == nil {
		return "", errors.New("the script has no build id")
	}
	return string(found[1]), nil
}

// OtherBuild is the module as a build with the id reversed would have made it.
func OtherBuild(module, script []byte) ([]byte, error) {
	id, err := BuildID(script)
	if err != nil {
		return nil, err
	}
	reversed := []byte(id)
	slices.Reverse(reversed)
	if !bytes.Contains(module, []byte(id)) {
		return nil, errors.New("the module does not hold the script's build id")
	}
	return bytes.ReplaceAll(module, []byte(id), reversed), nil
}

// answer is what is sent for a name: a status of 0 means 200.
type answer struct {
	status   int
	mime     string
	encoding string
	body     []byte
}

const html = "text/html; charset=utf-8"

// answers are those that send what they promise.
func (w *Wrong) answers() map[string]answer {
	page := []byte("<!doctype html><title>The application</title>")
	return map[string]answer{
		"right.wasm":            {mime: "application/wasm", body: w.module},
		"gzip.wasm":             {mime: "application/wasm", encoding: "gzip", body: w.zipped},
		"gzip-unlabelled.wasm":  {mime: "application/wasm", body: w.zipped},
		"octets.wasm":           {mime: "application/octet-stream", body: w.module},
		"untyped.wasm":          {body: w.module},
		"text.wasm":             {mime: "text/plain", body: w.module},
		"parameter.wasm":        {mime: "application/wasm; charset=utf-8", body: w.module},
		"capitals.wasm":         {mime: "Application/WASM", body: w.module},
		"missing.wasm":          {status: http.StatusNotFound, mime: html, body: page},
		"refused.wasm":          {status: http.StatusForbidden, mime: html, body: page},
		"failing.wasm":          {status: http.StatusBadGateway, mime: html, body: page},
		"page.wasm":             {mime: html, body: page},
		"lying.wasm":            {mime: "application/wasm", body: page},
		"empty.wasm":            {mime: "application/wasm"},
		"empty-octets.wasm":     {mime: "application/octet-stream"},
		"truncated.wasm":        {mime: "application/wasm", body: w.module[:len(w.module)/2]},
		"truncated-octets.wasm": {mime: "application/octet-stream", body: w.module[:len(w.module)/2]},
		"other.wasm":            {mime: "application/wasm", body: w.other},
		"other-octets.wasm":     {mime: "application/octet-stream", body: w.other},
		"foreign.wasm":          {mime: "application/wasm", body: []byte("\x00asm\x01\x00\x00\x00")},
	}
}

// ServeHTTP answers by the last part of the path.
//
// Besides the names of answers there are lost.wasm and lost-octets.wasm, whose connection ends in the middle of the
// body; held.wasm, which stops in the middle until the address is released; late.wasm, which is missing at the first request for an
// address; and moved.wasm, which redirects to right.wasm. With the query "cors" every origin may read the answer.
func (w *Wrong) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	rw.Header().Set("Cache-Control", "no-store")
	if r.URL.RawQuery == "cors" {
		rw.Header().Set("Access-Control-Allow-Origin", "*")
	}
	first := w.count(r.URL.RequestURI()) == 1
	name := path.Base(r.URL.Path)
	switch name {
	case "lost.wasm":
		w.half(rw, "application/wasm")
		panic(http.ErrAbortHandler) // closes the connection
	case "lost-octets.wasm":
		w.half(rw, "application/octet-stream")
		panic(http.ErrAbortHandler)
	case "held.wasm":
		w.hold(rw, r)
	case "late.wasm":
		name = map[bool]string{true: "missing.wasm", false: "right.wasm"}[first]
		w.answers()[name].send(rw)
	case "moved.wasm":
		http.Redirect(rw, r, "right.wasm", http.StatusFound)
	default:
		a, known := w.answers()[name]
		if !known {
			http.NotFound(rw, r)
			return
		}
		a.send(rw)
	}
}

func (w *Wrong) count(address string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.requests[address]++
	return w.requests[address]
}

// Requests is how often an address, path and query, was asked for.
func (w *Wrong) Requests(address string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.requests[address]
}

// Release lets the requests for an address that are held go on, and later ones pass. It is called once.
func (w *Wrong) Release(address string) { close(w.gate(address)) }

func (w *Wrong) gate(address string) chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.released[address] == nil {
		w.released[address] = make(chan struct{})
	}
	return w.released[address]
}

// half promises the module and sends half of it.
func (w *Wrong) half(rw http.ResponseWriter, mime string) {
	rw.Header().Set("Content-Type", mime)
	rw.Header().Set("Content-Length", strconv.Itoa(len(w.module)))
	rw.Write(w.module[:len(w.module)/2])
	http.NewResponseController(rw).Flush()
}

func (w *Wrong) hold(rw http.ResponseWriter, r *http.Request) {
	w.half(rw, "application/wasm")
	select {
	case <-w.gate(r.URL.RequestURI()):
		rw.Write(w.module[len(w.module)/2:])
	case <-r.Context().Done():
	}
}

func (a answer) send(rw http.ResponseWriter) {
	header := rw.Header()
	header["Content-Type"] = nil // or net/http would guess one
	if a.mime != "" {
		header.Set("Content-Type", a.mime)
	}
	if a.encoding != "" {
		header.Set("Content-Encoding", a.encoding)
	}
	header.Set("Content-Length", strconv.Itoa(len(a.body)))
	rw.WriteHeader(max(a.status, http.StatusOK))
	rw.Write(a.body)
}
