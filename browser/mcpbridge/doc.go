// Package mcpbridge is an MCP server for the tools of a page: any MCP client
// uses them as if they were a server's own.
//
// A Bridge keeps one page open, in a browser that it starts, and follows it. Its
// tools come and go with the page's; a call is a call of the page's tool, by
// whatever way that browser has. When the page is lost, the bridge opens it
// anew, and says meanwhile why there is nothing to call. It decides nothing: who
// may do what is the page's affair and its server's.
//
// Like package browser, it knows nothing of this module's own runtime.
package mcpbridge
