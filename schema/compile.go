package schema

import (
	"fmt"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// address is the name under which a document is known to its compiler, which loads nothing.
const address = "mem:schema"

// compile gives every node its judge. The library gets the rules of each node as a definition of their own,
// so that it never walks: title, $id and all that does not concern a single value are not among them.
func (s *Schema) compile() error {
	definitions := map[string]any{}
	for i, n := range s.nodes {
		if n.rules != nil {
			definitions[strconv.Itoa(i)] = n.rules
		}
	}
	if len(definitions) == 0 {
		return nil
	}
	compiler := s.newCompiler()
	if err := compiler.AddResource(address, map[string]any{"$defs": definitions}); err != nil {
		return fmt.Errorf("adding the schema: %w", err)
	}
	for i, n := range s.nodes {
		if n.rules == nil {
			continue
		}
		judge, err := compiler.Compile(address + "#/$defs/" + strconv.Itoa(i))
		if err != nil {
			return fmt.Errorf("compiling the schema: %w", err)
		}
		n.judge = judge
	}
	return nil
}

func (s *Schema) newCompiler() *jsonschema.Compiler {
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.UseLoader(noLoader{})
	compiler.UseRegexpEngine(s.patternNamed)
	compiler.AssertFormat()
	for _, name := range Formats() {
		compiler.RegisterFormat(&jsonschema.Format{Name: name, Validate: formatNamed(name)})
	}
	return compiler
}

// patternNamed is the library's regular expression engine: the patterns that Parse has translated.
func (s *Schema) patternNamed(source string) (jsonschema.Regexp, error) {
	p, found := s.patterns[source]
	if !found {
		return nil, fmt.Errorf("pattern %q was not translated", source)
	}
	return p, p.compile()
}

// noLoader refuses every document: the library's own loader reads files.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("loading %s: schemas are never loaded from elsewhere", url)
}
