package main

import (
	"encoding/json"
	"os"
	"regexp"
	"testing"
	"unicode/utf8"

	"github.com/pagewarden/pagewarden/contract"
)

// The bounds are those of the schema that the file names.
func TestServerManifest(t *testing.T) {
	content, err := os.ReadFile("../../server.json")
	if err != nil {
		t.Fatal(err)
	}
	var server struct {
		Name, Title, Description, Version string
		Packages                          []any
	}
	if err := json.Unmarshal(content, &server); err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$`).MatchString(server.Name) || len(server.Name) > 200 {
		t.Errorf("the name is %q; want a reversed domain, a slash and a name", server.Name)
	}
	for what, text := range map[string]string{"title": server.Title, "description": server.Description} {
		if n := utf8.RuneCountInString(text); n < 1 || n > 100 {
			t.Errorf("the %s has %d characters; want 1 to 100", what, n)
		}
	}
	if server.Version != contract.Version {
		t.Errorf("the version is %q; want that of the module, %q", server.Version, contract.Version)
	}
	if server.Packages != nil {
		t.Error("it names packages: check that each is published, and then this test")
	}
}
