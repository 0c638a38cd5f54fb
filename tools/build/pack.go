package main

import (
	"context"

	"github.com/pagewarden/pagewarden/tools/internal/units"
	"github.com/pagewarden/pagewarden/tools/internal/wasmpack"
)

// pack rewrites the program's data so that it is smaller when compressed. The note says what it was made from.
func (b *builder) pack(ctx context.Context, compiled []byte) (packed []byte, note string, err error) {
	goVersion, err := b.goVersion(ctx)
	if err != nil {
		return nil, "", err
	}
	options := b.packing(goVersion)
	if packed, err = wasmpack.Pack(compiled, options); err != nil {
		return nil, "", err
	}
	note = ", packed from " + units.Bytes(len(compiled))
	if options.Lines {
		note += " with the lines of stack traces"
	}
	return packed, note, nil
}

// packing keeps the lines of stack traces when asked to, and when nobody has looked yet where a release of Go has them.
func (b *builder) packing(goVersion string) wasmpack.Options {
	return wasmpack.Options{Lines: b.lines || !wasmpack.KnowsTables(goVersion)}
}
