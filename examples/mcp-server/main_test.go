package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// asProgram is the environment variable that makes the test binary the program.
const asProgram = "NOTEBOOK_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Exit(run(context.Background(), nil, os.Stderr))
	}
	os.Exit(m.Run())
}

// agent is a client whose person gives one answer to everything.
func agent(t *testing.T, transport mcp.Transport, approve bool) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "agent"}, &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"approve": approve}}, nil
		},
	})
	session, err := client.Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

func call(t *testing.T, session *mcp.ClientSession, name, arguments string) string {
	t.Helper()
	r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatal(err)
	}
	return r.Content[0].(*mcp.TextContent).Text
}

// play adds a note and has all thrown away.
func play(t *testing.T, session *mcp.ClientSession, cleared string) {
	t.Helper()
	if got := call(t, session, "domain_notes__add", `{"text":"milk"}`); got != `{"notes":["milk"]}` {
		t.Errorf("adding gives %s", got)
	}
	if got := call(t, session, "domain_notes__add", `{"text":" "}`); !strings.Contains(got, "There is nothing to note down.") {
		t.Errorf("adding nothing gives %s", got)
	}
	if got := call(t, session, "domain_notes__clear", `{}`); !strings.Contains(got, cleared) {
		t.Errorf("clearing gives %s", got)
	}
}

func TestOverStandardStreams(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(self)
	command.Env = append(os.Environ(), asProgram+"=1")
	session := agent(t, &mcp.CommandTransport{Command: command}, true)
	play(t, session, `{"notes":[]}`)
	if got := call(t, session, "domain_notes__list", `{}`); got != `{"notes":[]}` {
		t.Errorf("the notes are %s", got)
	}
}

// withToken sends the token.
type withToken struct{ http.RoundTripper }

func (w withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer s3cret")
	return w.RoundTripper.RoundTrip(r)
}

func TestOverHTTP(t *testing.T) {
	t.Setenv("NOTEBOOK_TOKEN", "s3cret")
	ctx, stop := context.WithCancel(t.Context())
	reader, stderr := io.Pipe()
	ended := make(chan int, 1)
	go func() { ended <- run(ctx, []string{"-http", "127.0.0.1:0"}, stderr) }()
	address, err := bufio.NewReader(reader).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	session := agent(t, &mcp.StreamableClientTransport{
		Endpoint: strings.TrimSpace(address), HTTPClient: &http.Client{Transport: withToken{http.DefaultTransport}}, MaxRetries: -1,
	}, false)
	play(t, session, "CONFIRMATION_INVALID")
	stop()
	if code := <-ended; code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestWrongArguments(t *testing.T) {
	for want, args := range map[int][]string{2: {"-what"}, 1: {"-http", "0.0.0.0:0"}} {
		var stderr strings.Builder
		if code := run(t.Context(), args, &stderr); code != want || stderr.Len() == 0 {
			t.Errorf("%q: exit code %d, %q", args, code, stderr.String())
		}
	}
}
