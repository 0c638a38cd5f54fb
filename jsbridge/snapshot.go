package jsbridge

import (
	"strconv"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/registry"
)

// readers is what the script has of the last snapshots, so that the next sends only what differs.
type readers struct {
	parts map[int32]*registry.Part // by definition
	list  []*registry.Part         // of the last snapshot
}

func (r *readers) forget(definition int32) { delete(r.parts, definition) }

// has reports whether the script has the part already; from now on it has.
func (r *readers) has(definition int32, part *registry.Part) bool {
	if r.parts[definition] == part {
		return true
	}
	if r.parts == nil {
		r.parts = map[int32]*registry.Part{}
	}
	r.parts[definition] = part
	return false
}

// same reports whether the script has all of the parts in this order already; from now on it has.
func (r *readers) same(parts []*registry.Part) bool {
	last := r.list
	r.list = parts
	return len(last) == len(parts) && (len(parts) == 0 || &last[0] == &parts[0])
}

// snapshot takes the options of a snapshot, or nothing. Back comes [snapshot, fresh]. In the snapshot the
// components are the numbers of their definitions, and the procedures pairs of a definition and which of its
// procedures is meant; both are null when they are those of the last snapshot. fresh is [definition, component,
// procedures] of each definition of which the script does not have what it shows now.
func (s *surface) snapshot(text string) (string, error) {
	options := registry.SnapshotOptions{Consumer: capability.AnonymousConsumer()}
	if text != "" {
		f, err := decodeObject("snapshot context", text)
		if err != nil {
			return "", err
		}
		if options = snapshotOptions(f); f.err != nil {
			return "", f.err
		}
	}
	p, err := s.registry.Project(options)
	if err != nil {
		return "", err
	}
	if s.readers.same(p.Parts) {
		return "[" + string(p.JSON("null", "null")) + ",[]]", nil
	}
	components, procedures, fresh := s.lists(p.Parts)
	return "[" + string(p.JSON(components, procedures)) + "," + string(fresh) + "]", nil
}

func (s *surface) lists(parts []*registry.Part) (components, procedures, fresh capability.JSON) {
	c, p, f := []byte{'['}, []byte{'['}, []byte{'['}
	for _, part := range parts {
		definition, _ := part.Internal.(int32)
		if part.Component != "" {
			c = strconv.AppendInt(comma(c), int64(definition), 10)
		}
		for i := range part.Procedures {
			p = strconv.AppendInt(append(comma(p), '['), int64(definition), 10)
			p = append(strconv.AppendInt(append(p, ','), int64(i), 10), ']')
		}
		if !s.readers.has(definition, part) {
			f = append(comma(f), freshPart(definition, part)...)
		}
	}
	return capability.JSON(append(c, ']')), capability.JSON(append(p, ']')), capability.JSON(append(f, ']'))
}

// comma separates an element from the one before it.
func comma(list []byte) []byte {
	if len(list) > 1 {
		return append(list, ',')
	}
	return list
}

func freshPart(definition int32, part *registry.Part) capability.JSON {
	component := part.Component
	if component == "" {
		component = "null"
	}
	return capability.ArrayJSON([]capability.JSON{
		capability.JSON(strconv.Itoa(int(definition))), component, capability.ArrayJSON(part.Procedures),
	})
}
