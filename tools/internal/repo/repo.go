// Package repo knows the checkout that the repository's own tools work on: where its root is, which folders in it are
// made by machines, and which files people wrote.
package repo

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Module is the path of the Go module that the checkout holds.
const Module = "github.com/pagewarden/pagewarden"

// CacheDir is the folder, relative to the root, for whatever can be made again: tool binaries, compressed files,
// reports. Git ignores it.
const CacheDir = ".cache"

// DistDir is the folder, relative to the root, that the build fills. Git ignores it.
const DistDir = "dist"

// TrimmedModFile is a go.mod, relative to the root, that the build makes: with it, the go command takes the modules
// that the wasm is built with, which lack what a page's runtime does not use.
const TrimmedModFile = CacheDir + "/trim/go.mod"

// Root returns the absolute path of the checkout that holds dir: the nearest folder upwards whose go.mod declares
// Module. It is an error if there is none.
func Root(dir string) (string, error) {
	start, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("looking for the checkout: %w", err)
	}
	for at := start; ; at = filepath.Dir(at) {
		if path, err := modulePath(at); err == nil && path == Module {
			return at, nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("looking for the checkout: no go.mod of %s at %s or above; run this inside a checkout", Module, start)
		}
	}
}

// At is what a tool with a flag for its root works on: the given folder, or the checkout around the current one for "".
func At(given string) (string, error) {
	if given != "" {
		return given, nil
	}
	return Root(".")
}

// modulePath reads the module line of the go.mod in dir.
func modulePath(dir string) (string, error) {
	content, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return "", err
	}
	lines := bufio.NewScanner(bytes.NewReader(content))
	for lines.Scan() {
		if path, ok := strings.CutPrefix(strings.TrimSpace(lines.Text()), "module "); ok {
			return strings.Trim(strings.TrimSpace(path), `"`), nil
		}
	}
	return "", fmt.Errorf("reading go.mod in %s: no module line", dir)
}

// Files lists the files under root that people write, as slash-separated paths relative to it, sorted. What git
// ignores or keeps for itself is left out: the cache, the build's output, installed packages.
func Files(root string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if entry.IsDir() && made(filepath.ToSlash(rel)) {
			return filepath.SkipDir
		}
		if entry.Type().IsRegular() {
			files = append(files, filepath.ToSlash(rel))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("listing the files of %s: %w", root, err)
	}
	slices.Sort(files)
	return files, nil
}

// made reports whether the folder holds only what machines make.
func made(rel string) bool {
	switch rel {
	case ".git", CacheDir, DistDir:
		return true
	}
	return rel == "node_modules" || strings.HasSuffix(rel, "/node_modules")
}
