package dialog

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"testing"

	"github.com/pagewarden/pagewarden/e2e/internal/person"
	"github.com/pagewarden/pagewarden/e2e/internal/suite"
)

// picture is what the person sees of the page.
func (p *tab) picture() image.Image {
	p.T.Helper()
	content, err := p.Screenshot(suite.Within(p.T))
	p.must(err)
	picture, err := png.Decode(bytes.NewReader(content))
	p.must(err)
	return picture
}

// box is where an element is.
func (p *tab) box(e *person.Element) person.Box {
	p.T.Helper()
	if e == nil {
		p.T.Fatal("there is no such element")
	}
	box, err := p.me.Box(suite.Within(p.T), e)
	p.must(err)
	return box
}

// pixels is a part of a picture; density is device pixels to a CSS pixel. Without its edge, where it meets the page.
func pixels(of image.Image, box person.Box, density float64) image.Rectangle {
	return image.Rect(int(box.X*density), int(box.Y*density), int((box.X+box.Width)*density), int((box.Y+box.Height)*density)).
		Inset(2).Intersect(of.Bounds())
}

// same reports whether two pictures look the same there, but for the corners, which are round. It compares the mean
// colours of small squares: where a page begins to scroll, some browsers draw everything a part of a pixel away.
func same(a, b image.Image, part image.Rectangle) bool {
	const side, tolerance = 8, 0x0800
	for y := part.Min.Y; y < part.Max.Y; y += side {
		for x := part.Min.X; x < part.Max.X; x += side {
			corner := (x < part.Min.X+16 || x >= part.Max.X-16) && (y < part.Min.Y+16 || y >= part.Max.Y-16)
			square := image.Rect(x, y, x+side, y+side).Intersect(part)
			if !corner && distance(mean(a, square), mean(b, square)) > tolerance {
				return false
			}
		}
	}
	return true
}

// mean is the mean colour of a part of a picture.
func mean(of image.Image, part image.Rectangle) [3]int {
	var sum [3]int
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			r, g, b, _ := of.At(x, y).RGBA()
			sum[0], sum[1], sum[2] = sum[0]+int(r), sum[1]+int(g), sum[2]+int(b)
		}
	}
	n := part.Dx() * part.Dy()
	return [3]int{sum[0] / n, sum[1] / n, sum[2] / n}
}

// distance is by how much two colours differ in the part that differs most.
func distance(a, b [3]int) int {
	most := 0
	for i := range a {
		most = max(most, a[i]-b[i], b[i]-a[i])
	}
	return most
}

// TestPageCannotRestyleIt: whatever the page's style sheets, attributes, fonts and scripts say, the dialog looks as it
// did, and works.
func TestPageCannotRestyleIt(t *testing.T) {
	sheet := func(rules string) string {
		return fmt.Sprintf(`const style = document.createElement("style"); style.textContent = %q; document.head.append(style)`, rules)
	}
	for name, script := range map[string]string{
		"every inherited property": sheet(`* { color: red !important; font: 9px serif !important; letter-spacing: 9px !important; text-transform: uppercase !important;
			visibility: hidden !important; -webkit-text-fill-color: transparent !important; -webkit-text-security: disc !important; direction: rtl !important;
			writing-mode: vertical-rl !important; cursor: none !important; line-height: 0 !important; word-spacing: 40px !important; text-indent: 90px !important;
			white-space: nowrap !important; pointer-events: none !important; user-select: all !important; quotes: none !important; color-scheme: dark !important;
			text-shadow: 0 0 9px red !important; font-size-adjust: 3 !important; stroke: red !important; interactivity: inert !important; }`),
		"every effect":             sheet(`* { opacity: 0.1 !important; filter: blur(9px) !important; clip-path: inset(45%) !important; mix-blend-mode: difference !important; transform: scale(0.1) !important; mask: linear-gradient(transparent, transparent) !important; contain: strict !important; }`),
		"rules for its parts":      sheet(`dialog, button, table, [role], ::part(body), :host, [data-pagewarden] * { display: none !important } ::backdrop { background: white !important } ::selection { color: white; background: white }`),
		"the host's own style":     `host.style.cssText = "all: unset !important; display: none !important; visibility: hidden !important; opacity: 0 !important; color: white !important"`,
		"attributes of the host":   `for (const name of ["hidden", "inert", "popover", "contenteditable", "autofocus"]) host.setAttribute(name, ""); host.dir = "rtl"; host.slot = "x"; host.setAttribute("aria-hidden", "true"); host.setAttribute("role", "none")`,
		"attributes of the page":   `for (const one of [document.documentElement, document.body]) { one.inert = true; one.dir = "rtl"; one.contentEditable = "true"; one.setAttribute("aria-hidden", "true"); }`,
		"animations of the host":   `host.animate([{ visibility: "hidden", color: "red", fontSize: "4px", opacity: 0 }], { duration: 1e9, fill: "both" })`,
		"transitions of the host":  sheet(`[data-pagewarden] { transition: all 1000s !important; } [data-pagewarden].x { color: red !important; font-size: 50px !important }`) + `; host.className = "x"`,
		"an editable document":     `document.designMode = "on"; getSelection().selectAllChildren(document.documentElement); document.execCommand("foreColor", false, "red"); document.execCommand("delete")`,
		"fonts of the same names":  `const face = (family) => document.fonts.add(new FontFace(family, "local('Liberation Serif'), local('DejaVu Serif')")); ["system-ui", "sans-serif", "monospace", "serif"].forEach(face); return document.fonts.ready.then(() => Promise.all([...document.fonts].map((one) => one.load().catch(() => {})))).then(() => true)`,
		"properties of that type":  `for (const name of ["--a", "--text", "--background", "--color"]) CSS.registerProperty({ name, syntax: "<color>", inherits: true, initialValue: "white" })`,
		"scrolling and full of it": `document.body.style.cssText = "height: 9000px; background: repeating-linear-gradient(red 0 9px, blue 9px 18px)"; scrollTo(0, 3000)`,
	} {
		t.Run(name, func(t *testing.T) {
			p := open(t, "{ faked: true }")
			p.Expected = []string{"Blocked aria-hidden"} // the browser knows better
			p.ask(`{ sku: "tea", note: "\u202e" }`, destructive)
			see[any](p, "lab.clock.advance(500)")
			before, box := p.picture(), p.box(p.dialog())
			see[any](p, fmt.Sprintf(`(() => { const host = document.querySelector("[data-pagewarden]"); %s; return true; })()`, script))
			p.settle()
			if after := p.picture(); !same(before, after, pixels(before, box, 1)) {
				t.Error("the dialog looks different")
			}
			see[any](p, "lab.clock.advance(500)")
			at := person.Point{X: box.X + box.Width - 60, Y: box.Y + box.Height - 33}
			p.must(p.me.ClickAt(suite.Within(t), at))
			p.came("approved")
		})
	}
}

// TestContrast measures, on the picture, every text of the dialog: the colour of its letters against what they stand on.
func TestContrast(t *testing.T) {
	const density, least = 3, 4.5
	for _, scheme := range []string{"light", "dark"} {
		for _, capability := range []string{clearCart, "domain:shop.server-mutation", destructive} {
			t.Run(scheme+" "+capability, func(t *testing.T) {
				p := open(t, "{ faked: true }")
				p.must(p.me.Prefer(suite.Within(t), map[string]string{"prefers-color-scheme": scheme}))
				p.must(p.me.Resize(suite.Within(t), 900, 1000, density))
				p.ask(`{ count: 2, empty: "", hidden: "a\u202eb", list: [] }`, capability)
				see[string](p, fmt.Sprintf(`lab.ask({ none: null, long: "x".repeat(300) }, %q)`, capability))
				for _, ms := range []string{"0", "500"} { // Approve before and after it works
					see[any](p, "lab.clock.advance("+ms+")")
					p.contrast(density, least)
				}
				p.click("Deny")
				p.Until("lab.shown.length === 2")
				p.contrast(density, least)
			})
		}
	}
}

func (p *tab) contrast(density, least float64) {
	p.T.Helper()
	picture, measured := p.picture(), 0
	read := func(e *person.Element) {
		box, err := p.me.Box(suite.Within(p.T), e)
		if err != nil || box.Height < 8 {
			return // not drawn
		}
		measured++
		if ratio := contrastIn(picture, pixels(picture, box, density)); ratio < least {
			p.T.Errorf("%s has the contrast %.2f", e, ratio)
		}
	}
	p.dialog().Each(func(e *person.Element) {
		if e.Role != "columnheader" && e.Role != "status" {
			for _, child := range e.Children {
				if child.Role == "StaticText" {
					read(child)
				}
			}
		}
	})
	if measured < 20 {
		p.T.Errorf("only %d texts were measured", measured)
	}
}

// contrastIn is the contrast, as WCAG defines it, between the most frequent colour of a part and the one that differs
// from it most.
func contrastIn(picture image.Image, part image.Rectangle) float64 {
	count := map[[3]uint32]int{}
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			r, g, b, _ := picture.At(x, y).RGBA()
			count[[3]uint32{r, g, b}]++
		}
	}
	var ground [3]uint32
	for colour, n := range count {
		if n > count[ground] {
			ground = colour
		}
	}
	most := 1.0
	for colour := range count {
		most = max(most, contrast(luminance(colour), luminance(ground)))
	}
	return most
}

// TestForcedColours: with the system's own colours, everything that tells by colour still tells.
func TestForcedColours(t *testing.T) {
	p := open(t, "{ faked: true }")
	p.must(p.me.Prefer(suite.Within(t), map[string]string{"forced-colors": "active", "prefers-color-scheme": "dark"}))
	p.must(p.me.Resize(suite.Within(t), 900, 900, 4))
	p.ask(`{ sku: "tea", a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7 }`, destructive)
	see[string](p, "lab.ask()")
	see[any](p, "lab.clock.advance(500)")
	p.contrast(4, 4.5)
}

// TestNothingMoves: there are no animations to be reduced; a page could reach their targets besides.
func TestNothingMoves(t *testing.T) {
	for _, motion := range []string{"no-preference", "reduce"} {
		p := open(t, "{ faked: true }")
		p.must(p.me.Prefer(suite.Within(t), map[string]string{"prefers-reduced-motion": motion}))
		p.ask(`{}`, destructive)
		first := p.picture()
		p.settle()
		if !same(first, p.picture(), first.Bounds()) {
			t.Errorf("with the preference %s, something moves", motion)
		}
	}
}

// TestSmallScreens: all of the dialog is on a small screen, and the buttons are large enough for fingers.
func TestSmallScreens(t *testing.T) {
	for _, size := range [][2]int64{{320, 480}, {360, 640}, {640, 320}, {1920, 1080}} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			p := open(t, "")
			p.must(p.me.Resize(suite.Within(t), size[0], size[1], 1))
			p.ask(`{ note: "word ".repeat(100), list: Array(50).fill("x".repeat(90)) }`, destructive)
			for _, e := range append(p.dialog().All("button"), p.dialog()) {
				box := p.box(e)
				if box.X < 0 || box.Y < 0 || box.X+box.Width > float64(size[0]) || box.Y+box.Height > float64(size[1]) || box.Height < 32 {
					t.Errorf("%s is at %+v", e, box)
				}
			}
			p.armed()
			p.click("Approve")
			p.came("approved")
		})
	}
}

// TestTooSmallToRead: what nobody can read, nobody can approve. They are told.
func TestTooSmallToRead(t *testing.T) {
	p := open(t, "{ faked: true }")
	p.must(p.me.Resize(suite.Within(t), 180, 90, 1))
	see[string](p, "lab.ask()")
	p.Until(`document.querySelector("[data-pagewarden]") !== null`)
	p.settle()
	see[any](p, "lab.clock.advance(1000)")
	if !p.button("Approve").Is("disabled") || p.dialog().Find("status", "").Text() == "" {
		t.Errorf("it says %q", p.dialog().Text())
	}
	p.click("Approve")
	p.waits(1)
	p.must(p.me.Resize(suite.Within(t), 800, 600, 1))
	see[any](p, "lab.clock.advance(1000)")
	p.Until("lab.shown.length === 1")
	see[any](p, "lab.clock.advance(400)")
	p.click("Approve")
	p.came("approved")
}
