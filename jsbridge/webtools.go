package jsbridge

import (
	"context"
	"errors"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/registry"
	"github.com/pagewarden/pagewarden/webtool"
)

// webToolFunctions are what web/webtools/ computes here.
func webToolFunctions() []function {
	return []function{
		{name: "webTool", run: defineWebTool},
		{name: "webToolResult", run: webToolResult},
		{name: "webToolError", run: webToolError},
		{name: "webToolPayload", run: webToolPayload},
		{name: "webToolOutcome", run: webToolOutcome},
		{name: "webToolGone", run: webToolGone},
	}
}

// defineWebTool takes { id, title?, description, annotations?, readOnly?, destructive?, repeatable?, external?,
// safeResponse?, timeoutMs?, inputSchema, asks } and gives { annotations, effect, untrusted, document }. document is the
// schema as a text: each host gets an object of its own, since some write into it. From then on the page's own registry of
// tools admits it.
func defineWebTool(b *Bridge, a arguments) (capability.JSON, error) {
	value, issue := a.value(0)
	if issue != nil {
		return "", notATool(issue)
	}
	f, err := objectOf("the definition", value)
	if err != nil {
		return "", notATool(err)
	}
	f.where = ""
	d := webtool.Definition{
		ID: f.text("id"), Title: f.text("title"), Description: f.text("description"), Annotations: f.raw("annotations"),
		Flags: webtool.Flags{
			ReadOnly: optionalBoolean(f, "readOnly"), Destructive: optionalBoolean(f, "destructive"), Repeatable: optionalBoolean(f, "repeatable"),
			External: optionalBoolean(f, "external"), SafeResponse: optionalBoolean(f, "safeResponse"),
		},
		Timeout: f.milliseconds("timeoutMs", 0), Execute: inThePage, Input: registry.Schema{Document: f.raw("inputSchema")},
	}
	if f.boolean("asks", false) {
		d.Ask = func(registry.Question) func() { return nil } // the page's, as Execute is
	}
	if f.err != nil {
		return "", notATool(f.err)
	}
	return b.describeTool(d)
}

// inThePage stands for the functions of a tool, which the page keeps and brings when it registers the tool.
func inThePage(context.Context, capability.JSON, *registry.Call) (capability.JSON, error) {
	return "", errFailed
}

// notATool is a mistake in the definition itself.
func notATool(err error) error {
	return &registry.DefinitionError{Code: registry.InvalidDefinition, Reason: err.Error()}
}

func (b *Bridge) describeTool(d webtool.Definition) (capability.JSON, error) {
	tool, err := webtool.Define(d)
	if err != nil {
		return "", err
	}
	if err := b.tools.Add(tool.Offer()); err != nil {
		return "", notATool(err)
	}
	var o capability.ObjectWriter
	o.Raw("annotations", tool.Annotations())
	o.Text("effect", string(tool.Effect()))
	o.Bool("untrusted", tool.Untrusted())
	o.Text("document", string(d.Input.Document))
	return o.JSON(), nil
}

// webToolResult is what a tool gives for a value; what JSON cannot write has failed.
func webToolResult(_ *Bridge, a arguments) (capability.JSON, error) {
	value, issue := a.value(0)
	if issue != nil {
		return webtool.Failed(), nil
	}
	result, err := webtool.ToolResult(value)
	if err != nil {
		return webtool.Failed(), nil
	}
	return result, nil
}

// webToolError takes a code and a message, and gives the result that says so.
func webToolError(_ *Bridge, a arguments) (capability.JSON, error) {
	e, err := a.toolError()
	return webtool.ToolError(e.Code, e.Message), err
}

// webToolPayload takes the same and gives what a handler throws to say so.
func webToolPayload(_ *Bridge, a arguments) (capability.JSON, error) {
	e, err := a.toolError()
	return e.Payload().JSON(), err
}

// toolError is an error of a tool from a code and a message.
func (a arguments) toolError() (webtool.Error, error) {
	code, err := a.string(0, "the code")
	if err != nil {
		return webtool.Error{}, err
	}
	message, err := a.string(1, "the message")
	return webtool.Error{Code: code, Message: message}, err
}

// webToolGone is what a tool answers that is not offered any more, and that somebody has kept.
func webToolGone(*Bridge, arguments) (capability.JSON, error) {
	return webtool.FromResult(registry.Result{Error: capability.NotFound()}), nil
}

// webToolOutcome takes the result of a call and gives what the tool answers.
func webToolOutcome(_ *Bridge, a arguments) (capability.JSON, error) {
	value, issue := a.value(0)
	if issue != nil {
		return "", issue
	}
	f, err := objectOf("the result", value)
	if err != nil {
		return "", err
	}
	result := registry.Result{Output: f.raw("output")}
	if payload := f.raw("error"); !payload.Absent() {
		if result.Error = decodeThrown(string(payload)); result.Error == nil {
			return "", errors.New("the error is no payload")
		}
	}
	return webtool.FromResult(result), nil
}
