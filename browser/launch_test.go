package browser

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestVersion(t *testing.T) {
	if v := fixture.browser.Version(); !regexp.MustCompile(`^[A-Za-z]+/\d+(\.\d+){3}$`).MatchString(v) {
		t.Errorf("version is %q", v)
	}
}

// A run that leaves a process or a folder behind fills machines up over time.
func TestNothingIsLeftBehind(t *testing.T) {
	endings := map[string]func(*testing.T, *Browser, context.CancelFunc){
		"Close": func(t *testing.T, b *Browser, _ context.CancelFunc) {},
		"cancelled context": func(t *testing.T, b *Browser, cancel context.CancelFunc) {
			cancel()
		},
		"Close twice": func(t *testing.T, b *Browser, _ context.CancelFunc) {
			if err := b.Close(); err != nil {
				t.Error(err)
			}
		},
	}
	for name, end := range endings {
		t.Run(name, func(t *testing.T) {
			temp := shortTemp(t)
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			b, err := Launch(ctx, Options{})
			if err != nil {
				t.Fatal(err)
			}
			p, err := b.Open(within(t, 20*time.Second), address("plain.html"))
			if err != nil {
				t.Fatal(err)
			}
			waitFor(t, p, "never")
			if runtime.GOOS == "linux" && len(processesOf(t, temp)) == 0 {
				t.Fatal("the test sees no process of a running browser")
			}
			end(t, b, cancel)
			if err := b.Close(); err != nil {
				t.Error(err)
			}
			assertNothingIn(t, temp)
		})
	}
}

func TestLaunchWithEndedContext(t *testing.T) {
	temp := shortTemp(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Launch(ctx, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's end", err)
	}
	assertNothingIn(t, temp)
}

func TestLaunchOfSomethingElse(t *testing.T) {
	notABrowser := filepath.Join(t.TempDir(), "browser")
	temp := shortTemp(t)
	if err := os.WriteFile(notABrowser, []byte("#!/bin/sh\nexit 3\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := Launch(within(t, 20*time.Second), Options{Path: notABrowser})
	var start *StartError
	if !errors.As(err, &start) || start.Path != notABrowser {
		t.Errorf("got %v, want a *StartError", err)
	}
	assertNothingIn(t, temp)
}

// shortTemp makes a folder and has new temporary files go there. t.TempDir has
// too long a path for a browser's socket.
func shortTemp(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "left")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	t.Setenv("TMPDIR", dir)
	return dir
}

func TestHoldsSocket(t *testing.T) {
	if !holdsSocket("/tmp/pagewarden-1234567890") || holdsSocket(strings.Repeat("/folder", 10)) {
		t.Error("the limit of a socket's path is wrong")
	}
}

func assertNothingIn(t *testing.T, temp string) {
	t.Helper()
	left, err := os.ReadDir(temp)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range left {
		t.Errorf("left behind: %s", entry.Name())
	}
	for _, process := range processesOf(t, temp) {
		t.Errorf("still running: %s", process)
	}
}

// processesOf lists the live processes whose command line names a folder. It
// knows Linux only; elsewhere the folders alone are checked.
func processesOf(t *testing.T, folder string) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, file := range files {
		line, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(line, []byte(folder)) {
			continue
		}
		found = append(found, strings.ReplaceAll(string(line), "\x00", " "))
	}
	return found
}
