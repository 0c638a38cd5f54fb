package main

import (
	"errors"

	"github.com/pagewarden/pagewarden/browser"
)

// The exit codes, as the usage text explains them.
const (
	codeDone    = 0
	codeRefused = 1
	codeNotRun  = 2
)

// refusal is a no of the page or the tool that is no error of package browser.
type refusal string

// Error returns the text.
func (r refusal) Error() string { return string(r) }

// findings end a command with codeRefused; its report has said all.
type findings struct{}

// Error is for whoever has no report.
func (findings) Error() string { return "there are findings" }

// exitCode tells a no of the page or tool from everything that kept the command
// from being tried.
func exitCode(err error) int {
	var (
		said     refusal
		found    findings
		unknown  *browser.UnknownToolError
		failed   *browser.ToolError
		late     *browser.TimeoutError
		canceled *browser.CanceledError
		gone     *browser.GoneError
	)
	switch {
	case err == nil:
		return codeDone
	case errors.As(err, &said), errors.As(err, &found), errors.As(err, &unknown), errors.As(err, &failed),
		errors.As(err, &late), errors.As(err, &canceled), errors.As(err, &gone):
		return codeRefused
	default:
		return codeNotRun
	}
}
