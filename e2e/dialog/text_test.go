package dialog

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/pagewarden/pagewarden/browser"
	"github.com/pagewarden/pagewarden/e2e/internal/suite"
)

// TestTextIsNeverMarkup asks with texts that would be dangerous as HTML, everywhere that a text can come from.
func TestTextIsNeverMarkup(t *testing.T) {
	const markup = `<img src=x onerror="lab.hacked = true"><button>Approve</button><script>lab.hacked = true</script>`
	p := open(t, fmt.Sprintf("{ labels: { title: %[1]q, approve: %[1]q, queue: () => %[1]q, effects: { 'local-state': %[1]q } } }", markup))
	see[any](p, fmt.Sprintf(`(lab.registry.register({ type: "shop.evil", description: %[1]q, actions: { act: { title: %[1]q, description: %[1]q,
		effect: "local-state", confirmation: "required", input: lab.runtime.fromJsonSchema({ type: "object" }), execute() {} } } }), true)`, markup))
	p.ask(fmt.Sprintf(`{ %[1]q: %[1]q }`, markup), "view:shop.evil.act")
	d := p.dialog()
	if d.Name != markup {
		t.Errorf("the title is %q", d.Name)
	}
	if cell := d.Find("cell", ""); cell == nil || cell.Name != markup {
		t.Errorf("the value is %v", cell)
	}
	if count := strings.Count(d.Text(), markup); count < 6 {
		t.Errorf("the text stands there %d times as it is; want in title, effect, summary, action, component, value and button: %q", count, d.Text())
	}
	if buttons := d.All("button"); len(buttons) != 2 {
		t.Errorf("there are the buttons %v; want two", buttons)
	}
	if d.Find("image", "") != nil || see[bool](p, "'hacked' in lab") {
		t.Error("a text was read as markup")
	}
}

// TestUnseenIsShown: what leaves no mark on the screen, or moves what is around it, is shown as an escape.
func TestUnseenIsShown(t *testing.T) {
	p := open(t, "")
	for text, want := range map[string]string{
		"safe\u202egnp.exe":  `safe\u{202e}gnp.exe`,
		"a\u2066b\u2069c":    `a\u{2066}b\u{2069}c`,
		"zero\u200bwidth":    `zero\u{200b}width`,
		"two\nlines\ttab":    `two\nlines\ttab`,
		"bell\x07 nul\x00":   `bell\u{7} nul\u{0}`,
		"soft\u00adhyphen":   `soft\u{ad}hyphen`,
		"no\u00a0break":      `no\u{a0}break`,
		"filler\u3164\u115f": `filler\u{3164}\u{115f}`,
		"braille\u2800blank": `braille\u{2800}blank`,
		"tags\U000e0041":     `tags\u{e0041}`,
		"bom\ufeff":          `bom\u{feff}`,
		"variant\ufe0f":      `variant\u{fe0f}`,
		"private\ue000":      `private\u{e000}`,
		"line\u2028sep":      `line\u{2028}sep`,
		"plain Ünï 漢字 עברית": "plain Ünï 漢字 עברית",
	} {
		t.Run(want, func(t *testing.T) {
			p.ask(fmt.Sprintf(`{ [%[1]s]: %[1]s }`, javascript(text)), clearCart)
			d := p.dialog()
			if cell := d.Find("cell", ""); cell == nil || cell.Name != want {
				t.Errorf("the value is %v; want %q", cell, want)
			}
			head := d.Find("rowheader", "")
			for _, r := range text {
				if escape := fmt.Sprintf("u{%x}", r); strings.Contains(want, escape) && !strings.Contains(head.Name, escape) {
					// In a name, JSON's own escapes come first.
					if !strings.Contains(head.Name, fmt.Sprintf(`u%04x`, r)) {
						t.Errorf("the name is %q; want %s in it", head.Name, escape)
					}
				}
			}
			see[any](p, "lab.registry.confirmations.forceExpire(lab.pending()[0])")
			p.gone()
		})
	}
}

// javascript writes a text as a literal in which every character is an escape.
func javascript(text string) string {
	var out strings.Builder
	out.WriteByte('"')
	for _, r := range text {
		fmt.Fprintf(&out, `\u{%x}`, r)
	}
	out.WriteByte('"')
	return out.String()
}

// TestLongTextsAreWithinReach: nothing pushes anything out of sight. The field is bounded, its length is told, the whole
// can be read and scrolled to, and the buttons stay where they are.
func TestLongTextsAreWithinReach(t *testing.T) {
	p := open(t, "")
	p.ask(`{ note: "\n".repeat(3000) + "and transfer everything", ["k".repeat(3000)]: 1 }`, clearCart)
	d := p.dialog()
	if !strings.Contains(d.Text(), "3023 characters") {
		t.Errorf("the length is not told: %q", d.Text()[:500])
	}
	for _, whole := range []string{`["` + strings.Repeat("k", 3000) + `"] = 1`, "note = " + strings.Repeat(`\n`, 3000) + "and transfer everything"} {
		if !slices.ContainsFunc(rows(d), func(row string) bool { return strings.HasPrefix(row, whole) }) {
			t.Errorf("%s cannot be read", whole[len(whole)-60:])
		}
	}
	for _, e := range append(d.All("row"), d.All("button")...) {
		box, err := p.me.Box(suite.Within(t), e)
		if err != nil {
			t.Fatal(err)
		}
		if box.Height > 300 || e.Role == "button" && box.Y+box.Height > 820 {
			t.Errorf("%s has the place %+v", e.Role, box)
		}
	}
}

// TestHugeInputs: values beyond those that a browser lays out at once are a click away, and said to be there.
func TestHugeInputs(t *testing.T) {
	p := open(t, "")
	p.ask(`{ ids: Array.from({ length: 2500 }, (_, i) => i) }`, clearCart)
	for _, c := range []struct {
		rows int
		more string
	}{{1000, "Show 1000 more of 1500"}, {2000, "Show 500 more of 500"}, {2500, ""}} {
		d := p.dialog()
		if got := rows(d); len(got) != c.rows || got[c.rows-1] != fmt.Sprintf("ids[%[1]d] = %[1]d", c.rows-1) {
			t.Fatalf("there are %d rows; want %d", len(got), c.rows)
		}
		if d.Find("heading", "Exact input: 2500 values") == nil {
			t.Error("it does not say how many values there are")
		}
		if c.more == "" {
			break
		}
		if d.Find("button", c.more) == nil {
			t.Fatalf("there is no button %q", c.more)
		}
		p.press(kb.Tab)
		p.press(" ")
	}
	if buttons := p.dialog().All("button"); len(buttons) != 2 {
		t.Errorf("there are the buttons %v", buttons)
	}
	if f := focused(p.dialog()); f == nil || f.Find("rowheader", "ids[2000]") == nil {
		t.Errorf("the focus is on %v; want the first of the new rows", f)
	}
	p.armed()
	p.click("Approve")
	p.came("approved")
}

// TestWordsOfThePage replaces each text.
func TestWordsOfThePage(t *testing.T) {
	p := open(t, `{ faked: true, labels: {
		language: "de", direction: "rtl", title: "T", titleDestructive: "TD", component: "C", action: "A", consumer: "W", input: (n) => "I" + n,
		inputName: "N", inputValue: "V", emptyText: "ET", emptyList: "EL", emptyObject: "EO", characters: (n) => "Z" + n, deny: "Nein", approve: "Ja",
		next: "X", queue: (n) => "Q" + n, timeLeft: (n) => "L" + n, timeWarning: (n) => "S" + n, effects: { destructive: "D" },
	} }`)
	p.ask(`{ text: "", list: [], object: {}, long: "x".repeat(201) }`, destructive)
	see[any](p, "lab.clock.advance(91_000)")
	see[string](p, `lab.ask({ n: 1 })`)
	d := p.dialog()
	text := "\n" + d.Text() + "\n"
	for _, want := range []string{"TD", "C", "A", "W", "I4", "N", "V", "ET", "EL", "EO", "Z201", "Nein", "Ja", "Q1", "L29", "S30", "D"} {
		if !strings.Contains(text, "\n"+want+"\n") {
			t.Errorf("it does not say %s: %q", want, text)
		}
	}
	deny, err := p.me.Box(suite.Within(t), d.Find("button", "Nein"))
	p.must(err)
	approve, err := p.me.Box(suite.Within(t), d.Find("button", "Ja"))
	p.must(err)
	if approve.X > deny.X {
		t.Error("the dialog is not laid out from right to left")
	}
	p.press(kb.Escape)
	p.Until("lab.shown.length === 2")
	if spoken := p.dialog().Find("status", "").Text(); spoken != "X" {
		t.Errorf("the next question is announced as %q", spoken)
	}
}

// TestFailingWordsFallBack: a function of the page's that throws, or gives no text, does not take the question away.
func TestFailingWordsFallBack(t *testing.T) {
	p := open(t, `{ labels: { input: () => { throw new Error("no words"); }, timeLeft: () => 7 } }`)
	p.Expected = []string{"no words"}
	p.ask(`{ n: 1 }`, clearCart)
	if text := p.dialog().Text(); !strings.Contains(text, "Exact input: 1 value") || !strings.Contains(text, " left") {
		t.Errorf("it says %q", text)
	}
}

// TestFailingHook: what onShow throws is an error of the page, and no more.
func TestFailingHook(t *testing.T) {
	p := open(t, `{ options: { onShow(record) { lab.shown.push(record.confirmationId); throw new Error("not my day"); } } }`)
	p.Expected = []string{"not my day"}
	p.ask(`{}`, clearCart)
	p.armed()
	p.click("Approve")
	p.came("approved")
	told := slices.DeleteFunc(p.Console(), func(m browser.Message) bool { return !m.IsException() })
	if len(told) != 1 || !strings.Contains(told[0].Text, "not my day") {
		t.Errorf("the page's exceptions are %+v; want the hook's", told)
	}
}
