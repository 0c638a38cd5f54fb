// Package mcppage uses pages over MCP, as its clients do: the built command with a browser of its own, and the bridge in
// it with pages whose part a test plays.
package mcppage
