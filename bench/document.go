package main

import (
	"fmt"
	"os"
	"strings"
)

// The lines around the report in a document.
const (
	blockStart = "<!-- bench: written by go run ./bench -write -->\n"
	blockEnd   = "<!-- /bench -->\n"
)

// writeInto puts the report into the document at path, in place of the one that is there.
func writeInto(path, text string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	replaced, err := withBlock(string(content), text)
	if err != nil {
		return fmt.Errorf("writing the report into %s: %w", path, err)
	}
	return os.WriteFile(path, []byte(replaced), 0o644)
}

func withBlock(document, text string) (string, error) {
	before, rest, found := strings.Cut(document, blockStart)
	_, after, ended := strings.Cut(rest, blockEnd)
	if !found || !ended {
		return "", fmt.Errorf("it lacks the lines %q and %q", strings.TrimSpace(blockStart), strings.TrimSpace(blockEnd))
	}
	return before + blockStart + "\n```text\n" + strings.TrimRight(text, "\n") + "\n```\n\n" + blockEnd + after, nil
}
