package web

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/contract/compiler"
)

// pageFiles returns the content of every embedded file with one of the extensions.
func pageFiles(t *testing.T, extensions ...string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := fs.WalkDir(Demo(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		for _, extension := range extensions {
			if path.Ext(name) == extension {
				content, err := fs.ReadFile(Demo(), name)
				if err != nil {
					return err
				}
				found[name] = string(content)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		t.Fatalf("the demo page has no %v files", extensions)
	}
	return found
}

func TestDemoHasItsEntryFiles(t *testing.T) {
	for _, name := range []string{"index.html", "app.css", "app.js", "agent.js", "shop.html", "shop.css", "shop.js", "shop-tools.js"} {
		if _, err := fs.Stat(Demo(), name); err != nil {
			t.Errorf("%v", err)
		}
	}
}

// TestPageIsPinnedToItsContract: the tag admits only the committed manifest, which is what the compiler wrote.
func TestPageIsPinnedToItsContract(t *testing.T) {
	text, err := fs.ReadFile(Demo(), ".pagewarden/contract.json")
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := contract.Parse(capability.JSON(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := manifest.Verify(); err != nil {
		t.Fatal(err)
	}
	if string(manifest.File()) != string(text) {
		t.Error("the manifest is not in canonical form")
	}
	pin := `data-contract="` + contract.PinPrefix + manifest.Hash + `"`
	if page := pageFiles(t, ".html")["index.html"]; !strings.Contains(page, pin) {
		t.Errorf("index.html pins another contract; once the committed one has been reviewed, give its script tag %s", pin)
	}
}

// TestContractIsOfTheSources: `pagewarden contract snapshot`, run in web/demo, would change nothing.
func TestContractIsOfTheSources(t *testing.T) {
	dir, err := filepath.Abs("demo")
	if err != nil {
		t.Fatal(err)
	}
	project, err := compiler.FindProject(dir)
	if err != nil {
		t.Fatal(err)
	}
	result, err := compiler.Compile(t.Context(), compiler.Options{Project: project})
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range result.Problems {
		t.Error(problem)
	}
	committed, err := os.ReadFile(project.ContractPath())
	if err != nil {
		t.Fatal(err)
	}
	if result.Manifest != nil && string(result.Manifest.File()) != string(committed) {
		t.Error("the demo's contract is not what its sources say: run `pagewarden contract snapshot` in web/demo, and have the difference reviewed")
	}
}

// The server's policy allows nothing inline, so the page must have nothing inline.
func TestPageHasNothingInline(t *testing.T) {
	inline := regexp.MustCompile(`(?i)<style|\sstyle=|\son[a-z]+=|javascript:|<script(?:\s[^>]*)?>\s*[^<\s]`)
	for name, content := range pageFiles(t, ".html") {
		if found := inline.FindString(content); found != "" {
			t.Errorf("%s has inline code or style: %q", name, found)
		}
	}
}

// What is imported from the root is a script of the runtime, which the server adds.
func TestModulesImportFilesThatExist(t *testing.T) {
	imports := regexp.MustCompile(`(?m)(?:from|import\()\s*"([^"]+)"`)
	for name, content := range pageFiles(t, ".js") {
		for _, match := range imports.FindAllStringSubmatch(content, -1) {
			if strings.HasPrefix(match[1], "/pagewarden") {
				continue
			}
			target := path.Join(path.Dir(name), match[1])
			if _, err := fs.Stat(Demo(), target); err != nil {
				t.Errorf("%s imports %s, which is not there", name, match[1])
			}
		}
	}
}

func TestApplicationKnowsNothingOfAgents(t *testing.T) {
	for name, content := range pageFiles(t, ".js") {
		if !strings.HasPrefix(name, "app/") && !strings.HasPrefix(name, "shop/") {
			continue
		}
		for _, word := range []string{"pagewarden", "agent", "registry", "webmcp", "webtool"} {
			if strings.Contains(strings.ToLower(content), word) {
				t.Errorf("%s mentions %q; the application must work without it", name, word)
			}
		}
	}
}

// Text from the server or an agent must never be read as HTML.
func TestModulesNeverBuildHTMLFromText(t *testing.T) {
	sinks := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function`)
	for name, content := range pageFiles(t, ".js") {
		if found := sinks.FindString(content); found != "" {
			t.Errorf("%s uses %s", name, found)
		}
	}
}
