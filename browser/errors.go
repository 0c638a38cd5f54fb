package browser

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// Error is an error that has no parts: compare it with errors.Is.
type Error string

// Error returns the text.
func (e Error) Error() string { return string(e) }

// ErrNoBrowser means that there is no Chromium or Chrome to start.
const ErrNoBrowser Error = "no Chromium or Chrome found: install one (Debian and Ubuntu: apt-get install chromium; " +
	"macOS: brew install --cask chromium; elsewhere: https://www.google.com/chrome/), " +
	"or name one with --browser PATH or $" + EnvPath

// BadPathError means that the browser that somebody chose cannot be run. It
// matches ErrNoBrowser.
type BadPathError struct {
	// Path is what was chosen.
	Path string
	// Source says who chose it: the caller, or an environment variable.
	Source string
	// Cause is why it cannot be run.
	Cause error
}

// Error names the path, who chose it, and why it cannot be run.
func (e *BadPathError) Error() string {
	return fmt.Sprintf("no browser at %s (chosen by %s): %v; name a Chromium or Chrome, or none to have one found", e.Path, e.Source, e.Cause)
}

// Is reports that the error is a kind of ErrNoBrowser.
func (e *BadPathError) Is(target error) bool { return target == ErrNoBrowser }

// Unwrap returns the cause.
func (e *BadPathError) Unwrap() error { return e.Cause }

// StartError means that the browser was found and did not start.
type StartError struct {
	// Path is the program that was started.
	Path string
	// Cause is what went wrong.
	Cause error
}

// Error names the program and the cause.
func (e *StartError) Error() string {
	return fmt.Sprintf("starting the browser %s: %v; run it by hand to see why, or name another with --browser PATH", e.Path, e.Cause)
}

// Unwrap returns the cause.
func (e *StartError) Unwrap() error { return e.Cause }

// UnreachableError means that a page could not be loaded.
type UnreachableError struct {
	// URL is the address that was asked for.
	URL string
	// Cause is the browser's reason, or context.DeadlineExceeded.
	Cause error
}

// Error names the address and the cause.
func (e *UnreachableError) Error() string {
	return fmt.Sprintf("opening %s: %v; check that the address is right and its server is running", e.URL, e.Cause)
}

// Unwrap returns the cause.
func (e *UnreachableError) Unwrap() error { return e.Cause }

// NoWebMCPError means that the page has no modelContext, or none whose tools can
// be reached.
type NoWebMCPError struct {
	// Offer is what the page has instead.
	Offer
	// Version is the browser's product and version.
	Version string
	// Flag reports that the browser was started with WebMCP on.
	Flag bool
	// Wanted is the way that Use asked for, "" for any.
	Wanted Way
}

// Error says which condition is missing and how to meet it.
func (e *NoWebMCPError) Error() string {
	return fmt.Sprintf("%s has no WebMCP: %s", e.URL, e.reason())
}

func (e *NoWebMCPError) reason() string {
	switch {
	case !e.Present() && !e.Secure:
		return "browsers offer it in secure contexts only; open the page over https, or on http://localhost"
	case !e.Present() && !e.Flag:
		return "it is off in this browser; start it with --enable-features=" + webMCPFeature
	case !e.Present():
		return fmt.Sprintf("%s does not have it; use Chromium 147 or newer", e.Version)
	case e.Wanted != "":
		return fmt.Sprintf("its tools cannot be reached by way of %s in %s", e.Wanted, e.Version)
	default:
		return fmt.Sprintf("the page has a modelContext, but nothing in %s calls its tools: neither DevTools, nor executeTool, nor modelContextTesting", e.Version)
	}
}

// UnknownToolError means that the page has no tool of that name.
type UnknownToolError struct {
	// Name is the name that was asked for.
	Name string
	// Nearest are the most similar names of the page, best first, at most three.
	Nearest []string
	// Known is the number of tools of the page.
	Known int
}

// Error names the tool and the nearest ones.
func (e *UnknownToolError) Error() string {
	switch {
	case e.Known == 0:
		return fmt.Sprintf("no tool %q: the page has no tools", e.Name)
	case len(e.Nearest) == 0:
		return fmt.Sprintf("no tool %q: none of the page's %d tools has a similar name", e.Name, e.Known)
	default:
		return fmt.Sprintf("no tool %q; did you mean %s?", e.Name, quotedList(e.Nearest))
	}
}

// AmbiguousToolError means that several frames, none of them the main one, have
// a tool of that name.
type AmbiguousToolError struct {
	// Name is the name that was asked for.
	Name string
	// Frames are the addresses of the frames, sorted.
	Frames []string
}

// Error names the tool and the frames.
func (e *AmbiguousToolError) Error() string {
	return fmt.Sprintf("tool %q is in %d frames (%s); choose one", e.Name, len(e.Frames), strings.Join(e.Frames, ", "))
}

// InputError means that the input of a call is not a JSON object.
type InputError struct {
	// Offset is the number of bytes before the fault.
	Offset int64
	// Reason says what is wrong there.
	Reason string
}

// Error gives the reason and the place.
func (e *InputError) Error() string {
	return fmt.Sprintf("reading the input: %s at byte %d; it must be one JSON object, such as {\"id\":1}", e.Reason, e.Offset)
}

// ToolError means that the tool threw, or that its promise rejected.
type ToolError struct {
	// Tool is the tool's name.
	Tool string
	// Message is what the page said, without a stack.
	Message string
}

// Error names the tool and gives its message.
func (e *ToolError) Error() string {
	return fmt.Sprintf("tool %q failed: %s", e.Tool, e.Message)
}

// TimeoutError means that a tool did not settle in time. The tool was told to
// stop; whether it acted is unknown.
type TimeoutError struct {
	// Tool is the tool's name.
	Tool string
	// After is how long the call waited.
	After time.Duration
}

// Error names the tool and the time.
func (e *TimeoutError) Error() string {
	return fmt.Sprintf("tool %q did not answer within %s and was cancelled; it may have acted all the same", e.Tool, readable(e.After))
}

// Unwrap returns context.DeadlineExceeded.
func (e *TimeoutError) Unwrap() error { return context.DeadlineExceeded }

// CanceledError means that the browser reports a call as cancelled that the
// caller did not cancel.
type CanceledError struct {
	// Tool is the tool's name.
	Tool string
}

// Error names the tool.
func (e *CanceledError) Error() string {
	return fmt.Sprintf("tool %q was cancelled by the page or the browser; it may have acted all the same", e.Tool)
}

// GoneError means that the page, or the frame of a call, went away: it
// navigated, crashed or was closed. Whether a tool in flight acted is unknown.
type GoneError struct {
	// What names the thing that went away: a tool's frame or the page.
	What string
	// Reason is how: navigated, removed, crashed, closed.
	Reason string
	// Before reports a call of a page that was gone already, so that nothing has
	// been started.
	Before bool
}

// Error says what went away and how.
func (e *GoneError) Error() string {
	return fmt.Sprintf("%s is gone: %s", e.What, e.Reason)
}

// readable drops the digits that say nothing about a waiting time.
func readable(d time.Duration) time.Duration {
	if d >= time.Second {
		return d.Round(100 * time.Millisecond)
	}
	return d.Round(time.Millisecond)
}

func quotedList(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = fmt.Sprintf("%q", name)
	}
	return strings.Join(quoted, " or ")
}
