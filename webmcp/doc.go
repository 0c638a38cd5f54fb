// Package webmcp offers a registry's capabilities to the browser's own agent, through the object that pages
// call modelContext.
//
// An Adapter keeps the browser's list of tools equal to what its consumer may call: it compares the two by
// name and touches only what differs. Every call goes through the registry, which decides; the adapter
// decides nothing. What a browser's object can do lies behind ModelContext, so that everything here also
// runs natively. (Source: adapters.md, WebMCP adapter; webmcp-drift.md.)
package webmcp
