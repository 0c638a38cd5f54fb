package jsbridge

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/pagewarden/pagewarden/canonical"
	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/registry"
	"github.com/pagewarden/pagewarden/testsurface"
	"github.com/pagewarden/pagewarden/wirename"
)

// function is one function of the API that needs nothing but its arguments. An absent result is undefined
// in the page.
type function struct {
	name string
	run  func(*Bridge, arguments) (capability.JSON, error)
	// checks is set for a function that refuses a first argument which is no JSON by itself, and that keeps nothing
	// of the text of its arguments.
	checks bool
}

// functionTable is what the script makes functions of: number i of OpCompute is the i-th of all three lists
// together, from 1. They become properties of the runtime, of its dev, and of nothing that a page sees.
type functionTable struct{ public, dev, own []function }

func newFunctionTable() functionTable {
	return functionTable{
		public: []function{
			{name: "parseCapabilityId", run: parseCapabilityID},
			{name: "formatViewCapabilityId", run: formatViewID},
			{name: "formatDomainCapabilityId", run: formatDomainID},
			{name: "isValidComponentType", run: predicate(capability.IsComponentType)},
			{name: "isValidCapabilityName", run: predicate(capability.IsName)},
			{name: "isValidInstanceId", run: predicate(capability.IsInstanceID)},
			{name: "encodeWireName", run: encodeWireName},
			{name: "encodeWireNameForInstance", run: encodeWireName},
			{name: "assignWireNames", run: assignWireNames},
			{name: "decodeWireName", run: decodeWireName},
			{name: "jsonDeepEqual", run: jsonDeepEqual},
			{name: "canonicalJson", run: canonicalJSON, checks: true},
			{name: "digestJson", run: digestJSON, checks: true},
			{name: "validateJsonSchemaDocument", run: validateSchema},
			{name: "validateValueAgainstSchema", run: validateValue},
			{name: "serializeSurfaceSnapshot", run: serializeSnapshot},
		},
		dev: []function{{name: "matchesScope", run: matchesScope}},
		own: append([]function{{name: "issues", run: standardIssues}, {name: "capabilityState", run: capabilityState}}, webToolFunctions()...),
	}
}

// number is the function that the script calls number n, from 1.
func (t functionTable) number(n int) (function, bool) {
	for _, list := range [][]function{t.public, t.dev, t.own} {
		if n >= 1 && n <= len(list) {
			return list[n-1], true
		}
		n -= len(list)
	}
	return function{}, false
}

// JSON is { functions, dev, own, values, policies, shapes, texts }: the names of the functions, the constants of the
// API, the names of the built-in policies, and what shapes.go and texts.go say.
func (t functionTable) JSON() capability.JSON {
	var o, values capability.ObjectWriter
	o.Raw("functions", namesOf(t.public))
	o.Raw("dev", namesOf(t.dev))
	o.Raw("own", namesOf(t.own))
	codes := []capability.JSON{}
	for _, info := range capability.Codes() {
		codes = append(codes, capability.Quote(string(info.Code)))
	}
	values.Raw("DEFAULT_LIMITS", capability.DefaultLimits().JSON())
	values.Raw("AGENT_CAPABILITY_ERROR_CODES", capability.ArrayJSON(codes))
	values.Int("MAX_ID_LENGTH", capability.MaxIDLength)
	values.Int("MAX_WIRE_NAME_LENGTH", wirename.MaxLength)
	o.Raw("values", values.JSON())
	o.Raw("policies", textsJSON(builtInNames()))
	o.Raw("shapes", shapesJSON())
	o.Raw("texts", scriptTexts())
	return o.JSON()
}

func namesOf(functions []function) capability.JSON {
	names := make([]string, len(functions))
	for i, f := range functions {
		names[i] = f.name
	}
	return textsJSON(names)
}

func textsJSON(texts []string) capability.JSON {
	list := make([]capability.JSON, len(texts))
	for i, text := range texts {
		list[i] = capability.Quote(text)
	}
	return capability.ArrayJSON(list)
}

// compute runs function number n; 0 gives the table. The text is the caller's and may change afterwards.
func (b *Bridge) compute(n int32, text string) (string, error) {
	if n == 0 {
		return string(b.functions.JSON()), nil
	}
	f, ok := b.functions.number(int(n))
	if !ok {
		return "", typeError(fmt.Sprintf("unknown function %d", n))
	}
	if !f.checks {
		text = strings.Clone(text) // what these make of it may be kept
	}
	given, err := decodeArguments(f, text)
	if err != nil {
		return "", err
	}
	result, err := f.run(b, given)
	if err == nil {
		err = given.err
	}
	var defect *registry.DefinitionError
	switch {
	case errors.As(err, &defect):
		return "", defect
	case err != nil:
		return "", typeError(f.name + ": " + err.Error())
	}
	return string(result), nil
}

// arguments are what a function was called with. A line of the script is the value of one, after = where that is
// canonical already, nothing where it is undefined, or ! and the { path, message } of one that is not JSON. The first,
// which may be large, is not looked into here; the others are the members "1", "2" and so on, or "!1".
type arguments struct {
	*fields
	first     capability.JSON
	canonical bool // the first one is
}

func decodeArguments(f function, text string) (arguments, error) {
	l := lines{where: f.name, rest: text}
	first := l.next()
	plain := unmarked(first)
	canonical := len(plain) < len(first)
	if !f.checks {
		plain = soundLine(plain)
	}
	var others capability.ObjectWriter
	for i := 1; l.rest != ""; i++ {
		value, name := soundLine(unmarked(l.next())), strconv.Itoa(i)
		if value.Kind() == '!' {
			value, name = value[1:], "!"+name
		}
		others.Raw(name, value)
	}
	given, err := decodeObject(f.name, string(others.JSON()))
	return arguments{given, plain, canonical}, err
}

// unmarked is a line without the mark of a canonical value.
func unmarked(line capability.JSON) capability.JSON {
	return capability.JSON(strings.TrimPrefix(string(line), "="))
}

// soundLine is a line, or what is wrong with its JSON. The script cannot see everything: it escapes a lone surrogate.
func soundLine(line capability.JSON) capability.JSON {
	if line.Absent() || line.Kind() == '!' {
		return line
	}
	if issue := messageLimits().Check(line); issue != nil {
		return "!" + issueJSON(issue)
	}
	return line
}

func issueJSON(issue *capability.Issue) capability.JSON {
	var o capability.ObjectWriter
	o.Text("path", issue.Path)
	o.Text("message", issue.Message)
	return o.JSON()
}

// value is argument i, absent when it is undefined; the issue says why it is no JSON.
func (a arguments) value(i int) (capability.JSON, *capability.Issue) {
	wrong, value := capability.JSON(""), a.first
	if i > 0 {
		wrong, value = a.raw("!"+strconv.Itoa(i)), a.raw(strconv.Itoa(i))
	} else if a.first.Kind() == '!' {
		wrong = soundLine(a.first[1:])
	}
	if !wrong.Absent() {
		if inner, err := objectOf("issue", wrong); err == nil {
			return "", &capability.Issue{Path: inner.text("path"), Message: inner.text("message")}
		}
	}
	return value, nil
}

// must is argument i, which has to be JSON.
func (a arguments) must(i int, what string) (capability.JSON, error) {
	value, issue := a.value(i)
	switch {
	case issue != nil:
		return "", fmt.Errorf("%s %w", what, issue)
	case value.Absent():
		return "", fmt.Errorf("%s is required", what)
	}
	return value, nil
}

// string is argument i, which has to be a string.
func (a arguments) string(i int, what string) (string, error) {
	value, err := a.must(i, what)
	if err != nil {
		return "", err
	}
	text, ok := value.Text()
	if !ok {
		return "", fmt.Errorf("%s must be a string", what)
	}
	return text, nil
}

// option is member name of argument i, absent when there is none.
func (a arguments) option(i int, name string) capability.JSON {
	inner := a.object(strconv.Itoa(i))
	if inner == nil {
		return ""
	}
	return inner.raw(name)
}

func boolJSON(b bool) capability.JSON { return capability.JSON(strconv.FormatBool(b)) }

// predicate answers for a text; anything else is not what it asks for.
func predicate(holds func(string) bool) func(*Bridge, arguments) (capability.JSON, error) {
	return func(_ *Bridge, a arguments) (capability.JSON, error) {
		value, _ := a.value(0)
		text, ok := value.Text()
		return boolJSON(ok && holds(text)), nil
	}
}

// parseCapabilityID gives { plane, componentType, name } or { plane, path }, absent for what is no id.
func parseCapabilityID(_ *Bridge, a arguments) (capability.JSON, error) {
	value, _ := a.value(0)
	text, ok := value.Text()
	id, err := capability.ParseID(text)
	if !ok || err != nil {
		return "", nil
	}
	var o capability.ObjectWriter
	o.Text("plane", string(id.Plane))
	if id.Plane == capability.View {
		o.Text("componentType", id.ComponentType)
		o.Text("name", id.Name)
	} else {
		o.Text("path", id.Name)
	}
	return o.JSON(), nil
}

func formatViewID(_ *Bridge, a arguments) (capability.JSON, error) {
	componentType, err := a.string(0, "the component type")
	if err != nil {
		return "", err
	}
	name, err := a.string(1, "the name")
	if err != nil {
		return "", err
	}
	id, err := capability.ViewID(componentType, name)
	return capability.Quote(id.String()), err
}

func formatDomainID(_ *Bridge, a arguments) (capability.JSON, error) {
	path, err := a.string(0, "the path")
	if err != nil {
		return "", err
	}
	id, err := capability.DomainID(path)
	return capability.Quote(id.String()), err
}

// encodeWireName takes an id and perhaps an instance and a level.
func encodeWireName(_ *Bridge, a arguments) (capability.JSON, error) {
	id, err := a.string(0, "the id")
	if err != nil {
		return "", err
	}
	name, err := wirename.EncodeForInstance(id, a.text("1"), a.integer("2", 0))
	return capability.Quote(name), err
}

// assignWireNames takes [{ id, instanceId? }] and gives { names, byName }.
func assignWireNames(_ *Bridge, a arguments) (capability.JSON, error) {
	list, err := a.must(0, "the list of entries")
	if err != nil {
		return "", err
	}
	if list.Kind() != '[' {
		return "", fmt.Errorf("the entries must be an array of { id, instanceId? }")
	}
	var entries []wirename.Entry
	for i, element := range list.Elements() {
		f, err := objectOf(fmt.Sprintf("entries[%d]", i), element)
		if err != nil {
			return "", err
		}
		entries = append(entries, wirename.Entry{ID: f.text("id"), InstanceID: f.text("instanceId")})
		if a.absorb(f); a.err != nil {
			return "", a.err
		}
	}
	names, _, err := wirename.Assign(entries)
	if err != nil {
		return "", err
	}
	var o, byName capability.ObjectWriter
	seen := map[string]bool{}
	for i, name := range names {
		if seen[name] {
			continue
		}
		seen[name] = true
		var entry capability.ObjectWriter
		entry.Text("id", entries[i].ID)
		entry.OptionalText("instanceId", entries[i].InstanceID)
		byName.Raw(name, entry.JSON())
	}
	o.Raw("names", textsJSON(names))
	o.Raw("byName", byName.JSON())
	return o.JSON(), nil
}

func decodeWireName(_ *Bridge, a arguments) (capability.JSON, error) {
	value, _ := a.value(0)
	text, _ := value.Text()
	id, ok := wirename.Decode(text)
	if !ok {
		return "", nil
	}
	return capability.Quote(id), nil
}

// jsonDeepEqual compares two values; one that is no JSON equals nothing.
func jsonDeepEqual(_ *Bridge, a arguments) (capability.JSON, error) {
	first, issue := a.value(0)
	second, otherIssue := a.value(1)
	return boolJSON(issue == nil && otherIssue == nil && canonical.Equal(first, second)), nil
}

func canonicalJSON(_ *Bridge, a arguments) (capability.JSON, error) {
	value, err := a.must(0, "the value")
	if err != nil {
		return "", err
	}
	form, issue := value, (*capability.Issue)(nil)
	if !a.surelyCanonical() {
		form, issue = canonical.Encode(value, messageLimits())
	}
	if issue != nil {
		return "", issue
	}
	return capability.Quote(string(form)), nil
}

func digestJSON(_ *Bridge, a arguments) (capability.JSON, error) {
	value, err := a.must(0, "the value")
	if err != nil {
		return "", err
	}
	if a.surelyCanonical() {
		return capability.Quote(canonical.DigestForm(value)), nil
	}
	digest, issue := canonical.Digest(value, messageLimits())
	if issue != nil {
		return "", issue
	}
	return capability.Quote(digest), nil
}

// surelyCanonical reports whether the first argument is canonical as the script says. The script writes numbers and
// strings that way and sees whether names are in order; it does not see a lone surrogate, which it escapes.
func (a arguments) surelyCanonical() bool {
	return a.canonical && !strings.Contains(string(a.first), `\ud`)
}

func serializeSnapshot(_ *Bridge, a arguments) (capability.JSON, error) {
	snapshot, err := a.must(0, "the snapshot")
	if err != nil {
		return "", err
	}
	if snapshot.Kind() != '{' {
		return "", fmt.Errorf("the snapshot must be an object")
	}
	options := testsurface.SerializeOptions{IncludeVersion: a.option(1, "includeVersion") == "true"}
	return capability.Quote(testsurface.SerializeJSON(snapshot, options)), nil
}

// matchesScope takes a component type and a list of prefixes.
func matchesScope(_ *Bridge, a arguments) (capability.JSON, error) {
	componentType, err := a.string(0, "the component type")
	if err != nil {
		return "", err
	}
	return boolJSON(registry.MatchesScope(componentType, a.texts("1"))), nil
}
