package mcpserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pagewarden/pagewarden/mcpserver"
)

// over connects a transport to an input that is there already.
func over(t *testing.T, input string, most int) (mcp.Connection, *bytes.Buffer) {
	t.Helper()
	var out bytes.Buffer
	c, err := (&mcpserver.Lines{In: strings.NewReader(input), Out: &out, MaxMessage: most}).Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c, &out
}

// told is what a message says, in a word: the method or "answer", and the id.
func told(m jsonrpc.Message) string {
	switch m := m.(type) {
	case *jsonrpc.Request:
		return fmt.Sprint(m.Method, " ", m.ID.Raw())
	case *jsonrpc.Response:
		if m.Error != nil {
			return fmt.Sprint("failure ", m.ID.Raw())
		}
		return fmt.Sprint("answer ", m.ID.Raw())
	}
	return "nothing"
}

// readAll reads to the end of the input.
func readAll(t *testing.T, c mcp.Connection) []string {
	t.Helper()
	var list []string
	for {
		m, err := c.Read(t.Context())
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, told(m))
	}
}

const ping = `{"jsonrpc":"2.0","id":%s,"method":"ping"}`

func TestLinesThatAreMessages(t *testing.T) {
	c, out := over(t, strings.Join([]string{
		fmt.Sprintf(ping, "1"), "", "   ", fmt.Sprintf(ping, `"two"`) + "\r", "  " + fmt.Sprintf(ping, "3") + "\t",
		`[` + fmt.Sprintf(ping, "4") + `,{"jsonrpc":"2.0","id":5,"result":{}}]`, `{"jsonrpc":"2.0","method":"notifications/x"}`,
		fmt.Sprintf(ping, "6"), // without an end of its line
	}, "\n"), 0)
	want := "ping 1,ping two,ping 3,ping 4,answer 5,notifications/x <nil>,ping 6"
	if got := strings.Join(readAll(t, c), ","); got != want {
		t.Errorf("read %s, want %s", got, want)
	}
	if out.Len() > 0 {
		t.Errorf("wrote %s", out)
	}
}

func TestLinesThatAreNoMessages(t *testing.T) {
	for line, code := range map[string]int{
		"hello":                         jsonrpc.CodeParseError,
		`{"jsonrpc":"2.0","id":1`:       jsonrpc.CodeParseError,
		fmt.Sprintf(ping, "1") + " and": jsonrpc.CodeParseError,
		"\xff":                          jsonrpc.CodeParseError,
		`{"id":1,"method":"ping"}`:      jsonrpc.CodeInvalidRequest,
		`{"jsonrpc":"2.0"}`:             jsonrpc.CodeInvalidRequest,
		`[]`:                            jsonrpc.CodeInvalidRequest,
		`[1]`:                           jsonrpc.CodeInvalidRequest,
		`7`:                             jsonrpc.CodeInvalidRequest,
		`{"jsonrpc":"2.0","id":{},"method":"ping"}`: jsonrpc.CodeInvalidRequest,
	} {
		c, out := over(t, line+"\n"+fmt.Sprintf(ping, "9")+"\n", 0)
		if got := strings.Join(readAll(t, c), ","); got != "ping 9" {
			t.Errorf("%s: read %s afterwards", line, got)
		}
		var answer struct {
			JSONRPC string
			Error   struct {
				Code    int
				Message string
			}
		}
		if err := json.Unmarshal(out.Bytes(), &answer); err != nil || answer.JSONRPC != "2.0" || answer.Error.Code != code || answer.Error.Message == "" {
			t.Errorf("%s: answered %s, want the code %d (%v)", line, out, code, err)
		}
	}
}

// TestALineThatIsTooLong: that one fails, and the rest goes on.
func TestALineThatIsTooLong(t *testing.T) {
	const most = 100_000 // more than what is read at once
	long := strings.Repeat("a", most)
	for _, tt := range []struct{ name, line, wrote, read string }{
		{"the id first", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"id":1,"x":"` + long + `"}}`, `"id":7`, ""},
		{"the id last", `{"params":{"x":"` + long + `\"}","id":3},"method":"tools/call","jsonrpc":"2.0", "id" : "seven" }`, `"id":"seven"`, ""},
		{"a notification", `{"jsonrpc":"2.0","method":"notifications/x","params":{"x":"` + long + `"}}`, `"error"`, ""},
		{"an answer", `{"jsonrpc":"2.0","id":8,"result":{"method":"no","x":"` + long + `"}}`, "", "failure 8"},
		{"no message", long + `{"id":5,"method":"x"}`, `"error"`, ""},
	} {
		c, out := over(t, tt.line+"\n"+fmt.Sprintf(ping, "9"), most)
		want := strings.TrimPrefix(tt.read+",ping 9", ",")
		if got := strings.Join(readAll(t, c), ","); got != want {
			t.Errorf("%s: read %s, want %s", tt.name, got, want)
		}
		if !strings.Contains(out.String(), tt.wrote) || (tt.wrote == "") != (out.Len() == 0) {
			t.Errorf("%s: wrote %s, want %s", tt.name, out, tt.wrote)
		}
		if tt.wrote != "" && !strings.Contains(out.String(), fmt.Sprintf("has %d bytes, and a message may have %d", len(tt.line), most)) {
			t.Errorf("%s: wrote %s, which does not say the sizes", tt.name, out)
		}
	}
}

// TestALineThatIsNoMessageOfTheProtocol: who sent it is told under its id, and what it answers does not wait for ever.
func TestALineThatIsNoMessageOfTheProtocol(t *testing.T) {
	deep := strings.Repeat("[", 2000) + strings.Repeat("]", 2000)
	for _, tt := range []struct{ line, wrote, read string }{
		{`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x","arguments":{"a":` + deep + `}}}`, `"id":7`, ""},
		{`{"id":"seven","method":"ping"}`, `"id":"seven"`, ""},
		{`{"jsonrpc":"2.0","id":8,"result":{"content":` + deep + `}}`, "", "failure 8"},
		{`{"jsonrpc":"2.0","id":9,"method":"ping",`, `-32700`, ""},
	} {
		c, out := over(t, tt.line+"\n"+fmt.Sprintf(ping, "9"), 0)
		want := strings.TrimPrefix(tt.read+",ping 9", ",")
		if got := strings.Join(readAll(t, c), ","); got != want || !strings.Contains(out.String(), tt.wrote) {
			t.Errorf("%.60s: read %s and wrote %.100s, want %s and %s", tt.line, got, out, want, tt.wrote)
		}
	}
}

func TestTheLimitIsOfTheLine(t *testing.T) {
	line := fmt.Sprintf(ping, "1")
	for most, want := range map[int]string{len(line): "ping 1", len(line) - 1: ""} {
		c, _ := over(t, line+"\n", most)
		if got := strings.Join(readAll(t, c), ","); got != want {
			t.Errorf("with a limit of %d read %q, want %q", most, got, want)
		}
	}
}

func TestClosingEndsReading(t *testing.T) {
	in, _ := io.Pipe()
	c, err := (&mcpserver.Lines{In: in, Out: io.Discard}).Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := c.Read(context.Background())
		ended <- err
	}()
	for range 2 {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := <-ended; !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("reading ended with %v", err)
	}
	if c.SessionID() != "" {
		t.Error("a connection has no session id")
	}
}

func TestReadingCanBeGivenUp(t *testing.T) {
	in, _ := io.Pipe()
	c, err := (&mcpserver.Lines{In: in, Out: io.Discard}).Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Read(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("reading ended with %v", err)
	}
	if err := c.Write(ctx, &jsonrpc.Response{}); !errors.Is(err, context.Canceled) {
		t.Errorf("writing ended with %v", err)
	}
}

func TestLinesNeedTwoStreams(t *testing.T) {
	for _, l := range []mcpserver.Lines{{In: os.Stdin}, {Out: io.Discard}, {In: os.Stdin, Out: io.Discard, MaxMessage: -1}} {
		if _, err := l.Connect(t.Context()); err == nil {
			t.Errorf("%+v connects", l)
		}
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestWritingFails(t *testing.T) {
	c, err := (&mcpserver.Lines{In: strings.NewReader(""), Out: broken{}}).Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Write(t.Context(), &jsonrpc.Response{}); !errors.Is(err, io.ErrClosedPipe) || !strings.HasPrefix(err.Error(), "writing a message: ") {
		t.Errorf("writing ended with %v", err)
	}
}

// TestStdioKeepsStdoutForMessages: what a handler prints goes elsewhere.
func TestStdioKeepsStdoutForMessages(t *testing.T) {
	stdout := os.Stdout
	defer func() { os.Stdout = stdout }()
	l := mcpserver.Stdio()
	if os.Stdout != os.Stderr || l.Out != stdout || l.In != os.Stdin {
		t.Errorf("stdout is %s, messages go to %v", os.Stdout.Name(), l.Out)
	}
}
