package schema

import "fmt"

// SubsetError says why a document is refused. Path is the place in the document, written as paths of values
// are (properties.rows.items.oneOf, "" for the root); Message names the keyword and what to write instead.
type SubsetError struct {
	Path    string
	Message string
}

// Error is the message with its place before it.
func (e *SubsetError) Error() string {
	if e.Path == "" {
		return e.Message
	}
	return e.Path + ": " + e.Message
}

func refuse(path, format string, args ...any) *SubsetError {
	return &SubsetError{Path: path, Message: fmt.Sprintf(format, args...)}
}
