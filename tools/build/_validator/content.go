package jsonschema

// Decoder decodes a contentEncoding, which the runtime does not admit.
type Decoder struct {
	Name   string
	Decode func(string) ([]byte, error)
}

// MediaType checks a contentMediaType, which the runtime does not admit.
type MediaType struct {
	Name          string
	Validate      func([]byte) error
	UnmarshalJSON func([]byte) (any, error)
}

var (
	decoders   map[string]*Decoder
	mediaTypes map[string]*MediaType
)
