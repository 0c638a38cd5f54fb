package mcppage

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pagewarden/pagewarden/e2e/internal/suite"
)

// client is an MCP client of a test.
type client struct {
	t *testing.T
	*mcp.ClientSession
	changed chan struct{} // has one when the list has changed since it was last looked at
}

// connect connects a client.
func connect(t *testing.T, transport mcp.Transport) *client {
	t.Helper()
	c := &client{t: t, changed: make(chan struct{}, 1)}
	options := &mcp.ClientOptions{ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) {
		select {
		case c.changed <- struct{}{}:
		default:
		}
	}}
	var err error
	c.ClientSession, err = mcp.NewClient(&mcp.Implementation{Name: "suite", Version: "1"}, options).Connect(suite.Within(t), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// over connects a client to the streams of a program.
func over(t *testing.T, p *program) *client {
	t.Helper()
	return connect(t, &mcp.IOTransport{Reader: io.NopCloser(p), Writer: p, MaxLineLength: -1})
}

// opened starts the command for a page, and connects a client to it.
func opened(t *testing.T, args ...string) (*program, *client) {
	t.Helper()
	p := start(t, args...)
	return p, over(t, p)
}

func (c *client) tools() []*mcp.Tool {
	c.t.Helper()
	list, err := c.ListTools(suite.Within(c.t), nil)
	if err != nil {
		c.t.Fatal(err)
	}
	return list.Tools
}

func (c *client) names() []string {
	c.t.Helper()
	names := []string{}
	for _, tool := range c.tools() {
		names = append(names, tool.Name)
	}
	return names
}

func (c *client) tool(name string) *mcp.Tool {
	c.t.Helper()
	for _, tool := range c.tools() {
		if tool.Name == name {
			return tool
		}
	}
	c.t.Fatalf("no tool %q in %q", name, c.names())
	return nil
}

// until waits until the list is good, and looks at each notice that it has changed.
func (c *client) until(what string, good func(names []string) bool) {
	c.t.Helper()
	limit := suite.Within(c.t)
	for names := c.names(); !good(names); names = c.names() {
		select {
		case <-c.changed:
		case <-limit.Done():
			c.t.Fatalf("waiting until %s: the tools are %q", what, names)
		}
	}
}

func has(name string) func([]string) bool {
	return func(names []string) bool { return slices.Contains(names, name) }
}

func lacks(name string) func([]string) bool {
	return func(names []string) bool { return !slices.Contains(names, name) }
}

// answer is what a call came to.
type answer struct {
	*mcp.CallToolResult
	err error
}

// text are the texts of the result.
func (a answer) text() string {
	if a.err != nil {
		return "error " + a.err.Error()
	}
	var texts []string
	for _, content := range a.Content {
		if text, ok := content.(*mcp.TextContent); ok {
			texts = append(texts, text.Text)
		}
	}
	return strings.Join(texts, "\n")
}

func (c *client) call(name, input string) answer {
	c.t.Helper()
	return c.callWith(suite.Within(c.t), name, input)
}

func (c *client) callWith(ctx context.Context, name, input string) answer {
	result, err := c.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(input)})
	return answer{result, err}
}

// calling starts a call.
func (c *client) calling(ctx context.Context, name, input string) <-chan answer {
	answers := make(chan answer, 1)
	go func() { answers <- c.callWith(ctx, name, input) }()
	return answers
}

// gives fails unless the call gives that text.
func (c *client) gives(name, input, want string) {
	c.t.Helper()
	if got := c.call(name, input); got.err != nil || got.IsError || got.text() != want {
		c.t.Errorf("%s gives %s; want %s", name, got.text(), want)
	}
}

// payload is an error as an agent gets it.
type payload struct {
	Code, Message, Retry string
	Details              struct{ Reason, Progress, Said string }
}

// refusal fails unless the answer is an error of that code, and returns it.
func (c *client) refusal(got answer, code string) payload {
	c.t.Helper()
	var p payload
	if got.err != nil || !got.IsError || json.Unmarshal([]byte(got.text()), &p) != nil || p.Code != code || p.Message == "" || p.Retry == "" {
		c.t.Errorf("the call gave %s; want %s", got.text(), code)
	}
	return p
}

// awaits waits for an answer.
func (c *client) awaits(answers <-chan answer) answer {
	c.t.Helper()
	select {
	case got := <-answers:
		return got
	case <-suite.Within(c.t).Done():
		c.t.Fatal("the call has no answer")
		return answer{}
	}
}

// isUnknown reports an error of the protocol for a name that is no tool's.
func isUnknown(err error) bool {
	var fault *jsonrpc.Error
	return errors.As(err, &fault) && fault.Code == jsonrpc.CodeInvalidParams
}
