package jsonschema

// URLLoader is asked for documents that were not added to a Compiler.
type URLLoader interface {
	Load(url string) (any, error)
}

// FileLoader stands where the published module reads files.
type FileLoader struct{}

// Load finds nothing.
func (FileLoader) Load(url string) (any, error) { return nil, &missingError{url} }

type missingError struct{ url string }

func (e *missingError) Error() string { return "no document is at " + e.url }

// ResourceExistsError says that a document was added twice.
type ResourceExistsError struct{ url string }

func (e *ResourceExistsError) Error() string { return "a document is at " + e.url + " already" }

// isMeta reports whether a meta-schema is at the address. There are none.
func isMeta(string) bool { return false }

type defaultLoader struct {
	docs   map[url]any
	loader URLLoader
}

func (l *defaultLoader) add(at url, doc any) bool {
	_, found := l.docs[at]
	if !found {
		l.docs[at] = doc
	}
	return !found
}

func (l *defaultLoader) load(at url) (any, error) {
	if doc, found := l.docs[at]; found {
		return doc, nil
	}
	return l.loader.Load(string(at))
}

// getDraft knows one draft, since the runtime takes $schema out of what it compiles.
func (l *defaultLoader) getDraft(_ urlPtr, _ any, known *Draft, _ map[url]struct{}) (*Draft, error) {
	return known, nil
}

func (l *defaultLoader) getMetaVocabs(any, *Draft, map[string]*Vocabulary) ([]string, error) {
	return nil, nil
}
