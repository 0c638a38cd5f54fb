package layout

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/pagewarden/pagewarden/tools/internal/golist"
)

// PackageComments finds packages without a comment that says what they are for.
func PackageComments(packages []golist.Package) []Problem {
	var problems []Problem
	for _, p := range packages {
		if p.Doc != "" || len(p.GoFiles) == 0 {
			continue
		}
		start := "Package " + p.Name
		if p.Name == "main" {
			start = "Command " + path.Base(p.ImportPath)
		}
		problems = append(problems, Problem{p.ImportPath, "has no package comment", fmt.Sprintf("start one with %q", "// "+start)})
	}
	return sorted(problems)
}

// ReadmeCommands finds commands that the README owes its reader.
func ReadmeCommands(readme []byte) []Problem {
	var problems []Problem
	for _, command := range []string{"make run", "make test"} {
		if !bytes.Contains(readme, []byte(command)) {
			problems = append(problems, Problem{"README.md", "does not mention `" + command + "`", "say what it does, near the top"})
		}
	}
	return problems
}

// Home is a folder of a machine that must not be named in the repository.
type Home struct {
	Path string // absolute
	What string // what it is, for the finding
}

// MachinePaths finds files that name one of the folders, so that nothing works on one machine alone. A folder with
// fewer than two elements in its path is too common a word to look for.
func MachinePaths(files []File, homes []Home) []Problem {
	var problems []Problem
	for _, home := range homes {
		if strings.Count(strings.TrimRight(home.Path, "/"), "/") < 2 {
			continue
		}
		for _, f := range files {
			if at := bytes.Index(f.Content, []byte(home.Path)); at >= 0 {
				problems = append(problems, Problem{
					fmt.Sprintf("%s:%d", f.Path, 1+bytes.Count(f.Content[:at], []byte("\n"))),
					"names " + home.What,
					"find the folder at run time, or write the path relative to the checkout",
				})
			}
		}
	}
	return sorted(problems)
}

// Addresses finds files that say where a package was downloaded: a lock file holds names, versions and digests, and
// whoever installs brings the address.
func Addresses(locks []File) []Problem {
	resolved := regexp.MustCompile(`"resolved"|https?://[^"]*\.tgz`)
	var problems []Problem
	for _, f := range locks {
		if resolved.Match(f.Content) {
			problems = append(problems, Problem{
				f.Path,
				"holds addresses of downloads",
				"keep omit-lockfile-registry-resolved=true in the .npmrc beside it and make the lock file anew",
			})
		}
	}
	return sorted(problems)
}
