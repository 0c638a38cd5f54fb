// Package webtools tries pagewarden-webtools.js in a real browser: what it finds on a page, how it writes, and which
// clicks are a person's. Input goes through the protocol, as a person's would.
package webtools
