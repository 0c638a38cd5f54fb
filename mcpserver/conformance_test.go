package mcpserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pagewarden/pagewarden/adaptertest"
	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/host"
	"github.com/pagewarden/pagewarden/mcpserver"
	"github.com/pagewarden/pagewarden/registry"
	"github.com/pagewarden/pagewarden/toolset"
)

// peer is the port of an MCP server: what the SDK's client at the other end sees.
type peer struct {
	confirmations mcpserver.Confirmations
	version       string

	at      adaptertest.Place
	server  *mcpserver.Server
	session *mcp.ClientSession
	served  chan error
	once    sync.Once
}

func (p *peer) Start(at adaptertest.Place) (err error) {
	p.at = at
	p.server, err = mcpserver.New(at.Registry, mcpserver.Options{
		Scope: at.Scope, Confirmations: p.confirmations, Host: at.Host,
		Identify: func(mcpserver.Peer) capability.Consumer { return at.Consumer },
	})
	if err != nil {
		return err
	}
	ours, theirs := mcp.NewInMemoryTransports()
	p.served = make(chan error, 1)
	go func() { p.served <- p.server.Run(context.Background(), ours) }()
	sdk := mcp.NewClient(&mcp.Implementation{Name: "kit"}, nil)
	p.session, err = sdk.Connect(context.Background(), theirs, &mcp.ClientSessionOptions{ProtocolVersion: p.version})
	return err
}

func (p *peer) Tools() ([]adaptertest.Tool, error) {
	list, err := p.session.ListTools(context.Background(), nil)
	if err != nil {
		return nil, err
	}
	names, err := p.capabilities()
	if err != nil {
		return nil, err
	}
	var tools []adaptertest.Tool
	for _, tool := range list.Tools {
		schema, err := json.Marshal(tool.InputSchema)
		if err != nil {
			return nil, err
		}
		tools = append(tools, adaptertest.Tool{
			Name: tool.Name, CapabilityID: names[tool.Name], Description: tool.Description, InputSchema: capability.JSON(schema),
			State: fmt.Sprint(tool.Meta[mcpserver.StateMeta]), Ref: tool.Name,
		})
	}
	return tools, nil
}

// capabilities is the map from names, which MCP has no place for, made as the server makes it.
func (p *peer) capabilities() (map[string]string, error) {
	set, err := toolset.New(p.at.Registry, toolset.Options{Consumer: p.at.Consumer, Topology: toolset.Remote, Scope: p.at.Scope, Host: p.at.Host})
	if err != nil {
		return nil, err
	}
	defer set.Dispose()
	return set.WireNameMap(), nil
}

func (p *peer) Call(tool adaptertest.Tool, input capability.JSON, call adaptertest.Call, done func(adaptertest.Answer)) {
	params := &mcp.CallToolParams{Name: tool.Ref.(string), Arguments: json.RawMessage(input), Meta: mcp.Meta{}}
	if call.ID != "" {
		params.Meta[mcpserver.InvocationMeta] = call.ID
	}
	if call.ConfirmationID != "" {
		params.Meta[mcpserver.ConfirmationMeta] = call.ConfirmationID
	}
	go func() {
		r, err := p.session.CallTool(context.Background(), params)
		if err != nil { // the connection has gone
			done(adaptertest.Answer{Error: capability.Cancelled(capability.NotStarted)})
			return
		}
		done(readAnswer(r))
	}()
}

// readAnswer is what an agent reads in a result.
func readAnswer(r *mcp.CallToolResult) adaptertest.Answer {
	if !r.IsError {
		return adaptertest.Answer{Output: capability.JSON(text(r))}
	}
	var payload capability.Error
	for _, member := range capability.JSON(text(r)).Members() {
		value, _ := member.Value.Text()
		switch member.Name {
		case "code":
			payload.Code = capability.Code(value)
		case "retry":
			payload.Retry = capability.Retry(value)
		case "details":
			payload.Details = member.Value
		}
	}
	return adaptertest.Answer{Error: &payload}
}

func (p *peer) Stop() {
	p.server.Close()
	p.session.Close()
	p.once.Do(func() { <-p.served })
}

func TestConformance(t *testing.T) {
	for name, subject := range map[string]adaptertest.Subject{
		"waiting": {New: func() adaptertest.Adapter { return &peer{confirmations: mcpserver.Wait, version: withSession} }},
		"two phases": {
			New:    func() adaptertest.Adapter { return &peer{version: withSession} },
			Traits: adaptertest.Traits{TwoPhase: true},
		},
		"two phases without a session": {
			New:    func() adaptertest.Adapter { return &peer{version: inResults} },
			Traits: adaptertest.Traits{TwoPhase: true},
		},
	} {
		for _, check := range adaptertest.Checks() {
			t.Run(name+"/"+check.Name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					r, err := registry.New(registry.Options{
						Authority: contract.NewOpenAuthority(contract.OpenOptions{}), Environment: capability.Test, Host: host.Native(),
					})
					if err != nil {
						t.Fatal(err)
					}
					defer r.Dispose()
					settle := func() {
						time.Sleep(100 * time.Millisecond) // of the bubble's time: a few native tasks
						synctest.Wait()
					}
					var started []*peer
					made := subject.New
					subject.New = func() adaptertest.Adapter {
						p := made().(*peer)
						started = append(started, p)
						return p
					}
					if err := check.Run(subject, adaptertest.Stage{Registry: r, Host: host.Native(), Settle: settle}); err != nil {
						t.Error(err)
					}
					for _, p := range started {
						if p.server != nil {
							p.Stop()
						}
					}
				})
			})
		}
	}
}
