package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// setup sees to needs.
type setup struct {
	system
	dir     string // the checkout
	out     io.Writer
	why     string // what the need that is being seen to is for
	updated bool   // whether apt's package lists are fresh
}

func newSetup(s system, dir string, out io.Writer) *setup {
	return &setup{system: s, dir: dir, out: out}
}

// say prints what is about to be done, since it can take a minute.
func (s *setup) say(format string, args ...any) {
	fmt.Fprintf(s.out, "setup        "+format+"\n", args...)
}

// install installs Debian packages; byHand is what to tell those who have no apt-get.
func (s *setup) install(ctx context.Context, byHand string, packages ...string) error {
	names := strings.Join(packages, " ")
	if _, err := s.lookPath("apt-get"); err != nil {
		return errors.New("it is missing, and there is no apt-get here to install it with; " + byHand)
	}
	if !s.root() {
		return fmt.Errorf("it is missing, and installing needs root; run `sudo apt-get update && sudo apt-get install %s`, then try again", names)
	}
	if err := s.update(ctx); err != nil {
		return err
	}
	s.say("installing %s with apt-get, since %s; this can take a minute", names, s.why)
	args := append([]string{"install", "-y", "-q", "--no-install-recommends"}, packages...)
	if _, err := s.command(ctx, "apt-get", args...); err != nil {
		return fmt.Errorf("%w\nIf the network is down, try again later; otherwise %s", err, byHand)
	}
	return nil
}

// update fetches the package lists, once: a fresh machine has none, or old ones.
func (s *setup) update(ctx context.Context) error {
	if s.updated {
		return nil
	}
	s.say("fetching the lists of packages with apt-get, which a fresh machine lacks")
	if _, err := s.command(ctx, "apt-get", "update", "-q"); err != nil {
		return fmt.Errorf("%w\nCheck the network and the sources of apt, then try again", err)
	}
	s.updated = true
	return nil
}
