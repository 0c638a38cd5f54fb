package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/pagewarden/pagewarden/browser"
	"github.com/pagewarden/pagewarden/tools/internal/repo"
)

// oldestNode is the first major version of Node that the runtime supports.
const oldestNode = 20

// browser finds a Chromium or installs Debian's, with a font so that screenshots have letters.
func (s *setup) browser(ctx context.Context) (string, error) {
	path, err := s.findBrowser()
	if err != nil && os.Getenv(browser.EnvPath) != "" {
		return "", fmt.Errorf("%w; correct $%s, or unset it to let one be found", err, browser.EnvPath)
	}
	if err != nil {
		byHand := "install Chromium or Chrome, or set $" + browser.EnvPath + " to the path of one"
		if err := s.install(ctx, byHand, "chromium", "fonts-liberation"); err != nil {
			return "", err
		}
		if path, err = s.findBrowser(); err != nil {
			return "", fmt.Errorf("finding the browser that was just installed: %w", err)
		}
	}
	version, err := s.command(ctx, path, "--version")
	if err != nil {
		return "", fmt.Errorf("%w\nThe browser is there but does not start; install it anew, or set $%s to another", err, browser.EnvPath)
	}
	return path + " (" + version + ")", nil
}

// compiler finds a C compiler or installs gcc.
func (s *setup) compiler(ctx context.Context) (string, error) {
	for _, name := range []string{os.Getenv("CC"), "gcc", "clang"} {
		if name == "" {
			continue
		}
		if path, err := s.lookPath(name); err == nil {
			return path, nil
		}
	}
	if err := s.install(ctx, "install gcc or clang", "gcc", "libc6-dev"); err != nil {
		return "", err
	}
	path, err := s.lookPath("gcc")
	if err != nil {
		return "", fmt.Errorf("finding the compiler that was just installed: %w", err)
	}
	return path, nil
}

// node checks Node's version and installs the packages that tools/node locks.
func (s *setup) node(ctx context.Context) (string, error) {
	if _, err := s.lookPath("node"); err != nil {
		return "", fmt.Errorf("node is missing; install Node %d or newer, with npm", oldestNode)
	}
	version, err := s.command(ctx, "node", "--version")
	if err != nil {
		return "", err
	}
	if major(version) < oldestNode {
		return "", fmt.Errorf("node %s is too old; install Node %d or newer, with npm", version, oldestNode)
	}
	note, err := s.nodePackages(ctx)
	if err != nil {
		return "", err
	}
	return "node " + version + ", " + note, nil
}

// major reads the first number of "v20.1.2"; 0 if there is none.
func major(version string) int {
	first, _, _ := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	n, err := strconv.Atoi(first)
	if err != nil {
		return 0
	}
	return n
}

// nodePackages runs npm only if what is installed is not what the lock file says.
func (s *setup) nodePackages(ctx context.Context) (string, error) {
	dir := filepath.Join(s.dir, "tools", "node")
	lock, err := os.ReadFile(filepath.Join(dir, "package-lock.json"))
	if err != nil {
		return "", fmt.Errorf("reading the lock file of the Node packages: %w", err)
	}
	sum := sha256.Sum256(lock)
	want := hex.EncodeToString(sum[:])
	stamp := filepath.Join(dir, "node_modules", ".installed")
	if have, err := os.ReadFile(stamp); err == nil && string(have) == want {
		return "packages of tools/node up to date", nil
	}
	if _, err := s.lookPath("npm"); err != nil {
		return "", errors.New("npm is missing; install it (it comes with Node), then try again")
	}
	s.say("installing with npm what tools/node/package-lock.json names, since %s", s.why)
	if _, err := s.command(ctx, "npm", "ci", "--prefix", dir, "--ignore-scripts", "--no-audit", "--no-fund"); err != nil {
		return "", fmt.Errorf("%w\nCheck the network and npm's settings, then try again", err)
	}
	if _, err := repo.Write(stamp, []byte(want)); err != nil {
		return "", err
	}
	return "packages of tools/node installed", nil
}
