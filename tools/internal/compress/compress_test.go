package compress_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"

	"github.com/pagewarden/pagewarden/tools/internal/compress"
)

func TestBrotliRoundTrip(t *testing.T) {
	for _, content := range []string{"", "x", strings.Repeat("governed tool ", 10_000)} {
		small, err := compress.Brotli([]byte(content))
		if err != nil {
			t.Fatal(err)
		}
		back, err := io.ReadAll(brotli.NewReader(bytes.NewReader(small)))
		if err != nil || string(back) != content {
			t.Errorf("%d bytes came back as %d, %v", len(content), len(back), err)
		}
	}
}

func TestBrotliIsRepeatable(t *testing.T) {
	content := []byte(strings.Repeat("the same input ", 500))
	first, err1 := compress.Brotli(content)
	second, err2 := compress.Brotli(content)
	if err1 != nil || err2 != nil || !bytes.Equal(first, second) {
		t.Errorf("two runs differ: %d and %d bytes, %v, %v", len(first), len(second), err1, err2)
	}
	if len(first) > 100 {
		t.Errorf("%d bytes of repetition became %d; want nearly none", len(content), len(first))
	}
}
