package contract

import (
	"fmt"
	"slices"

	"github.com/pagewarden/pagewarden/canonical"
	"github.com/pagewarden/pagewarden/capability"
)

// Parse reads the JSON of a manifest and checks every field, of all but the hashes: those are for Verify. White
// space and the order of members do not matter. The error is a *ManifestError that names the field.
func Parse(text capability.JSON) (*Manifest, error) {
	m, _, err := parse(text)
	return m, err
}

// parse also gives the hashes as they must be, of the bytes that were read: writing them again would cost more than all
// the rest.
func parse(text capability.JSON) (*Manifest, *sums, error) {
	whole, issue := canonical.Encode(text, manifestLimits())
	if issue != nil {
		return nil, nil, &ManifestError{issue.Path, issue.Message}
	}
	d := &decoder{}
	m := d.manifest(whole)
	if d.err != nil {
		return nil, nil, d.err
	}
	return m, &d.sums, nil
}

// decoder keeps the first thing that is wrong.
type decoder struct {
	err  *ManifestError
	sums sums
}

func (d *decoder) fail(where, format string, args ...any) {
	if d.err == nil {
		d.err = &ManifestError{where, fmt.Sprintf(format, args...)}
	}
}

func (d *decoder) manifest(text capability.JSON) *Manifest {
	if text.Kind() == '"' {
		d.fail("", "must be an object, not its text; give what JSON.parse makes of it")
	}
	o := d.object("", text)
	d.sums.whole = digestOf(o.members, func(name string) bool { return name != "hash" })
	if version, found := o.take("formatVersion"); !found || version != "1" {
		d.fail("formatVersion", "is %s, and this version of pagewarden reads only %d: run %q with the version that the page loads", shown(version), FormatVersion, SnapshotCommand)
	}
	completeness := d.object("completeness", o.value("completeness"))
	if status := completeness.text("status"); status != proven {
		d.fail("completeness.status", "must be %s", proven)
	}
	completeness.end()
	m := &Manifest{Compiler: o.text("compiler"), Hash: o.hash("hash")}
	m.Targets = o.texts("targets")
	if len(m.Targets) != 1 || m.Targets[0] != Web {
		d.fail("targets", "want [%q]", Web)
	}
	m.Capabilities = each(o, "capabilities", d.entry)
	m.External = each(o, "external", d.dependency)
	o.end()
	return m
}

// shown is a value as an error may show it.
func shown(value capability.JSON) string {
	if value.Absent() {
		return "absent"
	}
	return capability.Cut(string(value), 40)
}

func (d *decoder) entry(o *object) Entry {
	given := slices.Clone(o.members)
	e := Entry{
		Declaration: o.text("declaration"), CapabilityID: o.text("capabilityId"), Kind: capability.Kind(o.text("kind")),
		Title: o.optional("title"), Description: o.text("description"), Effect: capability.Effect(o.text("effect")),
		Confirmation: capability.Confirmation(o.optional("confirmation")), UntrustedContent: o.flag("untrustedContent"),
		Audit: capability.AuditLevel(o.optional("audit")), ComponentDescription: o.optional("componentDescription"),
		Origin: o.text("origin"), Admission: o.hash("admission"), Hash: o.hash("hash"),
	}
	e.InputSchema, _ = o.take("inputSchema")
	e.OutputSchema, _ = o.take("outputSchema")
	e.BoundFields = filled(o, "boundFields", func(o *object) BoundField {
		return BoundField{Path: o.text("path"), Locked: o.boolean("locked")}
	})
	e.Policies = filled(o, "policies", func(o *object) PolicyRef {
		return PolicyRef{Name: o.text("name"), Phase: o.optional("phase")}
	})
	if _, given := o.peek("tags"); given {
		if e.Tags = o.texts("tags"); len(e.Tags) == 0 {
			d.fail(o.at("tags"), "must not be empty; leave it out")
		}
	}
	if d.err == nil {
		e.check(func(field, reason string) { d.fail(o.at(field), "%s", reason) })
	}
	if d.err == nil {
		d.sums.add(given, &e)
	}
	return e
}

func (d *decoder) dependency(o *object) Dependency {
	dependency := Dependency{
		Package: o.text("package"), Source: o.text("source"), Route: o.text("route"),
		Digest: o.hash("digest"), ApprovedDigest: o.hash("approvedDigest"),
	}
	if dependency.Route != RouteSidecar && dependency.Route != RouteSource {
		d.fail(o.at("route"), "want %s or %s", RouteSidecar, RouteSource)
	}
	return dependency
}

// object reads the members of one object, each once.
type object struct {
	decoder *decoder
	where   string
	members []capability.Member // that nobody has taken
}

func (d *decoder) object(where string, text capability.JSON) *object {
	if text.Kind() != '{' && d.err == nil {
		d.fail(where, "must be an object")
	}
	return &object{d, where, text.Members()}
}

// at is the place of a member.
func (o *object) at(name string) string {
	if o.where == "" {
		return name
	}
	return o.where + "." + name
}

func (o *object) peek(name string) (capability.JSON, bool) {
	for i := range o.members {
		if o.members[i].Name == name {
			return o.members[i].Value, true
		}
	}
	return "", false
}

// take is the member name, which is then gone.
func (o *object) take(name string) (capability.JSON, bool) {
	for i := range o.members {
		if o.members[i].Name == name {
			value := o.members[i].Value
			o.members[i] = o.members[len(o.members)-1]
			o.members = o.members[:len(o.members)-1]
			return value, true
		}
	}
	return "", false
}

// value is a member that must be there.
func (o *object) value(name string) capability.JSON {
	value, found := o.take(name)
	if !found {
		o.decoder.fail(o.at(name), "is required")
	}
	return value
}

func (o *object) text(name string) string {
	text, ok := o.value(name).Text()
	if !ok || text == "" {
		o.decoder.fail(o.at(name), "must be a text")
	}
	return text
}

// optional is a text that may be absent, but not empty: there is one way to say that there is none.
func (o *object) optional(name string) string {
	if _, given := o.peek(name); !given {
		return ""
	}
	return o.text(name)
}

func (o *object) boolean(name string) bool {
	value := o.value(name)
	if value != "true" && value != "false" {
		o.decoder.fail(o.at(name), "must be true or false")
	}
	return value == "true"
}

// flag is true, or absent.
func (o *object) flag(name string) bool {
	value, given := o.take(name)
	if given && value != "true" {
		o.decoder.fail(o.at(name), "must be true, or left out")
	}
	return given
}

func (o *object) hash(name string) string {
	text := o.text(name)
	if !IsHash(text) {
		o.decoder.fail(o.at(name), "want a hash, 64 lower-case hexadecimal digits")
	}
	return text
}

func (o *object) texts(name string) []string {
	list := o.list(name)
	texts := make([]string, len(list))
	for i, element := range list {
		text, ok := element.Text()
		if !ok || text == "" {
			o.decoder.fail(capability.PathIndex(o.at(name), i), "must be a text")
		}
		texts[i] = text
	}
	return texts
}

func (o *object) list(name string) []capability.JSON {
	value := o.value(name)
	if value.Kind() != '[' {
		o.decoder.fail(o.at(name), "must be an array")
	}
	return value.Elements()
}

// end refuses what nobody has taken.
func (o *object) end() {
	if len(o.members) > 0 {
		o.decoder.fail(o.at(o.members[0].Name), "is not a field of a contract")
	}
}

// each reads an array of objects.
func each[T any](o *object, name string, read func(*object) T) []T {
	list := o.list(name)
	out := make([]T, len(list))
	for i, element := range list {
		inner := o.decoder.object(capability.PathIndex(o.at(name), i), element)
		out[i] = read(inner)
		inner.end()
		if o.decoder.err != nil {
			return nil
		}
	}
	return out
}

// filled is each for an array that is left out when it is empty.
func filled[T any](o *object, name string, read func(*object) T) []T {
	if _, given := o.peek(name); !given {
		return nil
	}
	list := each(o, name, read)
	if len(list) == 0 {
		o.decoder.fail(o.at(name), "must not be empty; leave it out")
	}
	return list
}

// IsHash reports whether text is a hash as a manifest writes it: 64 lower-case hexadecimal digits.
func IsHash(text string) bool {
	if len(text) != 64 {
		return false
	}
	for i := 0; i < len(text); i++ {
		if c := text[i]; !('0' <= c && c <= '9' || 'a' <= c && c <= 'f') {
			return false
		}
	}
	return true
}
