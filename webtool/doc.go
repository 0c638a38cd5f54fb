// Package webtool is the small way in for a page that has no components yet: one tool beside the one control that a
// person would press for the same.
//
// A tool is defined once and runs through a registry's pipeline as a procedure of the page's own: capability id
// "domain:" and the tool's id, where only the browser is told the bare id. This package has what does not need the
// page: the definition, what its flags mean, the shape of results and errors. Finding, writing and waiting for a
// person's click are the page's matter; the script web/webtools.js does them, and a Go page brings its own through
// Definition.Prepare and Definition.Ask. (Source: webtools.md.)
package webtool
