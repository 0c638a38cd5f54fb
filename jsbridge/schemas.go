package jsbridge

import (
	"fmt"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/schema"
)

// validateSchema takes a document and { maxSchemaBytes?, maxSchemaDepth? } and gives { ok, reason? }.
func validateSchema(b *Bridge, a arguments) (capability.JSON, error) {
	limits, err := schemaLimits(a)
	if err != nil {
		return "", err
	}
	reason := ""
	if document, issue := a.value(0); issue != nil {
		reason = issue.Error()
	} else if document.Absent() {
		reason = "a schema must be an object, not undefined"
	} else if _, err := b.schemas.Get(document, limits); err != nil {
		reason = err.Error()
	}
	var o capability.ObjectWriter
	o.Bool("ok", reason == "")
	o.OptionalText("reason", reason)
	return o.JSON(), nil
}

func schemaLimits(a arguments) (schema.Limits, error) {
	all := capability.DefaultLimits()
	if given := a.object("1"); given != nil {
		for _, name := range given.names() {
			if err := all.Set(name, given.number(name, -1)); err != nil {
				return schema.Limits{}, err
			}
		}
	}
	return schema.Limits{MaxBytes: all.MaxSchemaBytes, MaxDepth: all.MaxSchemaDepth}, nil
}

// validateValue takes a value, a schema, the document that its $refs are resolved in and the path of the
// value, and gives the list of issues. Without a document the schema is its own.
func validateValue(b *Bridge, a arguments) (capability.JSON, error) {
	document, err := a.must(1, "the schema")
	if err != nil {
		return "", err
	}
	root, err := a.optional(2, "the root document")
	if err != nil {
		return "", err
	}
	s, err := b.schemas.Get(within(document, root), schema.Limits{})
	if err != nil {
		return "", err
	}
	path := a.text("3")
	value, issue := a.value(0)
	if issue == nil && value.Absent() {
		issue = &capability.Issue{Message: "must be JSON, and is undefined"}
	}
	if issue == nil {
		var decoded any
		if decoded, issue = valueLimits().Decode(value); issue == nil {
			return capability.IssuesJSON(s.ValidateAt(path, decoded)), nil
		}
	}
	return capability.IssuesJSON([]capability.Issue{{Path: joinPaths(path, issue.Path), Message: issue.Message}}), nil
}

// valueLimits are those of a handler's input.
func valueLimits() capability.ValueLimits {
	limits := capability.DefaultLimits()
	return capability.ValueLimits{MaxBytes: limits.MaxInputBytes, MaxDepth: limits.MaxInputDepth, Float64Integers: true}
}

// optional is argument i, absent when it is undefined.
func (a arguments) optional(i int, what string) (capability.JSON, error) {
	value, issue := a.value(i)
	if issue != nil {
		return "", fmt.Errorf("%s %w", what, issue)
	}
	return value, nil
}

// within is a subschema with the definitions of the document that it comes from.
func within(subschema, root capability.JSON) capability.JSON {
	if root.Kind() != '{' || subschema.Kind() != '{' || subschema == root {
		return subschema
	}
	var o capability.ObjectWriter
	for _, member := range subschema.Members() {
		if member.Name != "$defs" {
			o.Raw(member.Name, member.Value)
		}
	}
	for _, member := range root.Members() {
		if member.Name == "$defs" {
			o.Raw(member.Name, member.Value)
		}
	}
	return o.JSON()
}

func joinPaths(outer, inner string) string {
	if outer == "" || inner == "" || inner[0] == '[' {
		return outer + inner
	}
	return outer + "." + inner
}

// standardIssues takes the issues of a Standard Schema as { "0": { message, path: { "0": step, … } }, … }, each
// step a name or an index, and gives them as [{ path, message }].
func standardIssues(_ *Bridge, a arguments) (capability.JSON, error) {
	list, err := a.must(0, "the issues")
	if err != nil {
		return "", err
	}
	issues := []capability.Issue{}
	for _, member := range list.Members() {
		f, err := objectOf("issue", member.Value)
		if err != nil {
			return "", err
		}
		path := ""
		for _, step := range f.raw("path").Members() {
			if name, ok := step.Value.Text(); ok {
				path = capability.PathName(path, name)
			} else {
				path += "[" + string(step.Value) + "]"
			}
		}
		issue := capability.Issue{Path: path, Message: f.text("message")}
		if issue.Message == "" {
			issue.Message = "was refused"
		}
		if issues = append(issues, issue); len(issues) == schema.MaxIssues {
			break
		}
	}
	if len(issues) == 0 {
		issues = append(issues, capability.Issue{Message: "was refused"})
	}
	return capability.IssuesJSON(issues), nil
}
