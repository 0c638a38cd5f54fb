package e2e

import (
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
)

// pastes serves pages that tests write themselves.
type pastes struct {
	mu    sync.Mutex
	pages []pastedPage
}

type pastedPage struct {
	header http.Header
	text   string
}

// add returns the path of a new page, which goes at the end of the test. It is answered with the header besides.
func (s *pastes) add(t *testing.T, text string, header http.Header) string {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages = append(s.pages, pastedPage{header, text})
	at := len(s.pages) - 1
	t.Cleanup(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.pages[at] = pastedPage{}
	})
	return fmt.Sprintf("pasted/%d", at)
}

func (s *pastes) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var at int
	if _, err := fmt.Sscanf(r.URL.Path, "/pasted/%d", &at); err != nil {
		http.NotFound(w, r)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if at >= len(s.pages) || s.pages[at].text == "" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	for name, values := range s.pages[at].header {
		w.Header()[name] = values
	}
	io.WriteString(w, s.pages[at].text)
}

// addresses counts the addresses that were made.
var addresses atomic.Int64

// fresh makes an address that nobody has asked for.
func fresh(path string) string { return fmt.Sprintf("%s?fresh=%d", path, addresses.Add(1)) }

// paste opens a page of the test's own: the markup after the usual head.
func paste(t *testing.T, markup string, header http.Header) tab {
	t.Helper()
	const head = "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>Pasted</title>\n<link rel=\"icon\" href=\"data:,\">\n"
	return open(t, fixture.pasted.add(t, head+markup, header))
}
