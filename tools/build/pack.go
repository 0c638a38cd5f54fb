package main

import (
	"context"

	"github.com/pagewarden/pagewarden/tools/internal/wasmpack"
)

// pack rewrites the program's data so that it is smaller when compressed.
func (b *builder) pack(ctx context.Context, content []byte) ([]byte, error) {
	goVersion, err := b.goVersion(ctx)
	if err != nil {
		return nil, err
	}
	return wasmpack.Pack(content, b.packing(goVersion))
}

// packing keeps the lines of stack traces when asked to, and when a release of Go is too new to know where they are.
func (b *builder) packing(goVersion string) wasmpack.Options {
	return wasmpack.Options{Lines: b.lines || !wasmpack.KnowsTables(goVersion)}
}
