package repo

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

// Write puts content into the file at path so that a reader sees the old file or the new one, never a part; missing
// folders are made. It reports whether the file changed; an equal file is left alone, its time included.
func Write(path string, content []byte) (changed bool, err error) {
	old, err := os.ReadFile(path)
	if err == nil && bytes.Equal(old, content) {
		return false, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return false, fmt.Errorf("writing %s: %w", path, err)
	}
	if err := replace(path, content); err != nil {
		return false, fmt.Errorf("writing %s: %w", path, err)
	}
	return true, nil
}

// replace writes beside the target first, since only a rename within one folder is atomic.
func replace(path string, content []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	if _, err := temp.Write(content); err != nil {
		return closeAfter(temp, err)
	}
	if err := temp.Chmod(0o644); err != nil {
		return closeAfter(temp, err)
	}
	if err := temp.Close(); err != nil {
		return err
	}
	return os.Rename(temp.Name(), path)
}

// closeAfter closes the file and keeps the first error, which says more.
func closeAfter(file *os.File, err error) error {
	_ = file.Close()
	return err
}
