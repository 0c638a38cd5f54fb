package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pagewarden/pagewarden/browser"
)

// album is where pictures of a run go.
type album struct {
	dir   string
	docs  string // the README's pictures; empty if they are to stay as they are
	count int
}

func newAlbum(o options) (*album, error) {
	a := &album{dir: o.shots}
	if o.readme {
		a.docs = filepath.Join(o.root, "docs")
	}
	for _, dir := range []string{a.dir, a.docs} {
		if dir == "" {
			continue
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, fmt.Errorf("making the folder of the pictures: %w", err)
		}
	}
	return a, nil
}

// take saves what the page shows as NN-name.png and returns the path. If readme is given, the picture is one of the
// README's too.
func (a *album) take(ctx context.Context, page *browser.Page, name, readme string) (string, error) {
	picture, err := page.Screenshot(ctx)
	if err != nil {
		return "", err
	}
	a.count++
	path := filepath.Join(a.dir, fmt.Sprintf("%02d-%s.png", a.count, name))
	if err := os.WriteFile(path, picture, 0o644); err != nil {
		return "", fmt.Errorf("saving a picture: %w", err)
	}
	if readme != "" && a.docs != "" {
		if err := os.WriteFile(filepath.Join(a.docs, readme), picture, 0o644); err != nil {
			return "", fmt.Errorf("saving a picture of the README: %w", err)
		}
	}
	return path, nil
}
