package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/contract/compiler"
)

// contractAt is the contract of a project at a revision of git; nil when there was none. Its hashes are not looked at:
// what was reviewed then is what it says.
func contractAt(ctx context.Context, dir, ref string) (*contract.Manifest, error) {
	commit, err := git(ctx, dir, "rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{commit}")
	if err != nil {
		return nil, fmt.Errorf("finding the revision %s: %w; is it spelled right, and fetched?", ref, err)
	}
	name := "./" + compiler.ContractFile
	listed, err := git(ctx, dir, "ls-tree", "--name-only", commit, "--", name)
	if err != nil {
		return nil, fmt.Errorf("looking for the contract at %s: %w", ref, err)
	}
	if listed == "" {
		return nil, nil
	}
	content, err := git(ctx, dir, "show", commit+":"+name)
	if err != nil {
		return nil, fmt.Errorf("reading the contract at %s: %w", ref, err)
	}
	m, err := contract.Parse(capability.JSON(content))
	if err != nil {
		return nil, fmt.Errorf("reading the contract at %s: %w", ref, err)
	}
	return m, nil
}

// git runs a command of git in a folder and returns what it prints.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		if said := strings.TrimSpace(stderr.String()); said != "" {
			err = errors.New(said)
		}
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return strings.TrimSpace(stdout.String()), nil
}
