package layout

// Free is the floor of folders that may import any other: programs about the repository rather than parts of it. No
// package with a floor may import one, except as Row.ImportedBy says.
const Free = -1

// Row is one line of the architecture's table.
type Row struct {
	// Path is the package's folder, relative to the module. The row also holds for its internal/ folders and, if
	// Floor is Free, for everything below it.
	Path string
	// Floor orders the packages: a package imports only packages of lower floors.
	Floor int
	// Owns says what the package is for.
	Owns string
	// Modules are the paths of other modules, or of packages in them, that the package may import.
	Modules []string
	// AnyModule lifts the limit of Modules.
	AnyModule bool
	// ImportedBy lists the only packages that may import this one; nil for no limit but the floors.
	ImportedBy []string
	// AgentFacing marks what an agent reaches; it must not depend on the developers' view of things.
	AgentFacing bool
}

// DeveloperView is the package that no agent-facing package may depend on.
const DeveloperView = "explain"

// WASM is the program for a page.
const WASM = "wasm"

// Floors is the architecture's table. A new package gets a row here before its first import.
func Floors() []Row {
	return []Row{
		{Path: "capability", Floor: 0, Owns: "vocabulary: ids, kinds, effects, JSON values, errors, limits"},
		{Path: "host", Floor: 1, Owns: "clock, timers, microtasks, randomness, waiting"},
		{Path: "canonical", Floor: 1, Owns: "canonical JSON and digests over it"},
		{Path: "audit", Floor: 1, Owns: "audit events and sinks"},
		{Path: "schema", Floor: 1, Owns: "JSON Schema subset check, compilation and validation",
			Modules: []string{"github.com/santhosh-tekuri/jsonschema/v6", "golang.org/x/text"}},
		{Path: "wirename", Floor: 1, Owns: "capability id to provider-safe tool name and back"},
		{Path: "policy", Floor: 2, Owns: "policy interface, composition, built-in policies"},
		{Path: "confirm", Floor: 2, Owns: "confirmation records"},
		{Path: "contract", Floor: 2, Owns: "manifest, authority, gateway, declarations"},
		{Path: "contract/compiler", Floor: 3, Owns: "finds declarations in JavaScript and TypeScript",
			Modules: []string{"github.com/evanw/esbuild", "github.com/grafana/sobek", "github.com/go-sourcemap/sourcemap"}},
		{Path: "contract/review", Floor: 4, Owns: "what differs between two contracts, and the report of it"},
		{Path: "registry", Floor: 3, Owns: "registrations, snapshot, invocation pipeline, events"},
		{Path: "catalog", Floor: 4, Owns: "names what a registry offers to one consumer, and follows it", AgentFacing: true},
		{Path: "consent", Floor: 4, Owns: "carries an adapter's calls through a person's decision", AgentFacing: true},
		{Path: "toolset", Floor: 5, Owns: "embedded provider-neutral tools", AgentFacing: true},
		{Path: "webmcp", Floor: 5, Owns: "the WebMCP adapter", AgentFacing: true},
		{Path: "testsurface", Floor: 4, Owns: "deterministic harness over the public registry seams"},
		{Path: "schema/infer", Floor: 4, Owns: "Go types to schemas",
			Modules: []string{"github.com/google/jsonschema-go"}},
		{Path: DeveloperView, Floor: 4, Owns: "developer projection"},
		{Path: "webtool", Floor: 5, Owns: "web tools beside a control", AgentFacing: true},
		{Path: "predict", Floor: 5, Owns: "prediction store and predicted execution", AgentFacing: true},
		{Path: "adaptertest", Floor: 6, Owns: "conformance kit that any adapter runs against itself"},
		{Path: "mcpserver", Floor: 6, Owns: "remote MCP over the official Go SDK", AgentFacing: true,
			Modules: []string{"github.com/modelcontextprotocol/go-sdk"}},
		{Path: "browser", Floor: 5, Owns: "finds a Chromium, lists and calls a page's tools",
			Modules: []string{"github.com/chromedp/chromedp", "github.com/chromedp/cdproto", "github.com/go-json-experiment/json"}},
		{Path: "browser/mcpbridge", Floor: 6, Owns: "a page's tools as an MCP server, over the official Go SDK",
			Modules: []string{"github.com/modelcontextprotocol/go-sdk"}},
		{Path: "jsbridge", Floor: 7, Owns: "exports the runtime to JavaScript"},
		{Path: "demo", Floor: 6, Owns: "the demo's server and database",
			Modules: []string{"modernc.org/sqlite", "github.com/go-json-experiment/json"}},
		{Path: WASM, Floor: 8, Owns: "the program for a page"},
		{Path: "cmd/pagewarden", Floor: 8, Owns: "the command-line tool", AnyModule: true},
		{Path: "web", Floor: Free, Owns: "the page script, its types, the demo page",
			ImportedBy: []string{"cmd/pagewarden", "demo"}},
		{Path: "examples", Floor: Free, Owns: "examples", AnyModule: true},
		{Path: "docs", Floor: Free, Owns: "documentation", AnyModule: true},
		{Path: "skills", Floor: Free, Owns: "instructions for agents", AnyModule: true},
		{Path: "e2e", Floor: Free, Owns: "suites against real browsers", AnyModule: true},
		{Path: "bench", Floor: Free, Owns: "benchmarks and their report", AnyModule: true},
		{Path: "tools", Floor: Free, Owns: "builds, set-up and checks of the repository", AnyModule: true},
	}
}

// NotInWASM lists what the program for a page must not contain, however it would get there.
func NotInWASM() []string {
	return []string{
		"github.com/evanw/esbuild",
		"github.com/grafana/sobek",
		"github.com/chromedp",
		"github.com/modelcontextprotocol/go-sdk",
		"modernc.org/sqlite",
		"net/http",
	}
}
