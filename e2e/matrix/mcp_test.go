package matrix

import (
	"context"
	"encoding/json"
	"os/exec"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pagewarden/pagewarden/browser"
	"github.com/pagewarden/pagewarden/browser/mcpbridge"
	"github.com/pagewarden/pagewarden/e2e/internal/suite"
)

// stays is the host's page for a bridge, which closes what it opens.
type stays struct{ *browser.Page }

func (stays) Close() error { return nil }

// overMCP uses the host's page as an MCP client does.
func overMCP(w *world) {
	w.do("lab.mountGate()")
	w.Have(ring)
	c := w.bridged()
	defer c.end()
	c.lists(ring)
	c.gives(c.call(ring, `{}`), `"rung"`)
	w.do("lab.openGate(true)")
	c.lists(enter, ring)
	c.gives(c.call(enter, `{}`), `"in"`)
	w.do("lab.openGate(false)")
	c.lists(ring)
	w.do("lab.mountDesk()")
	c.lists(ring, sell)
	if slices.Contains(notApplicable()["typed refusal"], w.host.name) {
		w.refuses(c.call(sell, `{"item":5}`), "EXECUTION_FAILED") // what the polyfill says of it is in the details
	} else {
		w.refuses(c.call(sell, `{"item":5}`), "INVALID_INPUT")
	}
	w.confirms(c.calling(sell, `{"item":"tea"}`), "tea")
	deciding := c.calling(sell, `{"item":"milk"}`)
	w.Until("lab.pending().length === 1")
	w.anew()
	if r := w.refuses(w.wait(deciding), "COMPONENT_UNMOUNTED"); r.Details["progress"] != "may-have-happened" {
		w.T.Errorf("a call whose page goes gives %+v", r)
	}
	w.do("lab.newWidget()")
	c.lists(hold, poke)
	c.gives(c.call(poke, `{}`), `"poked"`)
}

// mcpClient is a client of a bridge to the host's page.
type mcpClient struct {
	*world
	session *mcp.ClientSession
	changed chan struct{}
	end     func()
}

// bridged connects a client to a bridge to the page.
func (w *world) bridged() *mcpClient {
	w.T.Helper()
	bridge := mcpbridge.New(mcpbridge.Options{
		Address: w.address, Open: func(context.Context) (mcpbridge.Page, error) { return stays{w.Page}, nil },
	})
	ctx, cancel := context.WithCancel(suite.For(w.T, 4*suite.Patience))
	done := make(chan error, 1)
	go func() { done <- bridge.Run(ctx) }()
	here, there := mcp.NewInMemoryTransports()
	if _, err := bridge.Server().Connect(ctx, there, nil); err != nil {
		w.T.Fatal(err)
	}
	c := &mcpClient{world: w, changed: make(chan struct{}, 1)}
	client := mcp.NewClient(&mcp.Implementation{Name: "matrix", Version: "1"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) {
			select {
			case c.changed <- struct{}{}:
			default:
			}
		},
	})
	var err error
	if c.session, err = client.Connect(ctx, here, nil); err != nil {
		w.T.Fatal(err)
	}
	c.end = func() {
		c.session.Close()
		cancel()
		<-done
	}
	return c
}

// lists waits until those are the tools, and looks at each notice that they have changed.
func (c *mcpClient) lists(want ...string) {
	c.T.Helper()
	slices.Sort(want)
	limit := suite.Within(c.T)
	for {
		list, err := c.session.ListTools(limit, nil)
		if err != nil {
			c.T.Fatal(err)
		}
		names := []string{}
		for _, tool := range list.Tools {
			names = append(names, tool.Name)
		}
		if slices.Equal(names, want) {
			return
		}
		select {
		case <-c.changed:
		case <-limit.Done():
			c.T.Fatalf("over MCP the tools are %q; want %q", names, want)
		}
	}
}

func (c *mcpClient) call(name, input string) answer {
	result, err := c.session.CallTool(suite.Within(c.T), &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(input)})
	if err != nil {
		return answer{err: err}
	}
	text := textOf(result)
	if result.IsError {
		return refused(text, nil)
	}
	return answer{value: text}
}

func (c *mcpClient) calling(name, input string) <-chan answer {
	answers := make(chan answer, 1)
	go func() { answers <- c.call(name, input) }()
	return answers
}

// textOf are the texts of a result.
func textOf(result *mcp.CallToolResult) string {
	var texts []string
	for _, content := range result.Content {
		if text, ok := content.(*mcp.TextContent); ok {
			texts = append(texts, text.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// mcpCommand runs `pagewarden mcp` on the page, in a browser of its own.
func (w *world) mcpCommand(address string, flags ...string) {
	w.T.Helper()
	ctx := suite.Within(w.T)
	command := exec.Command(fixture.command, slices.Concat([]string{"mcp", "--wait"}, flags, []string{address})...)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "matrix", Version: "1"}, nil).Connect(ctx, &mcp.CommandTransport{Command: command}, nil)
	if err != nil {
		w.T.Fatal(err)
	}
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: poke})
	if err != nil || result.IsError || textOf(result) != `"poked"` {
		w.T.Errorf("over MCP the command gives %+v, error %v", result, err)
	}
	if err := session.Close(); err != nil {
		w.T.Errorf("the command ended with %v", err)
	}
}
