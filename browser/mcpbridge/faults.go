package mcpbridge

import (
	"errors"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pagewarden/pagewarden/browser"
	"github.com/pagewarden/pagewarden/capability"
)

// The limits of what an error says.
const (
	maxMessage = 300
	maxSaid    = 2000
)

// faultResult is an error as clients get it: the payload as JSON text.
func faultResult(e *capability.Error) *mcp.CallToolResult {
	return textResult(string(e.JSON()), true)
}

// callFault is the answer to a call that has no result.
func callFault(err error) *mcp.CallToolResult {
	var failed *browser.ToolError
	if errors.As(err, &failed) {
		return toolFault(failed)
	}
	return faultResult(payloadOf(err))
}

// toolFault is the answer for a tool that threw. Polyfills turn a tool's own
// error into an exception that holds its text; it goes through whole.
func toolFault(failed *browser.ToolError) *mcp.CallToolResult {
	if at := strings.Index(failed.Message, `{"code":`); at >= 0 {
		own := capability.JSON(failed.Message[at:])
		limits := capability.DefaultLimits()
		if (capability.ValueLimits{MaxBytes: len(own), MaxDepth: limits.MaxInputDepth}).Check(own) == nil {
			return textResult(string(own), true)
		}
	}
	return faultResult(&capability.Error{
		Code: capability.CodeExecutionFailed, Retry: capability.RetryNo,
		Message: "The tool failed while it ran. details.said is what the page said of it.",
		Details: object(func(o *capability.ObjectWriter) {
			o.Text("reason", capability.ReasonHandlerError)
			o.Text("said", capability.Cut(failed.Message, maxSaid))
			o.Text("progress", string(capability.MayHaveHappened))
		}),
	})
}

// payloadOf is the error for an agent, in the form that this module has for all.
func payloadOf(err error) *capability.Error {
	var (
		input    *browser.InputError
		unknown  *browser.UnknownToolError
		late     *browser.TimeoutError
		canceled *browser.CanceledError
		gone     *browser.GoneError
		without  *browser.NoWebMCPError
	)
	switch {
	case errors.As(err, &input):
		return capability.InvalidInput([]capability.Issue{{Message: input.Error()}})
	case errors.As(err, &unknown):
		return notFound(unknown.Error())
	case errors.As(err, &late):
		return capability.Timeout(late.After.Round(time.Millisecond), false)
	case errors.As(err, &canceled):
		cancelled := capability.Cancelled(capability.MayHaveHappened)
		cancelled.Retry = capability.RetryNo
		return cancelled
	case errors.As(err, &gone):
		return leftInFlight(gone)
	case errors.As(err, &without):
		return away(err)
	}
	return &capability.Error{
		Code: capability.CodeExecutionFailed, Retry: capability.RetryNo,
		Message: capability.Cut("The call failed in the browser: "+err.Error(), maxMessage),
		Details: object(func(o *capability.ObjectWriter) {
			o.Text("reason", capability.ReasonTransport)
			o.Text("progress", string(capability.MayHaveHappened))
		}),
	}
}

// leftInFlight is the answer to a call whose page went away meanwhile.
func leftInFlight(gone *browser.GoneError) *capability.Error {
	e := capability.Unmounted("mid-flight", capability.MayHaveHappened)
	e.Message = capability.Cut("The page went away during the call ("+gone.Reason+"), which may have had its effect. "+
		"List the tools again and read the state before you decide to repeat it.", maxMessage)
	return e
}

// notFound is the answer for a tool that the page does not have now.
func notFound(why string) *capability.Error {
	e := capability.NotFound()
	e.Message = capability.Cut("The page does not offer this tool now: "+why+". List the tools again.", maxMessage)
	return e
}

// away is the answer while there is no page to call; nothing was started.
func away(why error) *capability.Error {
	e := capability.NotAvailable(reasonOf(why))
	e.Message = capability.Cut("The page is not there, so the tool was not called; it is tried again by itself. "+why.Error(), maxMessage)
	return e
}

// The reasons for which there is no page to call.
const (
	reasonOpening     = "page-opening"
	reasonUnreachable = "page-unreachable"
	reasonGone        = "page-gone"
	reasonNoWebMCP    = "page-without-webmcp"
	reasonNoAnswer    = "page-does-not-answer"
)

func reasonOf(why error) string {
	var (
		unreachable *browser.UnreachableError
		gone        *browser.GoneError
		without     *browser.NoWebMCPError
	)
	switch {
	case errors.Is(why, errOpening):
		return reasonOpening
	case errors.As(why, &unreachable):
		return reasonUnreachable
	case errors.As(why, &gone):
		return reasonGone
	case errors.As(why, &without):
		return reasonNoWebMCP
	}
	return reasonNoAnswer
}

func object(build func(*capability.ObjectWriter)) capability.JSON {
	var o capability.ObjectWriter
	build(&o)
	return o.JSON()
}
