package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
)

// node measures in the Node of the PATH.
func (r *report) node(ctx context.Context, root string, s settings) error {
	if err := built(root); err != nil {
		return err
	}
	wanted, err := json.Marshal(s.plan)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "node", filepath.Join(root, "bench", "node.mjs"), string(wanted))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	var e engine
	if err := json.Unmarshal(out, &e); err != nil {
		return fmt.Errorf("reading what it found: %w", err)
	}
	r.Engines = append(r.Engines, e)
	return nil
}

// built says what to do when there is nothing to measure.
func built(root string) error {
	_, err := os.Stat(filepath.Join(root, "dist", "pagewarden.wasm"))
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("there is no build; run `make build`, or `go run ./tools/build -quick`, first")
	}
	return err
}
