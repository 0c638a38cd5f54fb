package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pagewarden/pagewarden/demo"
)

// processArgs is the environment variable that makes the test binary the program: its arguments, between spaces.
const processArgs = "PAGEWARDEN_TEST_ARGS"

// TestAsAProcess is the program, when another test starts it.
func TestAsAProcess(t *testing.T) {
	if args := os.Getenv(processArgs); args != "" {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		defer stop()
		os.Exit(run(ctx, strings.Fields(args), os.Stdin, os.Stdout, os.Stderr))
	}
}

// startServer runs serve in a process of its own, and gives the address that it prints.
func startServer(t *testing.T, addr, data string) (command *exec.Cmd, address string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command = exec.Command(self, "-test.run=^TestAsAProcess$")
	command.Env = append(os.Environ(), processArgs+"=serve --dist "+data+" --data "+data+" --addr "+addr)
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = command.Process.Kill() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return command, strings.TrimSpace(line)
}

// batch is how many devices one agent switches at a time, all or none.
const batch = 20

// switcher is an agent that disables and enables its own devices in turn.
type switcher struct {
	ids     []string
	session *mcp.ClientSession
	done    int64 // calls that were answered with a success
	unclear int64 // calls that were not answered
	ended   error // of the call that was not
}

// run goes on until the server is gone.
func (s *switcher) run(ctx context.Context, done chan<- struct{}) {
	ids, _ := json.Marshal(s.ids)
	for turn := 0; ; turn++ {
		name, arguments := "domain_devices__disable", fmt.Sprintf(`{"ids":%s,"reason":"turn %d"}`, ids, turn)
		if turn%2 == 1 {
			name, arguments = "domain_devices__enable", fmt.Sprintf(`{"ids":%s}`, ids)
		}
		r, err := s.session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(arguments)})
		if err == nil && r.IsError {
			err = errors.New(r.Content[0].(*mcp.TextContent).Text)
		}
		if err != nil {
			s.unclear++
			s.ended = err
			return
		}
		s.done++
		done <- struct{}{}
	}
}

// TestKilledInTheMiddleOfCalls: clients get errors that say that the server has gone, and begin anew; what was answered
// has happened, and of what was not, all or nothing.
func TestKilledInTheMiddleOfCalls(t *testing.T) {
	data, addr := t.TempDir(), "127.0.0.1:0"
	command, address := startServer(t, addr, data)
	addr = strings.TrimSuffix(strings.TrimPrefix(address, "http://"), "/")
	switchers := switchersOf(t, data, 4)
	for round := range 3 {
		done := make(chan struct{}, 10_000)
		var group sync.WaitGroup
		for _, s := range switchers {
			s.session, s.unclear = agent(t, &mcp.StreamableClientTransport{Endpoint: address + "mcp", MaxRetries: -1}), 0
			group.Go(func() { s.run(context.Background(), done) })
		}
		for range 5 + 7*round {
			<-done
		}
		if err := command.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		group.Wait()
		_ = command.Wait() // killed
		for i, s := range switchers {
			if !strings.Contains(s.ended.Error(), "calling \"tools/call\"") {
				t.Errorf("agent %d is told %v", i, s.ended)
			}
		}
		whole(t, data, switchers)
		command, address = startServer(t, addr, data)
		_, err := switchers[0].session.CallTool(t.Context(), &mcp.CallToolParams{Name: "domain_devices__list"})
		if err == nil {
			t.Error("a session outlives its server")
		}
		if code := statusOf(t, address+"mcp", switchers[0].session.ID()); code != http.StatusNotFound {
			t.Errorf("its session is answered with %d; a client begins anew at 404", code)
		}
		bringBack(t, address, switchers)
	}
	if err := command.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := command.Wait(); err != nil {
		t.Errorf("the last server ended with %v", err)
	}
}

// statusOf is how a request of a session is answered.
func statusOf(t *testing.T, address, session string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Mcp-Session-Id": {session}}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	return response.StatusCode
}

// switchersOf gives each agent devices that are enabled.
func switchersOf(t *testing.T, data string, n int) []*switcher {
	t.Helper()
	var ids []string
	for _, device := range devices(t, data) {
		if device.Enabled && device.Version == 1 {
			ids = append(ids, device.ID)
		}
	}
	var switchers []*switcher
	for i := range n {
		switchers = append(switchers, &switcher{ids: ids[i*batch : (i+1)*batch]})
	}
	return switchers
}

func devices(t *testing.T, data string) []demo.Device {
	t.Helper()
	store, err := demo.Open(t.Context(), data)
	if err != nil {
		t.Fatalf("opening what the server left: %v", err)
	}
	defer store.Close()
	list, err := store.List(t.Context(), demo.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// whole checks that every batch is of one piece, and has what its agent was told.
func whole(t *testing.T, data string, switchers []*switcher) {
	t.Helper()
	byID := map[string]demo.Device{}
	for _, device := range devices(t, data) {
		byID[device.ID] = device
	}
	for i, s := range switchers {
		first := byID[s.ids[0]]
		for _, id := range s.ids {
			if d := byID[id]; d.Version != first.Version || d.Enabled != first.Enabled || d.DisabledReason != first.DisabledReason {
				t.Errorf("agent %d: half of a change is there: %+v and %+v", i, first, d)
			}
		}
		if changes := first.Version - 1; changes < s.done || changes > s.done+s.unclear {
			t.Errorf("agent %d was told of %d changes, and there are %d", i, s.done, changes)
		}
		s.done = first.Version - 1
	}
}

// bringBack enables what a round left disabled, through a new session.
func bringBack(t *testing.T, address string, switchers []*switcher) {
	t.Helper()
	session := agent(t, &mcp.StreamableClientTransport{Endpoint: address + "mcp"})
	for _, s := range switchers {
		text, _ := calls(t, session, "domain_devices__get", `{"id":"`+s.ids[0]+`"}`)
		if strings.Contains(text, `"enabled":true`) {
			continue
		}
		ids, _ := json.Marshal(s.ids)
		if text, failed := calls(t, session, "domain_devices__enable", `{"ids":`+string(ids)+`}`); failed {
			t.Fatalf("after the restart: %s", text)
		}
		s.done++
	}
}
