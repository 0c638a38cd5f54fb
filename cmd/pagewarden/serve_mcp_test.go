package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// token adds a bearer token.
type token struct {
	text string
	base http.RoundTripper
}

func (b token) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if b.text != "" {
		r.Header.Set("Authorization", "Bearer "+b.text)
	}
	return b.base.RoundTrip(r)
}

// agent connects an MCP client whose person approves everything.
func agent(t *testing.T, transport mcp.Transport) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test"}, &mcp.ClientOptions{
		ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"approve": true}}, nil
		},
	})
	session, err := client.Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// calls calls a tool and gives its text.
func calls(t *testing.T, session *mcp.ClientSession, name, arguments string) (text string, failed bool) {
	t.Helper()
	r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatal(err)
	}
	return r.Content[0].(*mcp.TextContent).Text, r.IsError
}

// TestServeMCP: agents and the page's requests meet the same rules and the same devices.
func TestServeMCP(t *testing.T) {
	address, stop := serving(t, "--dist", t.TempDir())
	session := agent(t, &mcp.StreamableClientTransport{Endpoint: address + "mcp"})
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	const want = "domain_devices__list domain_devices__get domain_devices__disable domain_devices__enable domain_devices__rename"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("the tools are %s", got)
	}
	if text, failed := calls(t, session, "domain_devices__rename", `{"id":"dev-001","name":"Attic"}`); failed || !strings.Contains(text, `"name":"Attic"`) {
		t.Errorf("renaming gives %s", text)
	}
	if _, body := get(t, address+"api/devices/dev-001"); !strings.Contains(body, `"name":"Attic"`) {
		t.Errorf("the page sees %s", body)
	}
	for arguments, part := range map[string]string{
		`{"ids":[]}`: "INVALID_INPUT", `{"ids":["dev-999"]}`: `"code":"not_found"`, `{"ids":["dev-001","dev-001"]}`: "INVALID_INPUT",
	} {
		if text, failed := calls(t, session, "domain_devices__disable", arguments); !failed || !strings.Contains(text, part) {
			t.Errorf("disabling %s gives %s", arguments, text)
		}
	}
	if text, failed := calls(t, session, "domain_devices__list", `{"status":"offline"}`); failed || strings.Contains(text, `"online"`) {
		t.Errorf("listing gives %.200s", text)
	}
	if code, errors := stop(); code != codeDone || !strings.Contains(errors, "by=mcp-bridge:demo/") {
		t.Errorf("exit code %d, stderr %s", code, errors)
	}
}

func TestServeMCPAsksAPerson(t *testing.T) {
	address, stop := serving(t, "--dist", t.TempDir())
	defer stop()
	id := someDevice(t, address)
	session := agent(t, &mcp.StreamableClientTransport{Endpoint: address + "mcp"})
	if text, failed := calls(t, session, "domain_devices__disable", `{"ids":["`+id+`"],"reason":"Recalled"}`); failed || !strings.Contains(text, "Recalled") {
		t.Errorf("with a yes: %s", text)
	}
	plain := mcp.NewClient(&mcp.Implementation{Name: "plain"}, nil)
	other, err := plain.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: address + "mcp"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if text, failed := calls(t, other, "domain_devices__disable", `{"ids":["`+id+`"]}`); !failed || !strings.Contains(text, "CONFIRMATION_REQUIRED") {
		t.Errorf("without anybody to ask: %s", text)
	}
}

// someDevice is one that is enabled.
func someDevice(t *testing.T, address string) string {
	t.Helper()
	_, body := get(t, address+"api/devices")
	var list struct {
		Devices []struct {
			ID      string
			Enabled bool
		}
	}
	if err := json.Unmarshal([]byte(body), &list); err != nil {
		t.Fatal(err)
	}
	for _, device := range list.Devices {
		if device.Enabled {
			return device.ID
		}
	}
	t.Fatal("no device is enabled")
	return ""
}

func TestServeMCPWithAToken(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("s3cret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	address, stop := serving(t, "--dist", t.TempDir(), "--token-file", file, "--addr", "0.0.0.0:0")
	defer stop()
	session := agent(t, &mcp.StreamableClientTransport{
		Endpoint: address + "mcp", HTTPClient: &http.Client{Transport: token{"s3cret", http.DefaultTransport}},
	})
	if text, failed := calls(t, session, "domain_devices__get", `{"id":"dev-001"}`); failed {
		t.Errorf("got %s", text)
	}
	response, err := http.Post(address+"mcp", "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusUnauthorized {
		t.Errorf("without the token: %d", response.StatusCode)
	}
}

func TestServeMCPNeedsATokenBeyondThisMachine(t *testing.T) {
	t.Setenv(envToken, "")
	address, stop := serving(t, "--dist", t.TempDir(), "--addr", "0.0.0.0:0")
	if code, _ := get(t, address+"mcp"); code != http.StatusNotFound {
		t.Errorf("/mcp answers %d", code)
	}
	if _, errors := stop(); !strings.Contains(errors, "--token-file") {
		t.Errorf("stderr %q", errors)
	}
}

func TestServeMCPStdio(t *testing.T) {
	data := t.TempDir()
	in, feed := io.Pipe()
	answers, out := io.Pipe()
	var stderr bytes.Buffer
	ended := make(chan int, 1)
	go func() { ended <- run(t.Context(), []string{"serve", "--mcp-stdio", "--data", data}, in, out, &stderr) }()
	session := agent(t, &mcp.IOTransport{Reader: answers, Writer: feed})
	if text, failed := calls(t, session, "domain_devices__rename", `{"id":"dev-001","name":"Attic"}`); failed {
		t.Errorf("got %s", text)
	}
	session.Close()
	if code := <-ended; code != codeDone {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
	runs(t, "serve", "--mcp-stdio", "--origin", "https://app.example").expect(t, codeNotRun, "", "--origin are for /mcp")
	runs(t, "serve", "--origin", "nonsense", "--dist", t.TempDir()).expect(t, codeNotRun, "", "Origins[0]")
	runs(t, "serve", "--token-file", filepath.Join(data, "missing"), "--dist", t.TempDir()).expect(t, codeNotRun, "", "reading the token")
}

// TestCommandsOfTheGuide starts what docs/mcp.md says, in a folder of its own and on a free port.
func TestCommandsOfTheGuide(t *testing.T) {
	guide, err := os.ReadFile("../../docs/mcp.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(guide), "```sh\n")
	block, _, _ = strings.Cut(block, "```")
	lines := strings.Split(strings.TrimSpace(block), "\n")
	if len(lines) != 2 {
		t.Fatalf("the guide has %d commands", len(lines))
	}
	t.Chdir(t.TempDir())
	for _, line := range lines {
		args := strings.Fields(strings.Replace(line, ":8080", ":0", 1))
		if strings.Contains(line, "--mcp-stdio") {
			runs(t, args[1:]...).expect(t, codeDone, "")
			continue
		}
		address, stop := serving(t, args[2:]...)
		agent(t, &mcp.StreamableClientTransport{Endpoint: address + "mcp"})
		if code, _ := stop(); code != codeDone {
			t.Errorf("%s ends with %d", line, code)
		}
	}
}
