package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/pagewarden/pagewarden/browser"
	"github.com/pagewarden/pagewarden/e2e/internal/site"
)

// Exit codes.
const (
	codeDone   = 0
	codeDiffer = 1 // a step saw what should not be
	codeFailed = 2 // it could not be tried
)

// watchPause is how long the window rests after a step when a person is watching.
const watchPause = 1500 * time.Millisecond

const usage = `usage: play [flags]

Plays a browser agent on the demo in a real Chromium, prints what happens, and
writes it with its pictures to index.html beside them.

  -headed     show the browser's window (also: HEADED=1)
  -readme     update the pictures of the README in docs/
  -shots DIR  where to save the pictures of this run (default: .cache/play)

Exit codes: 0 all as it should be, 1 a step differs, 2 it could not be tried.
`

// options are what the command line chooses.
type options struct {
	root   string
	headed bool
	readme bool
	shots  string
}

// run executes one command line and returns its exit code. The transcript goes to stdout.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return codeDone
	}
	if err == nil {
		err = playDemo(ctx, o, stdout)
	}
	if err == nil {
		return codeDone
	}
	fmt.Fprintln(stderr, "play:", err)
	var differs *stepError
	if errors.As(err, &differs) {
		return codeDiffer
	}
	return codeFailed
}

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("play", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { fmt.Fprint(stderr, usage) }
	flags.BoolVar(&o.headed, "headed", os.Getenv("HEADED") == "1", "")
	flags.BoolVar(&o.readme, "readme", false, "")
	flags.StringVar(&o.shots, "shots", "", "")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q; see -help", flags.Arg(0))
	}
	var err error
	if o.root, err = site.Root(); err != nil {
		return o, err
	}
	if o.shots == "" {
		o.shots = filepath.Join(o.root, ".cache", "play")
	}
	return o, nil
}

// playDemo serves the demo, plays on it and puts everything away again.
func playDemo(ctx context.Context, o options, out io.Writer) (err error) {
	d, err := site.Serve(ctx, o.root, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	b, err := browser.Launch(ctx, browser.Options{Headed: o.headed, ExtraFlags: windowFlags()})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	pictures, err := newAlbum(o)
	if err != nil {
		return err
	}
	p := &player{browser: b, site: d, out: &transcript{w: out}, album: pictures}
	if o.headed {
		p.pause = watchPause
	}
	err = p.play(ctx, script())
	return errors.Join(err, p.out.keep(o.shots))
}

// windowFlags make pictures the same size on every machine.
func windowFlags() []string {
	return []string{"--window-size=1400,900", "--force-device-scale-factor=1", "--hide-scrollbars"}
}
