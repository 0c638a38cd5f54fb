package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/format"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/pagewarden/pagewarden/tools/internal/golist"
	"github.com/pagewarden/pagewarden/tools/internal/repo"
)

// checkFormat compares each Go file with what gofmt would make of it.
func checkFormat(_ context.Context, s *suite) error {
	files, err := repo.Files(s.root)
	if err != nil {
		return err
	}
	var wrong []string
	for _, name := range files {
		if path.Ext(name) != ".go" || strings.Contains("/"+name, "/testdata/") {
			continue
		}
		ok, err := formatted(filepath.Join(s.root, filepath.FromSlash(name)))
		if err != nil {
			return fmt.Errorf("formatting %s: %w", name, err)
		}
		if !ok {
			wrong = append(wrong, name)
		}
	}
	if len(wrong) > 0 {
		return errors.New("not formatted; run `make fmt`:\n  " + strings.Join(wrong, "\n  "))
	}
	return nil
}

func formatted(path string) (bool, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return false, err
	}
	want, err := format.Source(content)
	return bytes.Equal(content, want), err
}

// vet looks at the native packages, and at those of the wasm once with each set of tags.
func vet(ctx context.Context, s *suite) error {
	return s.eachBuild(ctx, func(b goBuild) error {
		return s.command(ctx, b.env(), "go", append([]string{"vet", "-tags=" + b.tags}, b.packages...)...)
	})
}

// staticcheck runs the version that tools/staticcheck pins.
func staticcheck(ctx context.Context, s *suite) error {
	program, err := s.tool(ctx, "staticcheck", "honnef.co/go/tools/cmd/staticcheck")
	if err != nil {
		return err
	}
	return s.eachBuild(ctx, func(b goBuild) error {
		return s.command(ctx, b.env(), program, append([]string{"-tags=" + b.tags}, b.packages...)...)
	})
}

// goBuild is one way that the repository's Go is built.
type goBuild struct {
	wasm     bool
	tags     string
	packages []string
}

func (b goBuild) env() []string { return golist.Env(b.wasm) }

// eachBuild calls visit for every way of building and joins what goes wrong.
func (s *suite) eachBuild(ctx context.Context, visit func(goBuild) error) error {
	errs := []error{visit(goBuild{packages: []string{"./..."}})}
	for _, tags := range []string{"", "faults"} {
		packages, err := golist.List(ctx, golist.Query{
			Dir: s.root, WASM: true, Flags: []string{"-deps", "-tags=" + tags}, Patterns: []string{"./wasm"},
		})
		if err != nil {
			errs = append(errs, err)
			continue
		}
		errs = append(errs, visit(goBuild{wasm: true, tags: tags, packages: ownPaths(packages)}))
	}
	return errors.Join(errs...)
}

func ownPaths(packages []golist.Package) []string {
	var paths []string
	for _, p := range packages {
		if p.Own() {
			paths = append(paths, p.ImportPath)
		}
	}
	return paths
}

// checkTypes runs the TypeScript compiler that tools/node locks on the script, and on a program that uses the whole
// declared API.
func checkTypes(ctx context.Context, s *suite) error {
	compiler := filepath.Join(s.root, "tools", "node", "node_modules", "typescript", "bin", "tsc")
	if _, err := os.Stat(compiler); err != nil {
		return fmt.Errorf("finding the TypeScript compiler: %w; run `make setup`", err)
	}
	var errs []error
	for _, project := range []string{filepath.Join("web", "tsconfig.json"), filepath.Join("web", "test", "types", "tsconfig.json")} {
		errs = append(errs, s.command(ctx, nil, "node", compiler, "--project", project))
	}
	return errors.Join(errs...)
}

// patience is how long an interrupted program may take to clean up.
const patience = 10 * time.Second

// command runs a program in the checkout and passes on what it prints.
func (s *suite) command(ctx context.Context, env []string, name string, args ...string) error {
	return s.commandTo(ctx, s.out, env, name, args...)
}

// commandTo is command with the program's standard output going elsewhere.
func (s *suite) commandTo(ctx context.Context, stdout io.Writer, env []string, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = s.root, env, stdout, s.out
	group(cmd)
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("running %s %s: %w", filepath.Base(name), args[0], err)
	}
	return nil
}

// tool builds a program that a module of its own pins, in tools/NAME, and returns its path.
func (s *suite) tool(ctx context.Context, module, pkg string) (string, error) {
	target := filepath.Join(s.root, repo.CacheDir, "bin", path.Base(pkg))
	cmd := exec.CommandContext(ctx, "go", "build", "-o", target, pkg)
	cmd.Dir = filepath.Join(s.root, "tools", module)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building %s: %w\n%s", path.Base(pkg), err, bytes.TrimSpace(out))
	}
	return target, nil
}
