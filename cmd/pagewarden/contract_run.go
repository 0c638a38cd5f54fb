package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pagewarden/pagewarden/contract/compiler"
	"github.com/pagewarden/pagewarden/contract/review"
)

func snapshot(ctx context.Context, s streams, f contractFlags) error {
	j, err := f.open()
	if err != nil {
		return err
	}
	if f.watch {
		return j.watch(ctx, s)
	}
	return j.snapshot(ctx, s, j.sources)
}

func (j *job) snapshot(ctx context.Context, s streams, compile compileFunc) error {
	file, result, err := j.read(ctx, s, compile)
	if err != nil {
		return err
	}
	r, err := j.write(file, result)
	if err != nil {
		return err
	}
	return j.flags.finish(s, r)
}

// write writes the contract if it differs, and reports what that changed.
func (j *job) write(file committed, result *compiler.Result) (*review.Report, error) {
	r := j.report("snapshot")
	r.Problems, r.Notes = result.Problems, result.Notes
	if result.Manifest == nil {
		r.State = review.Unread
		return r, nil
	}
	content := result.Manifest.File()
	r.Hash, r.Capabilities = result.Manifest.Hash, review.Inventory(result.Manifest)
	r.Changes = review.Compare(file.manifest, result.Manifest)
	switch {
	case bytes.Equal(content, file.content):
		r.State = review.Unchanged
		return r, nil
	case file.content == nil:
		r.State = review.Created
	default:
		r.State = review.Updated
	}
	return r, writeFile(j.project.ContractPath(), content)
}

// writeFile replaces a file as a whole, so that nobody reads half of it.
func writeFile(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("writing the contract: %w", err)
	}
	beside := path + ".new"
	if err := os.WriteFile(beside, content, 0o644); err != nil {
		return fmt.Errorf("writing the contract: %w", err)
	}
	if err := os.Rename(beside, path); err != nil {
		return errors.Join(fmt.Errorf("writing the contract: %w", err), os.Remove(beside))
	}
	return nil
}

// watch writes the contract whenever the sources change. What is wrong is told, and does not end it.
func (j *job) watch(ctx context.Context, s streams) error {
	s.note("watching; interrupt to end")
	told := ""
	return compiler.Watch(ctx, j.project, func(b compiler.Build) {
		var out bytes.Buffer
		err := j.snapshot(ctx, streams{in: s.in, out: &out, err: s.err}, b.Compile)
		if err != nil && !errors.Is(err, findings{}) {
			s.note("%s", plain(err.Error()))
		}
		if text := out.String(); text != told {
			told = text
			fmt.Fprint(s.out, text)
		}
	})
}

func check(ctx context.Context, s streams, f contractFlags) error {
	j, err := f.open()
	if err != nil {
		return err
	}
	file, result, err := j.read(ctx, s, j.sources)
	if err != nil {
		return err
	}
	r := j.report("check")
	j.integrity(r, file, result)
	if f.base != "" && file.damage == nil {
		base, err := contractAt(ctx, j.project.Dir, f.base)
		if err != nil {
			return err
		}
		r.Base = &review.Drift{Ref: f.base, Changes: review.Compare(base, file.manifest)}
	}
	return f.finish(s, r)
}

// integrity compares the file with the sources.
func (j *job) integrity(r *review.Report, file committed, result *compiler.Result) {
	r.Problems, r.Notes = result.Problems, result.Notes
	if file.manifest != nil {
		r.Hash, r.Capabilities = file.manifest.Hash, review.Inventory(file.manifest)
	}
	switch {
	case file.damage != nil:
		r.State, r.Reason = review.Damaged, strings.TrimPrefix(file.damage.Error(), "contract manifest: ")
	case result.Manifest == nil:
		r.State = review.Unread
	case file.content == nil:
		r.State, r.Changes = review.Missing, review.Compare(nil, result.Manifest)
	case bytes.Equal(file.content, result.Manifest.File()):
		r.State = review.Current
	default:
		r.State, r.Changes = review.Stale, review.Compare(file.manifest, result.Manifest)
		if len(r.Changes) == 0 {
			r.Reason = "says what the sources say, but not in the bytes that a snapshot writes: keep formatters away from it"
		}
	}
}

func inspect(ctx context.Context, s streams, f contractFlags, name string) error {
	if name != "" {
		return f.inspectFile(s, name)
	}
	j, err := f.open()
	if err != nil {
		return err
	}
	file, err := readCommitted(j.project.ContractPath())
	if err != nil {
		return err
	}
	r := j.report("inspect")
	switch {
	case file.damage != nil:
		return fmt.Errorf("reading %s: %w", j.project.ContractPath(), file.damage)
	case file.manifest != nil && len(f.entries) == 0:
		r.State, r.Hash, r.Capabilities = review.Committed, file.manifest.Hash, review.Inventory(file.manifest)
		return f.finish(s, r)
	}
	result, err := j.compile(ctx, s, file, j.sources)
	if err != nil {
		return err
	}
	r.State, r.Problems, r.Notes = review.Proposed, result.Problems, result.Notes
	if result.Manifest == nil {
		r.State = review.Unread
	} else {
		r.Hash, r.Capabilities = result.Manifest.Hash, review.Inventory(result.Manifest)
	}
	return f.finish(s, r)
}

// inspectFile shows a contract that need be of no project.
func (f contractFlags) inspectFile(s streams, name string) error {
	if err := f.valid(); err != nil {
		return err
	}
	file, err := readCommitted(name)
	switch {
	case err != nil:
		return err
	case file.content == nil:
		return fmt.Errorf("reading %s: %w", name, fs.ErrNotExist)
	case file.damage != nil:
		return fmt.Errorf("reading %s: %w", name, file.damage)
	}
	return f.finish(s, &review.Report{
		Command: "inspect", State: review.Committed, Hash: file.manifest.Hash, Capabilities: review.Inventory(file.manifest),
	})
}
