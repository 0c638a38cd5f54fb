package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

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
	return &review.Report{Command: command, Folder: j.folder}
}

// compileFunc compiles the project's sources with the dependencies whose digests are approved.
type compileFunc func(ctx context.Context, approved map[string]string) (*compiler.Result, error)

// sources compiles the sources as they are now.
func (j *job) sources(ctx context.Context, approved map[string]string) (*compiler.Result, error) {
	return compiler.Compile(ctx, compiler.Options{Project: j.project, Approved: approved})
}

// read reads the contract file, and compiles with what the file and the command line approve.
func (j *job) read(ctx context.Context, s streams, compile compileFunc) (committed, *compiler.Result, error) {
	file, err := readCommitted(j.project.ContractPath())
	if err != nil {
		return committed{}, nil, err
	}
	result, err := j.compile(ctx, s, file, compile)
	return file, result, err
}

func (j *job) compile(ctx context.Context, s streams, file committed, compile compileFunc) (*compiler.Result, error) {
	approved, err := file.approved(j.flags)
	if err != nil {
		return nil, err
	}
	result, err := compile(ctx, approved)
	if err != nil {
		return nil, j.unreadable(s, err)
	}
	return result, nil
}
