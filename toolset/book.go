package toolset

import (
	"github.com/pagewarden/pagewarden/catalog"
	"github.com/pagewarden/pagewarden/registry"
)

// book follows what a registry offers to one consumer, and knows what of it differs from the catalog that was handed
// out last. One flow at a time may use it.
type book struct {
	catalog *catalog.Catalog
	version string
	specs   map[string]*Spec // by name
	list    []*Spec          // in order
	places  map[string]int   // in list; nil until somebody asks
	// differing is what was handed out, nil for nothing, under each name that stands for something else now.
	differing map[string]*Spec
	moved     bool // the version, or a registration, is another than that
}

func newBook(r Registry, options Options) *book {
	return &book{
		catalog: catalog.New(r, registry.SnapshotOptions{Consumer: options.Consumer, Scope: options.Scope}),
		specs:   map[string]*Spec{}, differing: map[string]*Spec{}, moved: true,
	}
}

// update looks at the surface again. The error is registry.ErrDisposed.
func (b *book) update() error {
	version, names, err := b.catalog.Update()
	if err != nil {
		return err
	}
	b.moved = b.moved || b.version != version
	b.version = version
	reorder, first := false, len(b.specs) == 0
	if first {
		b.specs = make(map[string]*Spec, len(names))
	}
	for _, name := range names {
		reorder = b.change(name) || reorder
	}
	switch {
	case first:
		b.order(names[:len(b.specs)]) // the names that stand for something come first, in order
	case reorder:
		b.order(b.catalog.Names())
	}
	return nil
}

// change takes over what a name stands for now, and reports whether the order may be another.
func (b *book) change(name string) (reorder bool) {
	var now *Spec
	before := b.specs[name]
	if item := b.catalog.Item(name); item != nil {
		now = specOf(name, item)
	}
	switch {
	case before == nil && now == nil, before != nil && now != nil && *before == *now:
		return false
	case now == nil:
		delete(b.specs, name)
	default:
		b.specs[name] = now
	}
	b.moved = true
	handed, known := b.differing[name]
	if !known {
		handed = before
		b.differing[name] = handed
	}
	if handed.looksLike(now) {
		delete(b.differing, name)
	}
	if before == nil || now == nil || before.RegistrationID != now.RegistrationID {
		return true
	}
	b.list[b.place(name)] = now
	return false
}

// order makes the list anew.
func (b *book) order(names []string) {
	b.list, b.places = make([]*Spec, len(names)), nil
	for i, name := range names {
		b.list[i] = b.specs[name]
	}
}

// place is where the list has a name.
func (b *book) place(name string) int {
	if b.places == nil {
		b.places = make(map[string]int, len(b.list))
		for i, spec := range b.list {
			b.places[spec.Name] = i
		}
	}
	return b.places[name]
}

// tools are those of the present catalog.
func (b *book) tools(t *Toolset) []Tool {
	tools := make([]Tool, len(b.list))
	for i, spec := range b.list {
		tools[i] = Tool{Spec: spec, SurfaceVersion: b.version, toolset: t}
	}
	return tools
}

// handedOut makes the present catalog the one that was handed out last.
func (b *book) handedOut() {
	b.moved = false
	if len(b.differing) > 0 {
		b.differing = map[string]*Spec{}
	}
}

// differs reports whether an agent that has seen the tools would see others now.
func (b *book) differs(handed []Tool, handedBy *book) bool {
	if handedBy == b {
		return len(b.differing) > 0
	}
	if len(handed) != len(b.list) {
		return true
	}
	for i, tool := range handed {
		if !tool.looksLike(b.list[i]) {
			return true
		}
	}
	return false
}

func (b *book) stop() { b.catalog.Stop() }
