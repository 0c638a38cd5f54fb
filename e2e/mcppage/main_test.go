package mcppage

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/browser"
	"github.com/pagewarden/pagewarden/e2e/internal/suite"
)

// fixture is what all tests use: pages, a browser for those that need none of their own, and the command.
var fixture struct {
	suite.Fixture
	command string // path of the built command-line tool
}

func TestMain(m *testing.M) { os.Exit(runTests(m)) }

func runTests(m *testing.M) int {
	folder, err := os.MkdirTemp("", "mcppage")
	if err != nil {
		fmt.Fprintln(os.Stderr, "the suite of pages over MCP:", err)
		return 1
	}
	defer os.RemoveAll(folder)
	fixture.command = filepath.Join(folder, "pagewarden")
	return suite.Main(m, &fixture.Fixture, suite.Config{Name: "the suite of pages over MCP", Browser: &browser.Options{}, Pages: prepare})
}

// buildCommand is how the guide says that the command is built.
const buildCommand = "go build -o pagewarden ./cmd/pagewarden"

// prepare builds the command and serves testdata.
func prepare(root string) (http.Handler, error) {
	arguments := strings.Fields(strings.Replace(buildCommand, "-o pagewarden", "-o "+fixture.command, 1))
	build := exec.Command(arguments[0], arguments[1:]...)
	build.Dir = root
	if output, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building the command: %w\n%s", err, output)
	}
	return testdata(root), nil
}

func testdata(root string) http.Handler {
	return http.FileServer(http.Dir(filepath.Join(root, "e2e", "mcppage", "testdata")))
}
