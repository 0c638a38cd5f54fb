package compiler

import (
	"math"
	"math/big"
	"strconv"
	"unicode/utf8"

	"github.com/grafana/sobek/unistring"

	"github.com/pagewarden/pagewarden/capability"
)

// valueKind is what an expression evaluates to: data of JSON, or one of the few things that the compiler follows.
type valueKind int

const (
	kindAbsent valueKind = iota // undefined
	kindNull
	kindBool
	kindNumber
	kindText
	kindArray
	kindObject
	kindSchema   // what a schema helper gives; items[0] is the document
	kindKnown    // a function of the package, or Object.freeze: text is its name
	kindPackage  // the package itself, as an import or as the global PageWarden
	kindRuntime  // what load() resolves to
	kindGlobal   // globalThis, window, self
	kindObjects  // the global Object
	kindPromise  // of items[0]
	kindModule   // the namespace of another module of the graph: text is its path
	kindContract // what a declaration function gives: nothing to look into
	kindOpaque   // something else, where only names of the package matter
)

// value is the result of an evaluation.
type value struct {
	kind valueKind
	// text is a string's text, a number's or boolean's JSON, a function's name, the path of a module.
	text  string
	items []value
	// members are those of an object, each name once, in the order of their first appearance.
	members []member
	// at is where the value is written.
	at place
	// wrong is why an opaque value is not known.
	wrong *defect
	// size counts the values within, this one included.
	size int
}

type member struct {
	name string
	value
}

// isData reports whether v can be part of a declaration.
func (v value) isData() bool { return v.kind <= kindObject }

// member finds a member of an object.
func (v value) member(name string) (value, bool) {
	for _, m := range v.members {
		if m.name == name {
			return m.value, true
		}
	}
	return value{}, false
}

// json writes data. Members that are undefined are left out, as JSON.stringify does.
func (v value) json() capability.JSON {
	switch v.kind {
	case kindBool, kindNumber:
		return capability.JSON(v.text)
	case kindText:
		return capability.Quote(v.text)
	case kindArray:
		return capability.ArrayOf(v.items, value.json)
	case kindObject:
		var o capability.ObjectWriter
		for _, m := range v.members {
			if m.kind != kindAbsent {
				o.Raw(m.name, m.json())
			}
		}
		return o.JSON()
	}
	return "null"
}

// each visits v and all values within it.
func (v value) each(visit func(value)) {
	visit(v)
	for _, item := range v.items {
		item.each(visit)
	}
	for _, m := range v.members {
		m.each(visit)
	}
}

// typeName is what an author calls the kind.
func (v value) typeName() string {
	names := map[valueKind]string{
		kindAbsent: "undefined", kindNull: "null", kindBool: "a boolean", kindNumber: "a number", kindText: "a string",
		kindArray: "an array", kindObject: "an object", kindSchema: "a schema", kindContract: "a contract",
		kindModule: "a module", kindPromise: "a promise",
	}
	if name, ok := names[v.kind]; ok {
		return name
	}
	return "no data"
}

// textOf is a string of the parser's as UTF-8; false when it holds half of a surrogate pair, which JSON cannot carry.
func textOf(s unistring.String) (string, bool) {
	t := s.String()
	if units := s.AsUtf16(); units != nil {
		return t, unistring.NewFromString(t) == s
	}
	return t, utf8.ValidString(t)
}

// numberText is a number as JavaScript holds it, as JSON; false when JSON has no such number.
func numberText(v any) (string, bool) {
	var f float64
	switch v := v.(type) {
	case int64:
		f = float64(v)
	case float64:
		f = v
	case *big.Int: // 10n, which JSON.stringify refuses
		return "", false
	default:
		return "", false
	}
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return "", false
	}
	return strconv.FormatFloat(f+0, 'g', -1, 64), true // 'g' writes 1e+21, which JSON takes
}
