package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestMainJob plays the whole script as `make run` does.
func TestMainJob(t *testing.T) {
	shots := t.TempDir()
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"-shots", shots}, &out, &errs); code != codeDone {
		t.Fatalf("exit code %d: %s\n%s", code, &errs, &out)
	}
	for _, s := range script() {
		if !strings.Contains(out.String(), "  "+s.name+"\n") {
			t.Errorf("the transcript does not have the step %q", s.name)
		}
	}
	pictures, err := filepath.Glob(filepath.Join(shots, "*.png"))
	if err != nil {
		t.Fatal(err)
	}
	if len(pictures) < 5 {
		t.Errorf("there are %d pictures: %q", len(pictures), pictures)
	}
	for _, name := range pictures {
		if content, err := os.ReadFile(name); err != nil || !bytes.HasPrefix(content, []byte("\x89PNG\r\n")) {
			t.Errorf("%s is no picture: %v", name, err)
		}
	}
}

func TestCommandLine(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		code int
		says string
	}{
		"help":         {[]string{"-help"}, codeDone, "Exit codes"},
		"unknown flag": {[]string{"-colour"}, codeFailed, "colour"},
		"an argument":  {[]string{"http://localhost/"}, codeFailed, "unexpected argument"},
	} {
		t.Run(name, func(t *testing.T) {
			var out, errs bytes.Buffer
			if code := run(t.Context(), c.args, &out, &errs); code != c.code {
				t.Errorf("exit code %d; want %d", code, c.code)
			}
			if !strings.Contains(errs.String(), c.says) {
				t.Errorf("it says %q; want %q in it", &errs, c.says)
			}
		})
	}
}

func TestHeadedByEnvironment(t *testing.T) {
	for value, want := range map[string]bool{"1": true, "": false, "0": false} {
		t.Setenv("HEADED", value)
		o, err := parse(nil, &bytes.Buffer{})
		if err != nil || o.headed != want {
			t.Errorf("HEADED=%s gives headed %t, %v; want %t", value, o.headed, err, want)
		}
	}
}

func TestNoBrowserIsNoStep(t *testing.T) {
	t.Setenv("PAGEWARDEN_BROWSER", filepath.Join(t.TempDir(), "nothing"))
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"-shots", t.TempDir()}, &out, &errs); code != codeFailed {
		t.Errorf("exit code %d; want %d", code, codeFailed)
	}
	if !strings.Contains(errs.String(), "PAGEWARDEN_BROWSER") {
		t.Errorf("it does not say who chose the browser: %s", &errs)
	}
}

func TestInterruptionIsNoDifference(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := &player{out: &transcript{w: &bytes.Buffer{}}}
	err := p.play(ctx, []step{{"wait", func(ctx context.Context, _ *player) error {
		cancel()
		<-ctx.Done()
		return ctx.Err()
	}}})
	if _, differs := err.(*stepError); differs || err == nil || !strings.Contains(err.Error(), `interrupted at step "wait"`) {
		t.Errorf("play gave %v; want an interruption that names the step", err)
	}
}

func TestTranscriptShortens(t *testing.T) {
	long := strings.Repeat("é", maxShown+1)
	for text, want := range map[string]string{
		"short":                       "short",
		"two\nlines":                  "two lines",
		strings.Repeat("é", maxShown): strings.Repeat("é", maxShown),
		long:                          strings.Repeat("é", maxShown) + "… 482 bytes",
	} {
		if got := shortened(text); got != want {
			t.Errorf("shortened(%q) = %q; want %q", text, got, want)
		}
	}
}

func TestReadmePicturesAreWrittenOnDemandOnly(t *testing.T) {
	root := t.TempDir()
	a, err := newAlbum(options{root: root, shots: filepath.Join(root, "shots")})
	if err != nil || a.docs != "" {
		t.Fatalf("album %+v, %v; want one that leaves docs alone", a, err)
	}
	a, err = newAlbum(options{root: root, shots: filepath.Join(root, "shots"), readme: true})
	if err != nil || a.docs != filepath.Join(root, "docs") {
		t.Fatalf("album %+v, %v; want one that writes to docs", a, err)
	}
}

func TestScriptKnowsEachToolOnce(t *testing.T) {
	all := append(atStart(), later()...)
	slices.Sort(all)
	if once := slices.Compact(slices.Clone(all)); len(once) != len(all) {
		t.Errorf("a tool is named twice: %q", all)
	}
}
