// Package mcpserver offers a registry to remote agents over the Model Context Protocol, with the official Go SDK.
//
// New makes a Server of a registry. Its Run serves one client over a transport, such as Stdio; its Handler serves any
// number of them over HTTP. Each client has a session of its own, which is a consumer of its own.
//
// What is registered is discovery, not authorization: every call goes through the registry's pipeline, which asks again.
//
// Lines is the stdio transport and Access the guard of an HTTP server; both can be used without the rest.
// (Source: capabilities.md, Remote MCP.)
package mcpserver
