package inspector

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/e2e/internal/suite"
)

// pictures is where TestLooks leaves what it saw, for a person to look at.
var pictures = flag.String("pictures", "", "folder for screenshots of the panel")

// TestLooks shows each part of the panel in light and dark, on three widths: nothing of it may stick out or be cut off.
func TestLooks(t *testing.T) {
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{360, 800, 1400} {
			t.Run(fmt.Sprint(scheme, width), func(t *testing.T) {
				p := open(t, "")
				p.must(p.me.Prefer(suite.Within(t), map[string]string{"prefers-color-scheme": scheme}))
				p.must(p.me.Resize(suite.Within(t), width, 900, 1))
				see[bool](p, "lab.day()")
				for _, name := range []string{"Surface", "Calls", "Confirmations", "Adapters", "Recording"} {
					p.tab(name)
					if name == "Surface" || name == "Calls" {
						p.row("add")
					}
					p.fits()
					p.keep(fmt.Sprintf("%s-%s-%d.png", strings.ToLower(name), scheme, width))
				}
			})
		}
	}
}

// tab shows a part of the panel.
func (p *tab) tab(name string) {
	p.T.Helper()
	see[bool](p, fmt.Sprintf(`([...lab.root.querySelectorAll("[role=tab]")].find((one) => one.textContent.startsWith(%q)).click(), true)`, name))
}

// row chooses the first row whose name has that text.
func (p *tab) row(text string) {
	p.T.Helper()
	p.Until(fmt.Sprintf("lab.rows().some((name) => name.includes(%q))", text))
	see[bool](p, fmt.Sprintf(`([...lab.root.querySelectorAll(".page:not([hidden]) .row")].find((row) => row.getAttribute("aria-label").includes(%q)).click(), true)`, text))
}

// fits fails when something of the panel is wider than the panel.
func (p *tab) fits() {
	p.T.Helper()
	over := see[[]string](p, `[...lab.root.querySelectorAll(".panel *")].filter((one) => {
		const box = one.getBoundingClientRect();
		return box.width > 0 && box.right > innerWidth + 1 && !one.closest(".tabs, .frame, .code, .unseen, .chip > *, .cut > *, .grow > *");
	}).map((one) => one.className + " " + one.textContent.slice(0, 40)).slice(0, 5)`)
	if len(over) > 0 {
		p.T.Errorf("these stick out: %q", over)
	}
}

// keep leaves a picture for a person to look at.
func (p *tab) keep(name string) {
	p.T.Helper()
	if *pictures == "" {
		return
	}
	content, err := p.Screenshot(suite.Within(p.T))
	p.must(err)
	p.must(os.WriteFile(filepath.Join(*pictures, name), content, 0o644))
}
