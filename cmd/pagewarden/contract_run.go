package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/contract/compiler"
	"github.com/pagewarden/pagewarden/contract/review"
)

// committed is the contract file as it is on disk.
type committed struct {
	content []byte
	// manifest is nil when there is no file, or when it does not stand up; then damage says why.
	manifest *contract.Manifest
	damage   error
}

func readCommitted(path string) (committed, error) {
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return committed{}, nil
	}
	if err != nil {
		return committed{}, fmt.Errorf("reading the contract: %w", err)
	}
	m, err := contract.Parse(capability.JSON(content))
	if err == nil {
		err = m.Verify()
	}
	if err != nil {
		return committed{content: content, damage: err}, nil
	}
	return committed{content: content, manifest: m}, nil
}

// approved are the digests that the file holds, and those that the command line adds.
func (c committed) approved(f contractFlags) (map[string]string, error) {
	digests := map[string]string{}
	if c.manifest != nil {
		for _, d := range c.manifest.External {
			digests[d.Package] = d.ApprovedDigest
		}
	}
	allowed, err := f.allowed()
	maps.Copy(digests, allowed)
	return digests, err
}

// unreadable tells each thing that keeps the sources from being read on a line of its own.
func (j *job) unreadable(s streams, err error) error {
	failed, ok := errors.AsType[*compiler.BuildError](err)
	if !ok {
		return err
	}
	for _, p := range failed.Problems {
		if p.File != "" {
			p.File = j.folder + p.File
		}
		s.note("%s", plain(p.String()))
	}
	return errors.New("the sources cannot be read")
}

// job is one run of a command on one project.
type job struct {
	flags   contractFlags
	project compiler.Project
	folder  string // the project's from here, as in review.Report
}

// open checks the flags and finds the project.
func (f contractFlags) open() (*job, error) {
	if err := f.valid(); err != nil {
		return nil, err
	}
	here, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("finding this folder: %w", err)
	}
	p, err := findProject(here, f.entries)
	if err != nil {
		return nil, err
	}
	relative, err := filepath.Rel(here, p.Dir)
	if err != nil {
		return nil, fmt.Errorf("finding the project from this folder: %w", err)
	}
	folder := filepath.ToSlash(relative) + "/"
	if folder == "./" {
		folder = ""
	}
	return &job{f, p, folder}, nil
}

// findProject is the nearest project. With entries it needs no project file; the nearest package.json will do, or here.
func findProject(here string, entries []string) (compiler.Project, error) {
	p, err := compiler.FindProject(here)
	if len(entries) == 0 {
		if errors.Is(err, compiler.ErrNoProject) {
			return p, fmt.Errorf("%w: write one, such as { \"entries\": [\"src/main.ts\"] }, or name the entries with --entry", err)
		}
		return p, err
	}
	if errors.Is(err, compiler.ErrNoProject) {
		p = compiler.Project{Dir: packageFolder(here)}
	} else if err != nil {
		return p, err
	}
	p.Entries = nil
	for _, entry := range entries {
		if !filepath.IsAbs(entry) {
			entry = filepath.Join(here, entry)
		}
		p.Entries = append(p.Entries, entry)
	}
	return p, nil
}

// packageFolder is the nearest folder with a package.json, from here up; here when there is none.
func packageFolder(here string) string {
	for at := here; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "package.json")); err == nil {
			return at
		}
		if filepath.Dir(at) == at {
			return here
		}
	}
}

func (j *job) report(command string) *review.Report {
	return &review.Report{Command: command, Folder: j.folder, Policy: review.Policy(j.flags.policy)}
}

// compile compiles the sources with what the file and the command line approve.
func (j *job) compile(ctx context.Context, file committed) (*compiler.Result, error) {
	approved, err := file.approved(j.flags)
	if err != nil {
		return nil, err
	}
	return compiler.Compile(ctx, compiler.Options{Project: j.project, Approved: approved})
}

func snapshot(ctx context.Context, s streams, f contractFlags) error {
	j, err := f.open()
	if err != nil {
		return err
	}
	if f.watch {
		return j.watch(ctx, s)
	}
	file, err := readCommitted(j.project.ContractPath())
	if err != nil {
		return err
	}
	result, err := j.compile(ctx, file)
	if err != nil {
		return j.unreadable(s, err)
	}
	r, err := j.write(file, result)
	if err != nil {
		return err
	}
	return f.finish(s, r)
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
		err := j.again(ctx, streams{in: s.in, out: &out, err: s.err}, b)
		if err != nil && !errors.Is(err, findings{}) {
			s.note("%s", plain(err.Error()))
		}
		if text := out.String(); text != told {
			told = text
			fmt.Fprint(s.out, text)
		}
	})
}

// again is a snapshot of one build.
func (j *job) again(ctx context.Context, s streams, b compiler.Build) error {
	file, err := readCommitted(j.project.ContractPath())
	if err != nil {
		return err
	}
	approved, err := file.approved(j.flags)
	if err != nil {
		return err
	}
	result, err := b.Compile(ctx, approved)
	if err != nil {
		return j.unreadable(s, err)
	}
	r, err := j.write(file, result)
	if err != nil {
		return err
	}
	return j.flags.finish(s, r)
}

func check(ctx context.Context, s streams, f contractFlags) error {
	j, err := f.open()
	if err != nil {
		return err
	}
	file, err := readCommitted(j.project.ContractPath())
	if err != nil {
		return err
	}
	result, err := j.compile(ctx, file)
	if err != nil {
		return j.unreadable(s, err)
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
	result, err := j.compile(ctx, file)
	if err != nil {
		return j.unreadable(s, err)
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
