package compiler

// The functions and values of the package that mean something to the compiler.
const (
	componentContract = "defineAgentComponentContract"
	procedureContract = "defineAgentProcedureContract"
	externalContract  = "defineExternalAgentToolContract"
	observationHelper = "observationContract"
	actionHelper      = "actionContract"
	fromJSONSchema    = "fromJsonSchema"
	fromStandard      = "fromStandardSchema"
	emptySchema       = "emptyObjectSchema"
	loadFunction      = "load"
	readyPromise      = "ready"
	freezeFunction    = "Object.freeze"
)

// declares reports whether a function of the package makes a declaration.
func declares(name string) bool {
	return name == componentContract || name == procedureContract || name == externalContract
}

// ofPackage is a member of the package's namespace, or of a runtime, which has the same but for load and ready.
func ofPackage(name string, at place, isRuntime bool) (value, bool) {
	switch name {
	case componentContract, procedureContract, externalContract, observationHelper, actionHelper, fromJSONSchema, fromStandard:
		return value{kind: kindKnown, text: name, at: at, size: 1}, true
	case emptySchema:
		return schemaOf(emptyDocument(at), at), true
	case loadFunction:
		return value{kind: kindKnown, text: name, at: at, size: 1}, !isRuntime
	case readyPromise:
		return promiseOf(value{kind: kindRuntime, at: at, size: 1}), !isRuntime
	}
	return value{}, false
}

// ofGlobal is what a name means that nothing declares.
func ofGlobal(name string, at place) (value, bool) {
	switch name {
	case "undefined":
		return value{kind: kindAbsent, at: at, size: 1}, true
	case "PageWarden":
		return value{kind: kindPackage, at: at, size: 1}, true
	case "globalThis", "window", "self":
		return value{kind: kindGlobal, at: at, size: 1}, true
	case "Object":
		return value{kind: kindObjects, at: at, size: 1}, true
	}
	return value{}, false
}

func promiseOf(v value) value {
	return value{kind: kindPromise, items: []value{v}, at: v.at, size: v.size}
}

func schemaOf(document value, at place) value {
	return value{kind: kindSchema, items: []value{document}, at: at, size: document.size + 1}
}

// emptyDocument is the JSON Schema of emptyObjectSchema: an object without members.
func emptyDocument(at place) value {
	is := func(kind valueKind, s string) value { return value{kind: kind, text: s, at: at, size: 1} }
	return value{kind: kindObject, at: at, size: 4, members: []member{
		{"type", is(kindText, "object")}, {"properties", is(kindObject, "")}, {"additionalProperties", is(kindBool, "false")},
	}}
}
