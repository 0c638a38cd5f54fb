package matrix

import (
	"fmt"
	"html"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/pagewarden/pagewarden/e2e/internal/person"
	"github.com/pagewarden/pagewarden/e2e/internal/suite"
)

// buildGoPage has examples/go-page build its page into a folder.
func buildGoPage(root, folder string) error {
	build := exec.Command("go", "run", "./examples/go-page", "-out", folder)
	build.Dir = root
	if output, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building examples/go-page: %w\n%s", err, output)
	}
	return nil
}

// serveGoPage answers /go/HOST/: the example's page after the scripts that the host has.
func serveGoPage(w http.ResponseWriter, r *http.Request) {
	h, ok := hostNamed(r.PathValue("host"))
	page, err := os.ReadFile(filepath.Join(fixture.goPage, "index.html"))
	if !ok || err != nil {
		http.NotFound(w, r)
		return
	}
	before := `<link rel="icon" href="data:,">`
	for _, script := range h.scripts {
		before += `<script src="` + html.EscapeString(script) + `"></script>`
	}
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprint(w, strings.Replace(string(page), "<title>", before+"<title>", 1))
}

// goPage opens the page that is written in Go alone: its tools are there, a call changes what it shows, a person's change
// reaches the agent, and errors are typed.
func goPage(w *world) {
	const add, clear, list, remove = "view_notes__board__add", "view_notes__board__clear", "view_notes__board__list", "view_notes__board__remove"
	if err := w.Navigate(suite.Within(w.T), fixture.URL+"/go/"+w.host.folder()+"/"); err != nil {
		w.T.Fatal(err)
	}
	w.Have(add, clear, list, remove)
	w.gives(w.call(add, `{"text":"<b>Buy milk</b>"}`), `{"notes":2}`)
	const shown = `[...document.querySelectorAll("#notes li")].map((item) => item.textContent).join()`
	if notes := see[string](w, shown); notes != "Water the plants,<b>Buy milk</b>" {
		w.T.Errorf("the page shows %q", notes)
	}
	if r := w.refuses(w.call(remove, `{"number":3}`), "PRECONDITION_FAILED"); r.Message != "There are notes 1 to 2. List them first." {
		w.T.Errorf("the refusal says %q", r.Message)
	}
	w.gives(w.call(remove, `{"number":1}`), `{"notes":1}`)
	w.do(`void ((document.getElementById("text").value = "Call Ada"), document.getElementById("new").requestSubmit())`)
	w.gives(w.call(list, `{}`), `["<b>Buy milk</b>","Call Ada"]`)
	w.gives(w.call(remove, `{"number":2}`), `{"notes":1}`)
	w.gives(w.call(remove, `{"number":1}`), `{"notes":0}`)
	if w.host.name == "system" {
		w.commandsOfTheGoGuide()
	}
	w.Have(add, clear, list) // nothing can be removed now
	w.gives(w.call(add, `{"text":"again"}`), `{"notes":1}`)
	w.Have(add, clear, list, remove)
	w.answersTheGoPage(clear)
}

// answersTheGoPage lets a script press Allow, which does nothing, and then a person Deny, and Allow.
func (w *world) answersTheGoPage(clear string) {
	w.T.Helper()
	const open, script = `document.getElementById("question").open`, `document.getElementById("allow").click()`
	for _, test := range []struct{ button, notes string }{{"Deny", "again"}, {"Allow", ""}} {
		called := w.calling(suite.Within(w.T), clear, `{}`)
		w.Until(open)
		w.do("void " + script)
		w.presses(test.button)
		if answer := w.wait(called); test.notes == "" {
			w.gives(answer, `{"notes":0}`)
		} else if r := w.refuses(answer, "CONFIRMATION_INVALID"); r.Details["reason"] != "denied" {
			w.T.Errorf("the refusal has the details %v", r.Details)
		}
		w.Until("!" + open)
		if notes := see[string](w, `document.getElementById("notes").textContent`); notes != test.notes {
			w.T.Errorf("after %s the page shows %q; want %q", test.button, notes, test.notes)
		}
	}
}

// presses clicks a button of the page as a person does.
func (w *world) presses(name string) {
	w.T.Helper()
	me, ctx := person.At(w.Page), suite.Within(w.T)
	tree, err := me.Look(ctx)
	if err != nil {
		w.T.Fatal(err)
	}
	button := tree.Find("button", name)
	if button == nil {
		w.T.Fatalf("the page has no button %s", name)
	}
	if err := me.Click(ctx, button); err != nil {
		w.T.Fatal(err)
	}
}

// commandsOfTheGoGuide runs the commands that docs/go.md has for the page.
func (w *world) commandsOfTheGoGuide() {
	w.T.Helper()
	guide, err := os.ReadFile(filepath.Join(fixture.Root, "docs", "go.md"))
	if err != nil {
		w.T.Fatal(err)
	}
	const program, address = "go run ./cmd/pagewarden", "http://127.0.0.1:8000/"
	_, rest, _ := strings.Cut(string(guide), "```sh\n"+program)
	commands, _, found := strings.Cut(program+rest, "\n```")
	lines, prints := strings.Split(commands, "\n"), []string{"view_notes__board__remove", `{"notes":2}`}
	if !found || len(lines) != len(prints) {
		w.T.Fatalf("docs/go.md has the commands %q; this test knows of %d", lines, len(prints))
	}
	for i, line := range lines {
		command, input, _ := strings.Cut(strings.Replace(strings.TrimPrefix(line, program), address, fixture.URL+"/go/"+w.host.folder()+"/", 1), "'")
		args := strings.Fields(command)
		if input != "" {
			args = append(args, strings.TrimSuffix(input, "'"))
		}
		output, err := exec.CommandContext(suite.Within(w.T), fixture.command, args...).CombinedOutput()
		if err != nil || !strings.Contains(string(output), prints[i]) {
			w.T.Errorf("%s prints %s (%v); want %s in it", line, output, err, prints[i])
		}
	}
}
