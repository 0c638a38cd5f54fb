package site

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pagewarden/pagewarden/contract/compiler"
)

// ContractPath is where pages fetch their contract.
const ContractPath = "/" + compiler.ContractFile

// Contract is the contract of a page that loads one script, as `pagewarden contract snapshot --entry` writes it.
func Contract(ctx context.Context, script string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "pagewarden-contract-")
	if err != nil {
		return nil, fmt.Errorf("compiling a contract: %w", err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "page.js"), []byte(script), 0o600); err != nil {
		return nil, fmt.Errorf("compiling a contract: %w", err)
	}
	result, err := compiler.Compile(ctx, compiler.Options{Project: compiler.Project{Dir: dir, Entries: []string{"page.js"}, Root: "."}})
	if err != nil {
		return nil, fmt.Errorf("compiling a contract: %w", err)
	}
	if len(result.Problems) > 0 {
		return nil, errors.New("compiling a contract: " + result.Problems[0].String())
	}
	return result.Manifest.File(), nil
}
