package layout

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// waitsIn looks for waits in a package made of the statements, and returns the findings as text.
func waitsIn(t *testing.T, statements string) string {
	t.Helper()
	root := t.TempDir()
	source := `// Package jsbridge is made up.
package jsbridge

import (
	"runtime"
	"sync"
	clock "time"

	"example.com/m/other"
)

type table struct {
	ready chan int
	group sync.WaitGroup
	cond  *sync.Cond
}

var _ = runtime.GC
var _ = clock.Now

//go:wasmimport host now
func hostNow() int64

func f(t *table, in <-chan int, out chan<- int, values []int) {
` + statements + "\n}\n"
	for name, content := range map[string]string{
		"go.mod":           "module example.com/m\n\ngo 1.26.0\n",
		"jsbridge/f_js.go": source,
		"other/other.go":   "package other\n\ntype Group struct{}\n\nfunc (Group) Wait() {}\n\nfunc Done() chan bool { return nil }\n",
	} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	problems, err := Waits(t.Context(), root, "./jsbridge")
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, p := range problems {
		if !strings.HasPrefix(p.Where, "jsbridge/f_js.go:") {
			t.Errorf("the finding %v does not say where", p)
		}
		texts = append(texts, p.What)
	}
	return strings.Join(texts, "; ")
}

func TestWaits(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, statements, want string }{
		{"nothing", "_ = other.Group{}", ""},
		{"Gosched", "runtime.Gosched(); _ = other.Done", "runtime.Gosched yields"},
		{"Sleep under another name", "clock.Sleep(1); _ = other.Done", "time.Sleep sleeps"},
		{"Sleep passed on", "later := clock.Sleep; later(1); _ = other.Done", "time.Sleep sleeps"},
		{"After", "_ = clock.After(1); _ = other.Done", "time.After makes a channel to wait on"},
		{"WaitGroup", "t.group.Wait(); _ = other.Done", "(*sync.WaitGroup).Wait waits for goroutines"},
		{"Cond", "t.cond.Wait(); _ = other.Done", "(*sync.Cond).Wait waits for a condition"},
		{"another type's Wait", "other.Group{}.Wait()", ""},
		{"receive", "<-in; _ = other.Done", "receives from a channel"},
		{"receive of a field", "n := <-t.ready; _ = n; _ = other.Done", "receives from a channel"},
		{"receive in a goroutine", "go func() { <-in }(); _ = other.Done", "receives from a channel"},
		{"send", "out <- 1; _ = other.Done", "sends on a channel"},
		{"range over a channel", "for range in { }; _ = other.Done", "ranges over a channel"},
		{"range over another package's channel", "for range other.Done() { }", "ranges over a channel"},
		{"range over a slice", "for range values { }; _ = other.Done", ""},
		{"select", "select { case <-in: case out <- 1: }; _ = other.Done", "selects without a default"},
		{"select of nothing", "_ = other.Done; select {}", "selects without a default"},
		{"select with a default", "select { case n, ok := <-in: _, _ = n, ok; case out <- 1: default: }; _ = other.Done", ""},
		{"receive in a case's body", "select { case <-in: <-in; default: }; _ = other.Done", "receives from a channel"},
		{"receive for a send", "select { case out <- <-in: default: }; _ = other.Done", "receives from a channel"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := waitsIn(t, test.statements); got != test.want {
				t.Errorf("findings %q; want %q", got, test.want)
			}
		})
	}
}

func TestWaitsNeedsAPackage(t *testing.T) {
	if _, err := Waits(t.Context(), t.TempDir(), "./jsbridge"); err == nil {
		t.Error("no error for a folder without a module; the check would pass on nothing")
	}
}
