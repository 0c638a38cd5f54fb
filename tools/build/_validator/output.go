package jsonschema

// Error says nothing about what is wrong: the runtime words its issues from the kinds of the causes.
func (e *ValidationError) Error() string { return "the value does not match its schema" }
