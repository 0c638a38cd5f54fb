// Package schema checks JSON Schema documents against the subset that pagewarden accepts, and values against
// an accepted document.
//
// Parse does everything that can refuse a document: keywords, references, sizes, patterns. What it accepts
// compiles. A value is walked by this package, one schema and one value at a time, in a fixed order, with the
// work counted and at most MaxIssues mistakes kept; each single value is judged by
// github.com/santhosh-tekuri/jsonschema/v6 (draft 2020-12), which is compiled on the first call that needs it.
// The walk is not left to the library because it keeps every mistake of every branch, in an order that varies
// from run to run: a document of a few kilobytes and a value within the limits fill all memory.
//
// The library judges numbers, lengths, patterns and formats. The package's own are: type, and what the walk
// itself sees (properties, required, additionalProperties, items, anyOf, $ref); enum, const and uniqueItems,
// which compare values by a canonical key, where the library compares every pair; the translation of patterns,
// which are ECMA-262, to RE2; and the formats, whose accepted forms stand at Formats.
package schema
