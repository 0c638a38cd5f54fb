package registry

import (
	"reflect"
	"strings"
	"sync"
)

// fieldNames knows which member of an object fills which field of a struct, as encoding/json decides it but
// for the names that differ in case only. It is safe for concurrent use.
type fieldNames struct {
	mu    sync.Mutex
	known map[reflect.Type]structFields
}

func newFieldNames() *fieldNames { return &fieldNames{known: map[reflect.Type]structFields{}} }

// structFields are the types of a struct's fields under their JSON names.
type structFields map[string]reflect.Type

func (s structFields) named(name string) (t reflect.Type, known bool) {
	t, known = s[name]
	return t, known
}

// of are the fields of t, a struct.
func (n *fieldNames) of(t reflect.Type) structFields {
	n.mu.Lock()
	defer n.mu.Unlock()
	fields, found := n.known[t]
	if !found {
		fields = fieldsOf(t)
		n.known[t] = fields
	}
	return fields
}

// fieldsOf looks at t and then, level by level, at what it embeds: the least nested field of a name wins,
// and of several on one level the one that is tagged; otherwise none of them has the name.
func fieldsOf(t reflect.Type) structFields {
	fields := structFields{}
	taken := map[string]bool{}
	visited := map[reflect.Type]bool{}
	for level := []reflect.Type{t}; len(level) > 0; {
		var next []reflect.Type
		found := map[string][]jsonField{}
		for _, embedded := range level {
			if !visited[embedded] {
				next = append(next, gather(embedded, found)...)
			}
		}
		for _, embedded := range level {
			visited[embedded] = true
		}
		for name, candidates := range found {
			if !taken[name] {
				taken[name] = true
				if winner, ok := dominant(candidates); ok {
					fields[name] = winner.kind
				}
			}
		}
		level = next
	}
	return fields
}

// jsonField is a field as JSON sees it.
type jsonField struct {
	name   string
	tagged bool
	kind   reflect.Type
}

// gather adds the named fields of t to found and returns the structs that t embeds.
func gather(t reflect.Type, found map[string][]jsonField) (embedded []reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, ignored := jsonName(f)
		if ignored {
			continue
		}
		if inner := f.Type; f.Anonymous && name == "" {
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			if inner.Kind() == reflect.Struct {
				embedded = append(embedded, inner)
				continue
			}
		}
		if !f.IsExported() {
			continue
		}
		field := jsonField{name, name != "", f.Type}
		if !field.tagged {
			field.name = f.Name
		}
		found[field.name] = append(found[field.name], field)
	}
	return embedded
}

func dominant(candidates []jsonField) (jsonField, bool) {
	if len(candidates) == 1 {
		return candidates[0], true
	}
	var winner jsonField
	tagged := 0
	for _, c := range candidates {
		if c.tagged {
			winner = c
			tagged++
		}
	}
	return winner, tagged == 1
}

// jsonName is the name that the json tag of f gives, "" when it gives none; ignored for "-".
func jsonName(f reflect.StructField) (name string, ignored bool) {
	tag := f.Tag.Get("json")
	if tag == "-" {
		return "", true
	}
	name, _, _ = strings.Cut(tag, ",")
	if strings.ContainsAny(name, "\"'`\\") { // encoding/json does not take these
		name = ""
	}
	return name, false
}

// jsonOption reports whether the json tag of f has an option.
func jsonOption(f reflect.StructField, option string) bool {
	_, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	for given := range strings.SplitSeq(options, ",") {
		if given == option {
			return true
		}
	}
	return false
}
