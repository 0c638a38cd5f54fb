package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/browser"
	"github.com/pagewarden/pagewarden/tools/chromium"
)

// machine is a pretended computer that notes the commands it was asked to run.
type machine struct {
	programs []string          // on its path
	browser  string            // found by looking; empty if none
	normal   bool              // the user is not root
	gives    map[string]string // what installing a package puts on the path
	fails    map[string]string // the first words of a command to what it says when failing
	reports  string            // what every build of the matrix says of its version; empty for the truth
	ran      []string
}

func (m *machine) system() system {
	return system{
		findBrowser: func() (string, error) {
			if m.browser == "" {
				return "", browser.ErrNoBrowser
			}
			return m.browser, nil
		},
		lookPath: func(name string) (string, error) {
			if slices.Contains(m.programs, name) {
				return "/bin/" + name, nil
			}
			return "", errors.New("not found")
		},
		root:   func() bool { return !m.normal },
		output: m.output,
	}
}

func (m *machine) output(_ context.Context, name string, args ...string) (string, string, error) {
	line := strings.Join(append([]string{name}, args...), " ")
	m.ran = append(m.ran, line)
	for start, says := range m.fails {
		if strings.HasPrefix(line, start) {
			return "", says, errors.New("exit status 1")
		}
	}
	if strings.HasPrefix(line, "apt-get install") {
		for _, p := range args {
			m.take(p)
		}
	}
	switch line {
	case "node --version":
		return "v20.3.1\n", "", nil
	case "/bin/chromium --version":
		return "Chromium 156.0\n", "a warning\n", nil
	}
	for _, build := range chromium.Builds() {
		if strings.Contains(name, build.Alias) {
			return "Chromium " + cmp.Or(m.reports, build.Reports) + " \n", "", nil
		}
	}
	return "", "", nil
}

func (m *machine) take(name string) {
	m.programs = append(m.programs, m.gives[name])
	if name == "chromium" && m.gives[name] != "" {
		m.browser = "/bin/chromium"
	}
}

// ensure sets up the named needs in a checkout that has the lock files and the builds of the matrix alone, and returns
// what was said.
func ensure(t *testing.T, m *machine, names ...string) (string, error) {
	t.Helper()
	return ensureIn(t, t.TempDir(), m, names...)
}

func ensureIn(t *testing.T, dir string, m *machine, names ...string) (string, error) {
	t.Helper()
	t.Setenv(browser.EnvPath, "")
	t.Setenv("CC", "")
	put(t, filepath.Join(dir, "tools", "node", "package-lock.json"), "{}")
	putBuilds(t, dir)
	var out bytes.Buffer
	s := newSetup(m.system(), dir, &out)
	needs, err := s.needs(names)
	if err != nil {
		t.Fatal(err)
	}
	err = s.ensure(t.Context(), needs)
	return out.String(), err
}

// putBuilds makes the lock file of the builds, and stamps as if they had been fetched: fetching has tests of its own.
func putBuilds(t *testing.T, dir string) {
	t.Helper()
	pins := map[string]map[string]string{}
	for _, item := range slices.Concat(chromium.Builds(), chromium.Polyfills()) {
		pins["node_modules/"+item.Alias] = map[string]string{"name": "any", "version": "1.0.0", "integrity": "sha512-any"}
		put(t, filepath.Join(filepath.Dir(item.Path(dir)), ".unpacked"), "sha512-any")
	}
	lock, err := json.Marshal(map[string]any{"packages": pins})
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, "tools", "chromium", "package-lock.json"), string(lock))
}

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestNothingIsInstalledThatIsThere(t *testing.T) {
	m := &machine{programs: []string{"gcc", "apt-get"}, browser: "/bin/chromium"}
	out, err := ensure(t, m, "browser", "compiler")
	if err != nil || !slices.Equal(m.ran, []string{"/bin/chromium --version"}) {
		t.Errorf("ran %q, %v; want the browser's version alone", m.ran, err)
	}
	if !strings.Contains(out, "/bin/chromium (Chromium 156.0)\n") || !strings.Contains(out, "/bin/gcc") {
		t.Errorf("it does not say what is there:\n%s", out)
	}
}

func TestFreshMachine(t *testing.T) {
	m := &machine{
		programs: []string{"apt-get", "node", "npm"},
		gives:    map[string]string{"chromium": "chromium", "gcc": "gcc"},
	}
	out, err := ensure(t, m)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"apt-get update -q",
		"apt-get install -y -q --no-install-recommends chromium fonts-liberation",
		"/bin/chromium --version",
		"apt-get install -y -q --no-install-recommends gcc libc6-dev",
		"node --version",
	}
	last := len(want)
	if len(m.ran) != last+1+len(chromium.Builds()) || !slices.Equal(m.ran[:last], want) || !strings.HasPrefix(m.ran[last], "npm ci --prefix ") {
		t.Errorf("ran %q; want %q, npm ci, and each build of the matrix", m.ran, want)
	}
	for _, says := range []string{"fetching the lists", "installing chromium fonts-liberation with apt-get, since the demo is played", "installing gcc", "installing with npm"} {
		if !strings.Contains(out, says) {
			t.Errorf("it does not say that it is %s:\n%s", says, out)
		}
	}
}

func TestFailuresSayWhatToDo(t *testing.T) {
	tests := []struct {
		name string
		m    machine
		need string
		says []string
	}{
		{"no apt-get", machine{}, "browser", []string{"no apt-get", "install Chromium or Chrome", browser.EnvPath, "needed because"}},
		{"not root", machine{programs: []string{"apt-get"}, normal: true}, "browser", []string{"sudo apt-get install chromium"}},
		{"lists out of reach", machine{programs: []string{"apt-get"}, fails: map[string]string{"apt-get update": "no route"}}, "browser",
			[]string{"apt-get update -q", "no route", "Check the network"}},
		{"package out of reach", machine{programs: []string{"apt-get"}, fails: map[string]string{"apt-get install": "404"}}, "compiler",
			[]string{"404", "otherwise install gcc or clang"}},
		{"installed yet not found", machine{programs: []string{"apt-get"}}, "browser", []string{"just installed"}},
		{"a browser that does not start", machine{browser: "/bin/chromium", fails: map[string]string{"/bin/chromium": "no libnss"}}, "browser",
			[]string{"no libnss", "does not start"}},
		{"no node", machine{}, "node", []string{"install Node 20 or newer"}},
		{"no npm", machine{programs: []string{"node"}}, "node", []string{"npm is missing"}},
		{"no npm for the builds", machine{}, "matrix", []string{"npm is missing"}},
		{"a build that does not start", machine{programs: []string{"npm"}, fails: map[string]string{"": "no libnss"}}, "matrix", []string{"no libnss", "apt-get install chromium"}},
		{"a build of another version", machine{programs: []string{"npm"}, reports: "1.0"}, "matrix", []string{"chromium-147", "1.0", "should be 147."}},
		{"npm fails", machine{programs: []string{"node", "npm"}, fails: map[string]string{"npm": "E404"}}, "node", []string{"E404", "npm's settings"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := ensure(t, &test.m, test.need)
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range test.says {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not say %q", err, want)
				}
			}
		})
	}
}

func TestNodePackagesAreInstalledOnce(t *testing.T) {
	dir := t.TempDir()
	for _, npm := range []bool{true, false} {
		m := &machine{programs: []string{"node", "npm"}}
		out, err := ensureIn(t, dir, m, "node")
		ran := strings.Contains(strings.Join(m.ran, "\n"), "npm ci")
		if err != nil || ran != npm {
			t.Errorf("npm ran: %v, %v; want %v\n%s", ran, err, npm, out)
		}
	}
	lock := filepath.Join(dir, "tools", "node", "node_modules", ".installed")
	if err := os.WriteFile(lock, []byte("of an older lock file"), 0o644); err != nil {
		t.Fatal(err)
	}
	m := &machine{programs: []string{"node", "npm"}}
	if _, err := ensureIn(t, dir, m, "node"); err != nil || len(m.ran) != 2 {
		t.Errorf("with another lock file it ran %q, %v; want npm again", m.ran, err)
	}
}

func TestBrowserThatIsNamedButMissing(t *testing.T) {
	s := newSetup((&machine{programs: []string{"apt-get"}}).system(), t.TempDir(), &bytes.Buffer{})
	t.Setenv(browser.EnvPath, "/nowhere/chromium")
	_, err := s.browser(t.Context())
	if err == nil || !strings.Contains(err.Error(), "unset it") {
		t.Errorf("%v; want advice about the variable, and nothing installed", err)
	}
}

func TestMajor(t *testing.T) {
	for version, want := range map[string]int{"v20.1.2": 20, "v8": 8, "22.0": 22, "": 0, "nonsense": 0} {
		if got := major(version); got != want {
			t.Errorf("major(%q) = %d; want %d", version, got, want)
		}
	}
}

func TestTailKeepsTheEnd(t *testing.T) {
	got := tail(strings.Repeat("early\n", 50) + "the reason\n")
	if !strings.HasSuffix(got, "the reason") || strings.Count(got, "\n") != 19 {
		t.Errorf("tail = %q; want the last 20 lines", got)
	}
}

func TestUsage(t *testing.T) {
	for _, test := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"-nonsense"}, 2, "nonsense"},
		{[]string{"printer"}, 2, "browser, compiler, node, matrix"},
		{[]string{"-h"}, 0, "Usage"},
	} {
		var out bytes.Buffer
		if code := run(t.Context(), test.args, &out, &out); code != test.code || !strings.Contains(out.String(), test.says) {
			t.Errorf("%q: exit %d, says %q; want %d and %q", test.args, code, &out, test.code, test.says)
		}
	}
}
