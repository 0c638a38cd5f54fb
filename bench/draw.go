package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// lastRun is where -write leaves the medians of a run, in the root.
const lastRun = "bench/last.json"

// draw writes the report's chart and says where it is.
func draw(root string, r report, stdout io.Writer) error {
	last, err := readRun(filepath.Join(root, lastRun))
	if err != nil {
		return err
	}
	path := filepath.Join(root, ".cache", "bench", "index.html")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("making the folder of the chart: %w", err)
	}
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("drawing the chart: %w", err)
	}
	defer file.Close()
	if err := newChart(r, last).write(file); err != nil {
		return fmt.Errorf("drawing the chart: %w", err)
	}
	fmt.Fprintf(stdout, "\nAs a chart: %s\n", path)
	return file.Close()
}

// readRun reads a run that writeJSON wrote; an empty one if there is none.
func readRun(path string) (r report, err error) {
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err == nil {
		err = json.Unmarshal(content, &r)
	}
	if err != nil {
		return r, fmt.Errorf("reading the last run: %w", err)
	}
	return r, nil
}
