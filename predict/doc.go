// Package predict is for capabilities that a page can foresee: one definition with its handler, a prediction of what
// the handler will change, and the reconciliation with what the server then says. The same definition is offered to
// the browser's agent and to MCP clients, and every call gives a receipt.
//
// A Desk registers capabilities with a registry as procedures, so that every call of every projection goes through that
// registry's one pipeline: the package decides nothing by itself. Registration is discovery, not authorization: a
// server must authorize every write again. (Source: capabilities.md.)
package predict
