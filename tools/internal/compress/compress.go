// Package compress makes the compressed files whose sizes the project promises, in one place so that what is measured
// is what is shipped.
package compress

import (
	"bytes"
	"fmt"

	"github.com/andybalholm/brotli"
)

// The settings of every published figure: the slowest and smallest that browsers read without a flag.
const (
	Quality    = brotli.BestCompression // 11
	WindowBits = 24
)

// Brotli returns content compressed with Quality and WindowBits. Expect a few seconds for each megabyte.
func Brotli(content []byte) ([]byte, error) {
	var out bytes.Buffer
	w := brotli.NewWriterOptions(&out, brotli.WriterOptions{Quality: Quality, LGWin: WindowBits})
	if _, err := w.Write(content); err != nil {
		return nil, fmt.Errorf("compressing %d bytes: %w", len(content), err)
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("finishing the compression of %d bytes: %w", len(content), err)
	}
	return out.Bytes(), nil
}
