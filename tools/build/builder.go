package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/pagewarden/pagewarden/tools/internal/repo"
)

// variant is one folder that the build can fill.
type variant struct {
	dir     string // relative to the root
	tags    string // Go build tags
	publish bool   // also what only a reader outside the tests needs: compression, types, package.json
	quick   bool   // no compression unless its result is there from an earlier build
	lines   bool   // keep the tables that give stack traces their lines
}

// shipped is what people get.
func shipped() variant { return variant{dir: repo.DistDir, publish: true} }

// faulty is the crash suite's: the same runtime with ways to break it.
func faulty() variant { return variant{dir: repo.DistDir + "/faults", tags: "faults"} }

// compressor turns a file into what is served in its place; the slow part of a build, so tests bring a quick one.
type compressor func(content []byte) ([]byte, error)

// builder makes one variant.
type builder struct {
	root string
	variant
	out      io.Writer
	compress compressor
}

func newBuilder(root string, v variant, out io.Writer, compress compressor) *builder {
	return &builder{root: root, variant: v, out: out, compress: compress}
}

// step is one line of the build's output. Its function returns what to say, for example a size.
type step struct {
	name string
	run  func(context.Context) (string, error)
}

// build runs every step in order and stops at the first that fails.
func (b *builder) build(ctx context.Context) error {
	var id string
	steps := []step{
		{"build id", func(ctx context.Context) (note string, err error) {
			id, note, err = b.buildID(ctx)
			return note, err
		}},
		{"wasm", func(ctx context.Context) (string, error) { return b.wasm(ctx, id) }},
		{"scripts", func(context.Context) (string, error) { return b.scripts(id) }},
	}
	if b.publish {
		steps = append(steps,
			step{"brotli", func(context.Context) (string, error) { return b.brotli() }},
			step{"optional", b.optional},
			step{"types", func(context.Context) (string, error) { return b.types() }},
			step{"package.json", func(context.Context) (string, error) { return b.packageJSON() }},
		)
	}
	for _, s := range steps {
		start := time.Now()
		note, err := s.run(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		fmt.Fprintf(b.out, "%-12s %-13s %7.2f s  %s\n", b.dir, s.name, time.Since(start).Seconds(), note)
	}
	return nil
}

// output is the path of a file that the build makes.
func (b *builder) output(name string) string {
	return filepath.Join(b.root, filepath.FromSlash(b.dir), name)
}

// cached is the path of a file that the build keeps for its next run.
func (b *builder) cached(parts ...string) string {
	return filepath.Join(append([]string{b.root, repo.CacheDir}, parts...)...)
}

// changedText says whether a step had anything to do.
func changedText(changed bool) string {
	if changed {
		return ""
	}
	return ", unchanged"
}
