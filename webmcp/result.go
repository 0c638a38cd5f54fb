package webmcp

import (
	"strings"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/registry"
)

// encode is a result as a tool gives it to the browser: { content: [{ type: "text", text }],
// structuredContent?, isError? }.
func encode(r registry.Result) capability.JSON {
	if r.Error != nil {
		var o capability.ObjectWriter
		o.Raw("content", textContent(r.Error.JSON()))
		o.Bool("isError", true)
		return o.JSON()
	}
	output := r.Output
	if output.Absent() {
		output = "null"
	}
	var o capability.ObjectWriter
	o.Raw("content", textContent(output))
	if output.Kind() == '{' {
		o.Raw("structuredContent", output)
	}
	return o.JSON()
}

func textContent(value capability.JSON) capability.JSON {
	var part capability.ObjectWriter
	part.Text("type", "text")
	part.Text("text", string(value))
	return capability.ArrayJSON([]capability.JSON{part.JSON()})
}

// escapeFactor is how much longer a JSON string can be than the text in it.
const escapeFactor = 6

// objectInput is the object that a browser's input means: the input itself, or what a JSON string holds;
// absent and null are {}. What is in the object is left to the registry. An issue that is not zero is the refusal.
func objectInput(input capability.JSON, issue capability.Issue, limits capability.Limits) (capability.JSON, *capability.Error) {
	if issue != (capability.Issue{}) {
		return "", capability.InvalidInput([]capability.Issue{issue})
	}
	if input.Kind() == '"' {
		quoted := capability.ValueLimits{MaxBytes: escapeFactor * limits.MaxInputBytes, MaxDepth: limits.MaxInputDepth}
		if issue := quoted.Check(input); issue != nil {
			return "", capability.InvalidInput([]capability.Issue{*issue})
		}
		text, _ := input.Text()
		input = capability.JSON(text)
		if input.Kind() == 0 {
			return "", notAnObject()
		}
	}
	if input.Kind() == 0 || strings.TrimSpace(string(input)) == "null" {
		return capability.EmptyObject, nil
	}
	if input.Kind() != '{' {
		return "", notAnObject()
	}
	return input, nil
}

func notAnObject() *capability.Error {
	return capability.InvalidInput([]capability.Issue{{Message: "must be an object, or the JSON text of one"}})
}
