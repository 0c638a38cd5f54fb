package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/pagewarden/pagewarden/browser"
)

// system is the part of the machine that the set-up touches; the tests bring one that only takes notes.
type system struct {
	findBrowser func() (string, error)
	lookPath    func(string) (string, error)
	root        func() bool
	// output runs a command in the checkout and returns what it printed.
	output func(ctx context.Context, name string, args ...string) (stdout, stderr string, err error)
}

func realSystem(dir string) system {
	return system{
		findBrowser: func() (string, error) { return browser.Find("") },
		lookPath:    exec.LookPath,
		root:        func() bool { return os.Geteuid() == 0 },
		output: func(ctx context.Context, name string, args ...string) (string, string, error) {
			var stdout, stderr bytes.Buffer
			cmd := exec.CommandContext(ctx, name, args...)
			cmd.Dir = dir
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			// Packages must not stop to ask, since nobody may be there to answer.
			cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
			err := cmd.Run()
			return stdout.String(), stderr.String(), err
		},
	}
}

// command runs a command and returns what it printed as its result; an error carries the end of all that it printed.
func (s *setup) command(ctx context.Context, name string, args ...string) (string, error) {
	stdout, stderr, err := s.output(ctx, name, args...)
	if err != nil {
		return "", fmt.Errorf("running `%s %s`: %w\n%s", name, strings.Join(args, " "), err, tail(stdout+stderr))
	}
	return strings.TrimSpace(stdout), nil
}

// tail is the end of a long output, where the reason for a failure stands.
func tail(out string) string {
	const keep = 20
	lines := strings.Split(strings.TrimSpace(out), "\n")
	return strings.Join(lines[max(0, len(lines)-keep):], "\n")
}
