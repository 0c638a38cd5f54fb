package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/pagewarden/pagewarden/tools/internal/repo"
)

// keepCompressed is how many results the cache holds: enough to switch between a few branches.
const keepCompressed = 8

// compressInto compresses content, keeps the result at path and drops the oldest results of the same folder.
func (b *builder) compressInto(path string, content []byte) ([]byte, error) {
	small, err := b.compress(content)
	if err != nil {
		return nil, err
	}
	if _, err := repo.Write(path, small); err != nil {
		return nil, err
	}
	if err := prune(filepath.Dir(path), keepCompressed); err != nil {
		return nil, err
	}
	return small, nil
}

// prune removes all but the newest files of a folder.
func prune(dir string, keep int) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("tidying %s: %w", dir, err)
	}
	var files []os.FileInfo
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			files = append(files, info)
		}
	}
	slices.SortFunc(files, func(x, y os.FileInfo) int { return y.ModTime().Compare(x.ModTime()) })
	for _, file := range files[min(keep, len(files)):] {
		if err := os.Remove(filepath.Join(dir, file.Name())); err != nil {
			return fmt.Errorf("tidying %s: %w", dir, err)
		}
	}
	return nil
}
