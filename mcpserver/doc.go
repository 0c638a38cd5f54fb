// Package mcpserver offers a registry to remote agents over the Model Context Protocol, with the official Go SDK.
//
// Lines is the stdio transport and Access the guard of an HTTP server; both can be used without the rest.
// (Source: capabilities.md, Remote MCP.)
package mcpserver
