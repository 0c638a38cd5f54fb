package predict

import (
	"github.com/pagewarden/pagewarden/capability"
)

// The members of an MCP result's _meta.
const (
	ReceiptMeta      = "pagewarden/receipt"
	ConfirmationMeta = "pagewarden/confirmationId"
)

// MCPTool is a capability for a server of MCP tools.
type MCPTool struct{ *Tool }

// MCPTool is the capability for MCP clients. Their tokens are those of the options only. The errors are those of
// WebMCPTool.
func (d *Desk) MCPTool(c *Capability, options ToolOptions) (*MCPTool, error) {
	if options.Consumer.ID == "" {
		options.Consumer.ID, options.Consumer.Kind = "mcp", capability.BridgeConsumer
	}
	tool, err := d.tool(c, options)
	if err != nil {
		return nil, err
	}
	return &MCPTool{tool}, nil
}

// JSON is the tool as an object: { name, description, inputSchema, outputSchema?, annotations }. The output schema is
// there only if every output is an object, as MCP wants it.
func (t *MCPTool) JSON() capability.JSON {
	var o capability.ObjectWriter
	o.Text("name", t.d.Name)
	o.Text("description", t.d.Description)
	o.Raw("inputSchema", t.d.Input.Document)
	if t.givesObjects() {
		o.Raw("outputSchema", t.d.Output.Document)
	}
	o.Raw("annotations", t.Annotations())
	return o.JSON()
}

// Result is an answer as the result of an MCP call: { content, structuredContent?, isError?, _meta }. The text is the
// output of a call that went well, else the receipt, which is in _meta in any case.
func (t *MCPTool) Result(a Answer) capability.JSON {
	var o, meta capability.ObjectWriter
	receipt := a.Receipt.JSON()
	meta.Raw(ReceiptMeta, receipt)
	text := receipt
	if a.Receipt.OK && !a.Receipt.DryRun {
		if text = a.Result.Output; text.Absent() {
			text = "null"
		}
	}
	o.Raw("content", textContent(text))
	switch {
	case !a.Receipt.OK:
		o.Bool("isError", true)
		meta.OptionalText(ConfirmationMeta, a.Result.Error.Detail("confirmationId"))
	case a.Result.Output.Kind() == '{' && !a.Receipt.DryRun:
		o.Raw("structuredContent", a.Result.Output)
	}
	o.Raw("_meta", meta.JSON())
	return o.JSON()
}

func textContent(value capability.JSON) capability.JSON {
	var part capability.ObjectWriter
	part.Text("type", "text")
	part.Text("text", string(value))
	return capability.ArrayJSON([]capability.JSON{part.JSON()})
}
