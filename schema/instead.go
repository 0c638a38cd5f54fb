package schema

import "strings"

// instead says what to write in place of a keyword outside the subset.
func instead(keyword string) string {
	switch keyword {
	case "oneOf":
		return "; write anyOf"
	case "allOf":
		return "; write the keywords of its schemas into this one"
	case "not":
		return "; say what is allowed, with type, enum or anyOf"
	case "if", "then", "else":
		return "; write the cases as schemas of anyOf"
	case "patternProperties", "propertyNames", "unevaluatedProperties":
		return "; declare the properties by name, with additionalProperties true or false"
	case "prefixItems", "additionalItems", "unevaluatedItems":
		return "; write items with one schema for all elements"
	case "contains", "minContains", "maxContains":
		return "; check it in the handler"
	case "minProperties", "maxProperties":
		return "; write required, or an array of pairs with minItems and maxItems"
	case "definitions":
		return "; write $defs"
	case "nullable":
		return `; write type: [..., "null"]`
	case "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef", "$recursiveAnchor":
		return "; write $ref with #/$defs/ and a name"
	}
	if strings.HasPrefix(keyword, "dependen") {
		return "; write the cases as schemas of anyOf"
	}
	return "; leave it out (title, description, default, examples and deprecated are carried)"
}
