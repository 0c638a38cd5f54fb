package main

// group is a part of the navigation.
type group struct {
	title   string
	entries []entry
}

// entry is one page: a text of the repository, or what is made of declarations.
type entry struct {
	// source is the Markdown file, relative to the root; "" for a page that is made.
	source string
	// output is the file of the site. All pages are in one folder.
	output string
	title  string
}

// The pages that are made of declarations.
const (
	scriptReference = "api-javascript.html"
	goReference     = "api-go.html"
)

// nav is the order of the pages. A page of docs/ that is not here fails a test.
func nav() []group {
	return []group{
		{"Start", []entry{
			{"README.md", "index.html", "pagewarden"},
			{"docs/concepts.md", "concepts.html", "Concepts"},
			{"docs/javascript.md", "javascript.html", "From JavaScript"},
			{"docs/go.md", "go.html", "From Go"},
		}},
		{"Guides", []entry{
			{"docs/contract.md", "contract.html", "The contract"},
			{"docs/confirmation.md", "confirmation.html", "Confirmation"},
			{"docs/inspector.md", "inspector.html", "The inspector"},
			{"docs/adapters.md", "adapters.html", "Adapters"},
			{"docs/toolset.md", "toolset.html", "Tools for any model"},
			{"docs/providers.md", "providers.html", "Providers' formats"},
			{"docs/webtools.md", "webtools.html", "One tool beside one button"},
			{"docs/mcp.md", "mcp.html", "MCP: offer a registry"},
			{"docs/mcp-page.md", "mcp-page.html", "MCP: use a page"},
			{"docs/prediction.md", "prediction.html", "Prediction"},
		}},
		{"Reference", []entry{
			{"docs/webmcp.md", "webmcp.html", "WebMCP support"},
			{"docs/errors.md", "errors.html", "Errors"},
			{"", scriptReference, "JavaScript API"},
			{"", goReference, "Go packages"},
			{"docs/conformance.md", "conformance.html", "Conformance"},
			{"docs/cases.md", "cases.html", "Cases from the field"},
		}},
		{"Trust", []entry{
			{"SECURITY.md", "security.html", "Security"},
			{"docs/performance.md", "performance.html", "Performance"},
			{"docs/testing.md", "testing.html", "How it is tested"},
			{"docs/first-use.md", "first-use.html", "The first ten minutes"},
		}},
		{"Examples", []entry{
			{"examples/plain-page/README.md", "example-plain.html", "A plain page"},
			{"examples/react-page/README.md", "example-react.html", "A React page"},
			{"examples/vue-page/README.md", "example-vue.html", "A Vue page"},
			{"examples/go-page/README.md", "example-go.html", "A page in Go alone"},
			{"examples/native/README.md", "example-native.html", "A Go program"},
			{"examples/mcp-server/README.md", "example-mcp-server.html", "An MCP server"},
			{"examples/loop/README.md", "example-loop.html", "A model's loop"},
		}},
		{"Working with it", []entry{
			{"AGENTS.md", "agents.html", "For agents"},
			{"skills/pagewarden/SKILL.md", "skill.html", "A skill for agents"},
			{"CONTRIBUTING.md", "contributing.html", "Contributing"},
			{"CHANGELOG.md", "changelog.html", "Changes"},
		}},
	}
}

// entries are the pages in order.
func entries() []entry {
	var list []entry
	for _, g := range nav() {
		list = append(list, g.entries...)
	}
	return list
}

// outputs is where the pages of the site are made from.
func outputs() map[string]string {
	made := map[string]string{"web/pagewarden.d.ts": scriptReference}
	for _, e := range entries() {
		if e.source != "" {
			made[e.source] = e.output
		}
	}
	return made
}
