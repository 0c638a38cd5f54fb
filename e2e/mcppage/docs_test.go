package mcppage

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pagewarden/pagewarden/e2e/internal/suite"
)

// guide reads the snippets of docs/mcp-page.md in a language.
func guide(t *testing.T, language string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(fixture.Root, "docs", "mcp-page.md"))
	if err != nil {
		t.Fatal(err)
	}
	var snippets []string
	for _, found := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```").FindAllSubmatch(text, -1) {
		snippets = append(snippets, string(found[1]))
	}
	return snippets
}

// its puts this test's page and command in place of the guide's.
func its(text, page string) string {
	return strings.NewReplacer("http://localhost:8080/", page, "/home/me/pagewarden/pagewarden", fixture.command,
		"./pagewarden ", fixture.command+" ", "127.0.0.1:8090", "127.0.0.1:0").Replace(text)
}

// arguments are those after `mcp` on the snippet's last line.
func arguments(t *testing.T, snippet string) []string {
	t.Helper()
	_, rest, ok := strings.Cut(snippet, fixture.command+" mcp ")
	if !ok {
		t.Fatalf("no command in %q", snippet)
	}
	return strings.Fields(rest)
}

func TestCommandsOfTheGuide(t *testing.T) {
	h := served(t, "")
	snippets := guide(t, "sh")
	if len(snippets) != 2 {
		t.Fatalf("the guide has %d snippets", len(snippets))
	}
	if build, _, _ := strings.Cut(snippets[0], "\n"); build != buildCommand {
		t.Errorf("the guide builds the command with %q, and this suite with %q", build, buildCommand)
	}
	first, second := its(snippets[0], h.page()), its(snippets[1], h.page())
	_, c := opened(t, arguments(t, first)...)
	c.gives("total", `{}`, "42")

	_, value, _ := strings.Cut(strings.SplitN(second, "\n", 2)[0], "=")
	t.Setenv("PAGEWARDEN_MCP_TOKEN", value)
	p := start(t, arguments(t, second)...)
	line, err := bufio.NewReader(p.stdout).ReadString('\n')
	if err != nil || !strings.HasSuffix(line, "/mcp\n") {
		t.Fatalf("it prints %q, error %v; it said %s", line, err, p.err)
	}
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	client := &http.Client{Transport: bearer{transport, value}}
	connect(t, &mcp.StreamableClientTransport{Endpoint: strings.TrimSpace(line), HTTPClient: client}).gives("total", `{}`, "42")
	p.signal(syscall.SIGINT)
	p.hasEnded()
}

// A client takes the configuration as it is, but for the window, which this machine may not have.
func TestConfigurationOfTheGuide(t *testing.T) {
	h := served(t, "")
	snippets := guide(t, "json")
	var config struct {
		MCPServers map[string]struct {
			Command string
			Args    []string
		} `json:"mcpServers"`
	}
	if len(snippets) != 1 || json.Unmarshal([]byte(its(snippets[0], h.page())), &config) != nil {
		t.Fatalf("the guide has %q", snippets)
	}
	shop := config.MCPServers["shop"]
	if shop.Command != fixture.command || len(shop.Args) != 3 || shop.Args[1] != "--headed" {
		t.Fatalf("the configuration is %+v", shop)
	}
	command := exec.Command(shop.Command, shop.Args[0], shop.Args[2])
	session, err := mcp.NewClient(&mcp.Implementation{Name: "suite", Version: "1"}, nil).
		Connect(suite.Within(t), &mcp.CommandTransport{Command: command}, nil)
	if err != nil {
		t.Fatal(err)
	}
	result, err := session.CallTool(suite.Within(t), &mcp.CallToolParams{Name: "total"})
	if got := (answer{result, err}); got.text() != "42" {
		t.Errorf("the call gives %s", got.text())
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
}
