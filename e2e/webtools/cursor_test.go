package webtools

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/pagewarden/pagewarden/e2e/internal/suite"
)

const order = `<form onsubmit="event.preventDefault()">
	<label>Article <input id="article" name="article"></label>
	<label>Size <select id="size" name="size"><option>small</option><option>large</option></select></label>
	<label><input id="gift" name="gift" type="checkbox"> As a gift</label>
	<button id="send">Send order</button>
</form>`

const sending = `{ title: "Send order", params: ["article", "size", "gift"] }`
const parcel = `{ article: "Lapsang souchong", size: "large", gift: true }`

// openCursor opens the shop with a cursor.
func openCursor(t *testing.T, options string) *tab {
	t.Helper()
	p := openPage(t, "shop.html")
	p.Until("globalThis.lab !== undefined && globalThis.mountAgentCursor !== undefined")
	p.show(order)
	p.do("(lab.cursor = mountAgentCursor(" + options + "), null)")
	return p
}

func (p *tab) value(id string) string {
	p.T.Helper()
	return see[string](p, fmt.Sprintf("document.getElementById(%q).value", id))
}

const cursorIsThere = `document.querySelector("[data-pagewarden-cursor]") !== null`

// TestCursorShowsTheSameWrites: letter by letter, then the rest, and the tool runs when the page shows the whole input.
func TestCursorShowsTheSameWrites(t *testing.T) {
	p := openCursor(t, "")
	p.do(`(document.getElementById("article").addEventListener("input", (event) => lab.log.push(event.target.value)), null)`)
	p.do(`lab.begin(` + sending + `, ` + parcel + `)`)
	p.Until(cursorIsThere)
	p.came("ok")
	log := p.ran()
	if len(log) != len("Lapsang souchong")+1 || log[0] != "L" || log[1] != "La" || log[len(log)-2] != "Lapsang souchong" || log[len(log)-1] != "execute" {
		t.Errorf("the page heard %q", log)
	}
	if p.value("article") != "Lapsang souchong" || p.value("size") != "large" || !see[bool](p, `document.getElementById("gift").checked`) {
		t.Error("the fields do not show the input")
	}
	if focus := see[string](p, "document.activeElement.localName"); focus != "body" {
		t.Errorf("the focus went to %s", focus)
	}
	p.Until("!(" + cursorIsThere + ")")
}

// TestCursorOfACallThatFails: where nothing may move, nothing does.
func TestCursorOfACallThatFails(t *testing.T) {
	p := openCursor(t, "")
	p.do(`lab.begin({ title: "Send order", input: { type: "object", properties: { article: { type: "string" } } } }, { article: 5 })`)
	p.came("invalid_input")
	if see[bool](p, cursorIsThere) {
		t.Error("the cursor is there")
	}
}

// TestCursorObeysThePerson: with less motion everything is written at once, by the system's wish or the page's.
func TestCursorObeysThePerson(t *testing.T) {
	for name, c := range map[string]struct {
		options string
		media   string
		heard   int
	}{
		"the system's wish":           {"", "reduce", 1},
		"the page's":                  {"{ reducedMotion: true }", "no-preference", 1},
		"the page's word is the last": {"{ reducedMotion: false }", "reduce", len("Lapsang souchong")},
	} {
		t.Run(name, func(t *testing.T) {
			p := openCursor(t, c.options)
			p.must(p.me.Prefer(suite.Within(t), map[string]string{"prefers-reduced-motion": c.media}))
			p.do(`(document.getElementById("article").addEventListener("input", () => lab.log.push("input")), null)`)
			p.do(`lab.begin({ title: "Send order", params: ["article"], execute: () => ({}) }, ` + parcel + `)`)
			p.came("ok")
			if heard := len(p.ran()); heard != c.heard {
				t.Errorf("the field heard %d steps, want %d", heard, c.heard)
			}
			if p.value("article") != "Lapsang souchong" {
				t.Error("the field does not show the input")
			}
		})
	}
}

// TestTypingEnds: by an abort, and by the person who edits the field; the rest is not written.
func TestTypingEnds(t *testing.T) {
	begun := `document.getElementById("article").value.length > 2`
	t.Run("abort", func(t *testing.T) {
		p := openCursor(t, "")
		p.do(`lab.begin(` + sending + `, ` + parcel + `)`)
		p.Until(begun)
		p.do("lab.calls[0].controller.abort()")
		p.came("AbortError")
		p.do("new Promise((done) => setTimeout(done, 300))")
		if value := p.value("article"); value == "Lapsang souchong" || p.value("size") != "small" {
			t.Errorf("the article is %q, the size %s", value, p.value("size"))
		}
		p.wantRan()
	})
	t.Run("the person", func(t *testing.T) {
		p := openCursor(t, "")
		p.focus("article")
		p.do(`lab.begin(` + sending + `, ` + parcel + `)`)
		p.Until(begun)
		p.press("!")
		p.came("ok")
		ended := see[answer](p, "lab.calls[0].ended")
		if !slices.Equal(ended.Unfilled, []string{"article", "size", "gift"}) || ended.Reasons["size"] != "the person edits the page" {
			t.Errorf("got %+v", ended)
		}
		if value := p.value("article"); !strings.Contains(value, "!") || p.value("size") != "small" {
			t.Errorf("the article is %q, the size %s", value, p.value("size"))
		}
		if focus := see[string](p, "document.activeElement.id"); focus != "article" {
			t.Errorf("the focus went from the person to %q", focus)
		}
	})
	t.Run("unmounting", func(t *testing.T) {
		p := openCursor(t, "")
		p.do(`lab.begin(` + sending + `, ` + parcel + `)`)
		p.Until(begun)
		p.do("(lab.cursor.unmount(), lab.cursor.unmount(), null)")
		p.came("ok")
		if p.value("article") != "Lapsang souchong" || p.value("size") != "large" {
			t.Error("the fields do not show the input")
		}
		if see[bool](p, cursorIsThere) {
			t.Error("the cursor is still there")
		}
	})
}

// TestCursorWaitsItsTurn: calls are shown one after the other.
func TestCursorWaitsItsTurn(t *testing.T) {
	p := openCursor(t, "")
	p.show(`<input id="a" name="a"><input id="b" name="b">`)
	p.do(`(document.querySelectorAll("input").forEach((e) => e.addEventListener("input", () => lab.log.push(e.id))), null)`)
	p.do(`lab.begin({ id: "one", params: ["a"], execute: () => ({}) }, { a: "xyz" })`)
	p.do(`lab.begin({ id: "two", params: ["b"], execute: () => ({}) }, { b: "xyz" })`)
	p.came("ok", "ok")
	p.wantRan("a", "a", "a", "b", "b", "b")
}

// TestCursorGoesToTheControl: and the person confirms as ever; its own presence covers nothing.
func TestCursorGoesToTheControl(t *testing.T) {
	p := openCursor(t, "")
	p.begin(`{ title: "Send order", requireConfirmation: true, params: ["article"] }`, parcel)
	p.Until(cursorIsThere)
	p.waits()
	p.click("send")
	p.came("ok")
}

// TestCursorInADialog: it is seen above a modal dialog of the page's.
func TestCursorInADialog(t *testing.T) {
	p := openCursor(t, "")
	p.show(`<dialog id="d">` + order + `</dialog>`)
	p.do(`(document.getElementById("d").showModal(), null)`)
	p.do(`lab.begin(` + sending + `, ` + parcel + `)`)
	p.Until(cursorIsThere)
	if open := see[bool](p, `document.querySelector("[data-pagewarden-cursor]").matches(":popover-open")`); !open {
		t.Error("it is not in the top layer")
	}
	p.came("ok")
}

func TestCursorsOptions(t *testing.T) {
	p := openCursor(t, "")
	for options, says := range map[string]string{
		`5`: "options must be an object", `{ speed: 1 }`: "options.speed is no option", `{ reducedMotion: 1 }`: "reducedMotion must be", `{ root: {} }`: "options.root must be",
	} {
		got := see[string](p, `(() => { try { mountAgentCursor(`+options+`); return "nothing"; } catch (error) { return error.name + ": " + error.message; } })()`)
		if !strings.HasPrefix(got, "TypeError: ") || !strings.Contains(got, says) {
			t.Errorf("%s gives %s", options, got)
		}
	}
}

// TestCursorIsSeen looks at the picture that a person sees: the arrow and its ring at the field, and afterwards neither.
func TestCursorIsSeen(t *testing.T) {
	p := openCursor(t, "")
	if n := p.coloured("article", 40); n != 0 {
		t.Fatalf("before, %d pixels have the cursor's colour", n)
	}
	p.do(`lab.begin(` + sending + `, ` + parcel + `)`)
	p.Until(`document.getElementById("article").value.length > 6`)
	if n := p.coloured("article", 40); n < 500 {
		t.Errorf("at the field, %d pixels have the cursor's colour", n)
	}
	p.came("ok")
	p.Until("!(" + cursorIsThere + ")")
	if n := p.coloured("article", 40); n != 0 {
		t.Errorf("afterwards, %d pixels have it", n)
	}
}

// TestLabelStaysInView: in each corner of the window the name of the tool can be read.
func TestLabelStaysInView(t *testing.T) {
	for corner, place := range map[string]string{
		"top left": "top: 40px; left: 40px", "top right": "top: 40px; right: 40px", "bottom left": "bottom: 40px; left: 40px", "bottom right": "bottom: 40px; right: 40px",
	} {
		t.Run(corner, func(t *testing.T) {
			p := openCursor(t, "")
			p.must(p.me.Prefer(suite.Within(t), map[string]string{"prefers-reduced-motion": "reduce"}))
			p.show(`<button id="send" style="position: fixed; ` + place + `">Send order</button>`)
			p.begin(`{ title: "Send order", requireConfirmation: true }`, "{}")
			p.do("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
			if n := p.coloured("send", 100); n < 2000 {
				t.Errorf("%d pixels have the cursor's colour; the label is not seen", n)
			}
			if n := p.colouredAtEdge(); n != 0 {
				t.Errorf("%d pixels at the window's edge have the cursor's colour; the label goes on beyond it", n)
			}
			p.press(kb.Escape)
			p.came("denied")
		})
	}
}

// colouredAtEdge counts the pixels of the cursor's colour along the edges of the window.
func (p *tab) colouredAtEdge() int {
	p.T.Helper()
	shot, err := p.Screenshot(suite.Within(p.T))
	p.must(err)
	picture, err := png.Decode(bytes.NewReader(shot))
	p.must(err)
	inside := picture.Bounds().Inset(3)
	return countColoured(picture, picture.Bounds()) - countColoured(picture, inside)
}

// coloured counts the pixels of the cursor's colour on and around the element with that id.
func (p *tab) coloured(id string, around int) int {
	p.T.Helper()
	shot, err := p.Screenshot(suite.Within(p.T))
	p.must(err)
	picture, err := png.Decode(bytes.NewReader(shot))
	p.must(err)
	box := see[struct{ X, Y, Width, Height float64 }](p, fmt.Sprintf("document.getElementById(%q).getBoundingClientRect().toJSON()", id))
	region := image.Rect(int(box.X), int(box.Y), int(box.X+box.Width), int(box.Y+box.Height)).Inset(-around).Intersect(picture.Bounds())
	return countColoured(picture, region)
}

func countColoured(picture image.Image, region image.Rectangle) int {
	count := 0
	for y := region.Min.Y; y < region.Max.Y; y++ {
		for x := region.Min.X; x < region.Max.X; x++ {
			if r, g, b, _ := picture.At(x, y).RGBA(); near(r, 217) && near(g, 72) && near(b, 15) {
				count++
			}
		}
	}
	return count
}

// near compares a colour of 16 bits with one of 8.
func near(got uint32, want int) bool {
	difference := int(got>>8) - want
	return -8 <= difference && difference <= 8
}
