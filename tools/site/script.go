package main

import (
	"bytes"
	"fmt"
	"html/template"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// runtimeTypes declares the main script. The others have a file each, called after the script.
const runtimeTypes = "pagewarden.d.ts"

// typeFiles are the files that say what scripts export: the main script's, then the optional ones'.
func typeFiles(root string) ([]string, error) {
	optional, err := filepath.Glob(filepath.Join(root, "web", "pagewarden-*.d.ts"))
	if err != nil {
		return nil, fmt.Errorf("looking for declarations: %w", err)
	}
	files := []string{runtimeTypes}
	for _, path := range optional {
		files = append(files, filepath.Base(path))
	}
	return files, nil
}

// declared is one declaration of a file of types, or a title between them.
type declared struct {
	Section string // of a title alone
	Name    string
	Comment string // Markdown
	Code    string
}

var (
	declaredName = regexp.MustCompile(`^(?:export )?(?:declare )?(?:function|interface|type|const|class|abstract class|global|var|namespace)\s*(\w*)`)
	sectionLine  = regexp.MustCompile(`^// -+ (.+)$`)
)

// readDeclarations splits a file of types into its parts. It relies on how those files are written: what stands at the
// top begins at the margin, and what belongs to it is indented or closes it.
func readDeclarations(source string) []declared {
	var list []declared
	lines := strings.Split(source, "\n")
	comment := ""
	for i := 0; i < len(lines); {
		line := lines[i]
		switch {
		case strings.HasPrefix(line, "/**"):
			start := i
			for i < len(lines) && !strings.Contains(lines[i], "*/") {
				i++
			}
			i = min(i+1, len(lines))
			comment = strings.Join(lines[start:i], "\n")
		case sectionLine.MatchString(line):
			list = append(list, declared{Section: sectionLine.FindStringSubmatch(line)[1]})
			i++
		case line == "":
			if comment != "" && len(list) == 0 { // the file's own
				list = append(list, declared{Comment: plainComment(comment)})
			}
			comment = ""
			i++
		default:
			start := i
			i = endOfDeclaration(lines, i)
			if found := declaredName.FindStringSubmatch(line); found != nil {
				code := strings.TrimRight(strings.Join(lines[start:i], "\n"), "\n")
				list = append(list, declared{Name: found[1], Comment: plainComment(comment), Code: code})
			}
			comment = ""
		}
	}
	return list
}

// endOfDeclaration is the line after a declaration.
func endOfDeclaration(lines []string, at int) int {
	at++
	for at < len(lines) && (lines[at] == "" && moreFollows(lines[at:]) || strings.HasPrefix(lines[at], " ") || strings.HasPrefix(lines[at], "}") || strings.HasPrefix(lines[at], ")")) {
		at++
	}
	return at
}

// moreFollows reports whether the empty line is one within a declaration.
func moreFollows(lines []string) bool {
	for _, line := range lines {
		if line != "" {
			return strings.HasPrefix(line, " ")
		}
	}
	return false
}

// plainComment is the text of a comment.
func plainComment(comment string) string {
	comment = strings.TrimSuffix(strings.TrimPrefix(comment, "/**"), "*/")
	lines := strings.Split(comment, "\n")
	for i, line := range lines {
		line = strings.TrimSpace(line)
		line = strings.TrimPrefix(line, "*")
		lines[i] = strings.TrimPrefix(line, " ")
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// scriptPage is the reference of the JavaScript API.
func scriptPage(root string) (page, error) {
	var b strings.Builder
	p := page{entry: entry{output: scriptReference}, Title: "JavaScript API"}
	b.WriteString("<h1>JavaScript API</h1>\n<p>Made of the declarations that come with the package. Start with <a href=\"javascript.html\">the guide</a>.</p>\n")
	seen := &slugs{used: map[string]int{}}
	files, err := typeFiles(root)
	if err != nil {
		return page{}, err
	}
	for _, file := range files {
		source, err := os.ReadFile(filepath.Join(root, "web", file))
		if err != nil {
			return page{}, fmt.Errorf("reading the declarations: %w", err)
		}
		script := strings.Replace(file, ".d.ts", ".js", 1)
		id := string(seen.Generate([]byte(script), 0))
		fmt.Fprintf(&b, "<h2 id=%q><code>%s</code></h2>\n", id, script)
		p.Contents = append(p.Contents, heading{2, id, script})
		all := readDeclarations(string(source))
		for i, d := range all {
			text, err := d.html(seen)
			if err != nil {
				return page{}, fmt.Errorf("rendering %s of %s: %w", d.Name, file, err)
			}
			if d.Section != "" {
				text += namesAfter(all[i+1:])
			}
			if d.Section != "" && file == runtimeTypes {
				p.Contents = append(p.Contents, heading{3, sectionID(d.Section), d.Section})
			}
			b.WriteString(text)
		}
	}
	p.Body = decorated(b.String())
	return p, nil
}

// namesAfter links the names of one part, which begins the list.
func namesAfter(list []declared) string {
	var links []string
	for _, d := range list {
		if d.Section != "" {
			break
		}
		if d.Name != "" {
			links = append(links, fmt.Sprintf("<a href=\"#%s\"><code>%s</code></a>", anchorOf(d.Name), d.Name))
		}
	}
	return "<p class=\"names\">" + strings.Join(links, " ") + "</p>\n"
}

// anchorOf is the anchor of a name that comes for the first time.
func anchorOf(name string) string {
	return string((&slugs{used: map[string]int{}}).Generate([]byte(name), 0))
}

func sectionID(section string) string { return "section-" + strings.ReplaceAll(section, " ", "-") }

func (d declared) html(seen *slugs) (string, error) {
	if d.Section != "" {
		return fmt.Sprintf("<h3 id=%q>%s</h3>\n", sectionID(d.Section), template.HTMLEscapeString(d.Section)), nil
	}
	var b bytes.Buffer
	if d.Name != "" {
		fmt.Fprintf(&b, "<h4 id=%q><code>%s</code></h4>\n", seen.Generate([]byte(d.Name), 0), d.Name)
	}
	if err := markdown().Convert([]byte(strings.ReplaceAll(d.Comment, "@experimental", "*Experimental.*")), &b); err != nil {
		return "", err
	}
	if d.Code != "" {
		b.WriteString(coloured("typescript", d.Code+"\n"))
	}
	return b.String(), nil
}
