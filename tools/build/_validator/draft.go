package jsonschema

// Draft is a release of JSON Schema.
type Draft struct {
	version    int
	id         string
	subschemas []SchemaPath
}

// Draft2020 is the only one here. Subschemas are looked for below $defs alone: the runtime compiles rules about single
// values, each a definition of its own.
var Draft2020 = &Draft{version: 2020, id: "$id", subschemas: []SchemaPath{{Prop("$defs"), AllProp{}}}}

var draftLatest = Draft2020

func (d *Draft) getID(obj map[string]any) string {
	id, _ := strVal(obj, d.id)
	id, _ = split(id)
	return id
}

type dialect struct {
	draft  *Draft
	vocabs []string
}

func (d *dialect) hasVocab(name string) bool {
	switch name {
	case "core", "applicator", "unevaluated", "validation":
		return true
	}
	return false
}

func (d *dialect) activeVocabs(bool, map[string]*Vocabulary) []string { return d.vocabs }

// getSchema is the meta-schema. It accepts everything: the runtime has checked a schema before it compiles it.
func (d *dialect) getSchema(bool, map[string]*Vocabulary) *Schema { return &Schema{Bool: &accept} }

var accept = true

// The mistakes that a schema can have.
type (
	ParseIDError     struct{ URL string }
	ParseAnchorError struct{ URL string }
	DuplicateIDError struct {
		ID, URL, Ptr1, Ptr2 string
	}
	DuplicateAnchorError struct {
		Anchor, URL, Ptr1, Ptr2 string
	}
)

func (e *ParseIDError) Error() string     { return "the id at " + e.URL + " is malformed" }
func (e *ParseAnchorError) Error() string { return "the anchor at " + e.URL + " is malformed" }
func (e *DuplicateIDError) Error() string { return "the id " + e.ID + " occurs twice in " + e.URL }
func (e *DuplicateAnchorError) Error() string {
	return "the anchor " + e.Anchor + " occurs twice in " + e.URL
}
