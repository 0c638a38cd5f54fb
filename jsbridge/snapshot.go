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

// has reports whether the script has the part already; from now on it has, as long as its component is live.
func (r *readers) has(definition int32, part *registry.Part, live bool) bool {
	if r.parts[definition] == part {
		return true
	}
	if r.parts == nil {
		r.parts = map[int32]*registry.Part{}
	}
	if live {
		r.parts[definition] = part
	}
	return false
}

// same reports whether the script has all of the parts in this order already; from now on it has.
func (r *readers) same(parts []*registry.Part) bool {
	last := r.list
	r.list = parts
	return last != nil && len(last) == len(parts) && (len(parts) == 0 || &last[0] == &parts[0])
}

// snapshot takes the options of a snapshot, or nothing. Back comes [snapshot] when its components and
// procedures, null there, are those of the last one, else [snapshot, components, procedures, fresh]: components are
// the numbers of their definitions, procedures pairs of a definition and which of its procedures is meant, and fresh
// is [definition, component, procedures] of each definition of which the script does not have what it shows now.
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
	parts := []capability.JSON{p.JSON("null", "null")}
	if !s.readers.same(p.Parts) {
		components, procedures, fresh := s.lists(p.Parts)
		parts = append(parts, components, procedures, fresh)
	}
	return string(capability.ArrayJSON(parts)), nil
}

func (s *surface) lists(parts []*registry.Part) (components, procedures, fresh capability.JSON) {
	c, p, f := []byte{'['}, []byte{'['}, []byte{'['}
	for i, part := range parts {
		definition := definitionOf(part, i)
		if part.Component != "" {
			c = strconv.AppendInt(comma(c), int64(definition), 10)
		}
		for i := range part.Procedures {
			p = strconv.AppendInt(append(comma(p), '['), int64(definition), 10)
			p = append(strconv.AppendInt(append(p, ','), int64(i), 10), ']')
		}
		if _, live := s.handles[definition]; !s.readers.has(definition, part, live) {
			f = append(comma(f), freshPart(definition, part)...)
		}
	}
	return capability.JSON(append(c, ']')), capability.JSON(append(p, ']')), capability.JSON(append(f, ']'))
}

// definitionOf is the script's number of the definition of part number at. What the page has not registered itself has
// none, but one for this snapshot.
func definitionOf(part *registry.Part, at int) int32 {
	if c, ok := part.Internal.(*component); ok {
		return c.definition
	}
	return int32(-1 - at)
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
