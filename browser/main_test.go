package browser

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// shared is what all tests of real pages use: one browser, one server.
type shared struct {
	browser *Browser
	server  *httptest.Server
}

var fixture shared

// TestMain starts the browser once. Without a browser the tests fail: a suite
// that skips its browser tests proves nothing.
func TestMain(m *testing.M) { os.Exit(runTests(m)) }

func runTests(m *testing.M) int {
	b, err := Launch(context.Background(), Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, "the tests of this package need a browser:", err)
		return 1
	}
	fmt.Fprintln(os.Stderr, "browser:", b.Version())
	fixture.browser = b
	fixture.server = httptest.NewServer(http.FileServer(http.Dir("testdata")))
	code := m.Run()
	fixture.server.Close()
	if err := b.Close(); err != nil {
		fmt.Fprintln(os.Stderr, "closing the browser:", err)
		return 1
	}
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(os.Stderr, "goroutines are left:", err)
		return 1
	}
	return code
}

// address returns the address of a file in testdata.
func address(file string) string { return fixture.server.URL + "/" + file }

// within returns a context that no sound test outlives.
func within(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}

// opened opens a file of testdata in a tab of its own.
func opened(t *testing.T, file string) *Page {
	t.Helper()
	return openedIn(t, fixture.browser, address(file))
}

func openedIn(t *testing.T, b *Browser, url string) *Page {
	t.Helper()
	p, err := b.Open(within(t, 30*time.Second), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// withTool opens a file and waits until its tool of that name is there.
func withTool(t *testing.T, file, name string) *Page {
	t.Helper()
	p := opened(t, file)
	waitFor(t, p, name)
	return p
}

func waitFor(t *testing.T, p *Page, names ...string) []Tool {
	t.Helper()
	tools, err := p.WaitForTools(within(t, 20*time.Second), func(tools []Tool) bool {
		for _, name := range names {
			if !has(tools, name) {
				return false
			}
		}
		return true
	})
	if err != nil {
		t.Fatalf("waiting for %q: %v; there are %q", names, err, namesOf(tools))
	}
	return tools
}

func has(tools []Tool, name string) bool {
	for _, tool := range tools {
		if tool.Name == name {
			return true
		}
	}
	return false
}

func namesOf(tools []Tool) []string {
	names := []string{}
	for _, tool := range tools {
		names = append(names, tool.Name)
	}
	return names
}

func toolNamed(t *testing.T, tools []Tool, name string) Tool {
	t.Helper()
	for _, tool := range tools {
		if tool.Name == name {
			return tool
		}
	}
	t.Fatalf("no tool %q in %q", name, namesOf(tools))
	return Tool{}
}
