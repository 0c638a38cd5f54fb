package jsonschema

// Format is a check of text by its name.
type Format struct {
	Name     string
	Validate func(v any) error
}

// formats are those that need not be registered. There are none: the runtime registers its own.
var formats map[string]*Format
