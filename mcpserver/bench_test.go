package mcpserver_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pagewarden/pagewarden/audit"
	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/mcpserver"
	"github.com/pagewarden/pagewarden/registry"
)

// BenchmarkOverHTTP is what a call of a tool that does nothing takes, from client to client over loopback HTTP: through
// the registry, and through a server of the SDK alone with an empty tool, in the same run. It reports calls a second
// and the time within which 99 of 100 calls end.
func BenchmarkOverHTTP(b *testing.B) {
	b.Run("registry", func(b *testing.B) {
		callAtOnce(b, ourHandler(b), "view_bench__box__nothing")
	})
	b.Run("bare", func(b *testing.B) {
		callAtOnce(b, bareHandler(), "nothing")
	})
}

// ourHandler has as much as a host would: schemas, and a pipeline that admits as many calls as come.
func ourHandler(b *testing.B) http.Handler {
	h := newHouse(b, func(o *registry.Options) { o.Audit = audit.Discard() })
	depth := benchCallers
	h.mount(&registry.Component{Type: "bench.box", Description: "A box", Actions: []registry.Action{{
		Name: "nothing", Description: "Does nothing", Effect: capability.LocalState, Input: document(word),
		Concurrency: registry.Concurrency{Mode: registry.Parallel, Max: benchCallers, QueueDepth: &depth},
		Execute: func(context.Context, capability.JSON, *registry.Call) (capability.JSON, error) {
			return capability.EmptyObject, nil
		},
	}}})
	handler, err := h.server(nil).Handler(mcpserver.HTTP{})
	if err != nil {
		b.Fatal(err)
	}
	return handler
}

func bareHandler() http.Handler {
	s := mcp.NewServer(&mcp.Implementation{Name: "bare"}, nil)
	s.AddTool(&mcp.Tool{Name: "nothing", InputSchema: json.RawMessage(word)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "{}"}}, StructuredContent: json.RawMessage("{}")}, nil
	})
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil)
}

// Callers, spread over sessions.
const (
	benchCallers  = 64
	benchSessions = 8
)

// callAtOnce makes b.N calls, as many at once as there are callers.
func callAtOnce(b *testing.B, handler http.Handler, tool string) {
	server := httptest.NewServer(handler)
	defer server.Close()
	var sessions []*client
	for range benchSessions {
		sessions = append(sessions, dial(b, overHTTP(b, server.URL, ""), dialling{}))
	}
	defer func() {
		for _, c := range sessions {
			c.Close()
		}
	}()
	took := make([]time.Duration, b.N)
	var next atomic.Int64
	var group sync.WaitGroup
	b.ResetTimer()
	began := time.Now()
	for caller := range benchCallers {
		c := sessions[caller%benchSessions]
		group.Go(func() {
			for i := next.Add(1); i <= int64(b.N); i = next.Add(1) {
				start := time.Now()
				r, err := c.try(context.Background(), tool, `{"word":"x"}`)
				if err != nil || r.IsError {
					b.Errorf("call %d: %v %v", i, r, err)
					return
				}
				took[i-1] = time.Since(start)
			}
		})
	}
	group.Wait()
	b.StopTimer()
	slices.Sort(took)
	b.ReportMetric(float64(b.N)/time.Since(began).Seconds(), "calls/s")
	b.ReportMetric(float64(took[(b.N*99-1)/100].Microseconds())/1000, "p99-ms")
}
