package mcpserver_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pagewarden/pagewarden/mcpserver"
)

// piped connects a client over the lines of a pair of pipes.
func piped(t *testing.T, s *mcpserver.Server, most int) *client {
	t.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	served := make(chan error, 1)
	go func() {
		served <- s.Run(t.Context(), &mcpserver.Lines{In: fromClient, Out: toClient, MaxMessage: most})
	}()
	t.Cleanup(func() {
		s.Close()
		<-served
	})
	return dial(t, &mcp.IOTransport{Reader: fromServer, Writer: toServer, MaxLineLength: -1}, dialling{})
}

// TestLargeMessages work, up to the stated limit.
func TestLargeMessages(t *testing.T) {
	c := piped(t, newHouse(t, largeLimits).server(nil), 0)
	for _, size := range []int{200 << 10, 5 << 20} {
		arguments := `{"word":"` + strings.Repeat("x", size) + `"}`
		if r := c.call("echo", arguments); r.IsError || text(r) != arguments {
			t.Errorf("%d bytes come back as %d", len(arguments), len(text(r)))
		}
	}
}

// TestAMessageThatIsTooLong: that one request fails, and the session goes on.
func TestAMessageThatIsTooLong(t *testing.T) {
	c := piped(t, newHouse(t, largeLimits).server(nil), 200<<10)
	_, err := c.try(t.Context(), "echo", `{"word":"`+strings.Repeat("x", 200<<10)+`"}`)
	var wire *jsonrpc.Error
	if !errors.As(err, &wire) || wire.Code != jsonrpc.CodeInvalidRequest || !strings.Contains(wire.Message, "204800 at most") {
		t.Errorf("a message that is too long gives %v", err)
	}
	if r := c.call("echo", `{"word":"on"}`); r.IsError {
		t.Errorf("the next one gives %s", text(r))
	}
}

// process is a server in a process of its own.
func process(t *testing.T) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(self)
	command.Env = append(os.Environ(), asServer+"=1")
	return command
}

// TestAProcess: the SDK's client starts it, and what its handlers print is not in the way.
func TestAProcess(t *testing.T) {
	command := process(t)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	c := dial(t, &mcp.CommandTransport{Command: command}, dialling{version: inResults})
	for range 3 {
		if r := c.call("echo", `{"word":"x"}`); r.IsError || text(r) != `{"word":"x"}` {
			t.Errorf("got %s", text(r))
		}
	}
	if err := c.Close(); err != nil {
		t.Errorf("it ended with %v", err)
	}
	if got := strings.Count(stderr.String(), "a line that a handler prints"); got != 3 || !strings.HasPrefix(stderr.String(), "printed between") {
		t.Errorf("on standard error is %q", stderr.String())
	}
}

// TestStdoutIsPure: every line is a message.
func TestStdoutIsPure(t *testing.T) {
	command := process(t)
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewReader(out)
	for _, line := range []string{
		initialize, "nonsense", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"view_house__lamp__echo","arguments":{}}}`,
	} {
		if _, err := io.WriteString(in, line+"\n"); err != nil {
			t.Fatal(err)
		}
		answer, err := answers.ReadBytes('\n')
		var message struct{ JSONRPC string }
		if err != nil || json.Unmarshal(answer, &message) != nil || message.JSONRPC != "2.0" {
			t.Errorf("standard output has the line %q (%v)", answer, err)
		}
	}
	in.Close()
	if rest, err := io.ReadAll(answers); err != nil || len(rest) > 0 {
		t.Errorf("then it has %q (%v)", rest, err)
	}
	if err := command.Wait(); err != nil {
		t.Error(err)
	}
}
