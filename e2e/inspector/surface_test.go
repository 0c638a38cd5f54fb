package inspector

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// rows waits until the shown list begins with these rows.
func (p *tab) rows(names ...string) {
	p.T.Helper()
	p.Until(fmt.Sprintf("lab.rows().join().startsWith(%q)", strings.Join(names, ",")))
}

// active is the row that has the focus.
func (p *tab) active() string {
	p.T.Helper()
	return see[string](p, `lab.root.activeElement?.getAttribute("aria-label") ?? ""`)
}

// TestSurfaceIsATree walks it by keyboard, as ARIA says how.
func TestSurfaceIsATree(t *testing.T) {
	p := open(t, "")
	p.rows("shop", "offers, available, read", "open, available, navigation", "shop.cart", "content, available, read")
	see[bool](p, `(lab.root.querySelector("[role=treeitem]").focus(), true)`)
	for _, step := range []struct{ keys, at string }{
		{kb.ArrowDown, "shop"},
		{kb.ArrowDown, "offers, available, read"},
		{kb.ArrowUp, "shop"},
		{kb.ArrowRight, "offers, available, read"},
		{kb.ArrowLeft, "shop"},
		{kb.ArrowLeft, "shop"}, // closes it
		{kb.ArrowDown, "shop.admin"},
		{kb.End, "discount, hidden, local-state"},
		{kb.ArrowRight, "discount, hidden, local-state"}, // opens its policies
		{kb.ArrowRight, "policy authenticated, hide"},
		{kb.Home, "shop"},
	} {
		if p.press(step.keys); p.active() != step.at {
			t.Fatalf("after %q the focus is at %q; want %q", step.keys, p.active(), step.at)
		}
	}
	if got := see[int](p, `[...lab.root.querySelectorAll("[role=treeitem]")].filter((row) => row.tabIndex === 0).length`); got != 1 {
		t.Errorf("%d rows are within reach of Tab; want one", got)
	}
	cart := p.find("treeitem", "shop")
	if cart.Properties["expanded"] != "false" || cart.Properties["level"] != "1" || !cart.Is("focused") {
		t.Errorf("assistive technology is told %v", cart.Properties)
	}
}

// TestSurfaceSaysWhy: each state with its reason, for the consumer that is chosen.
func TestSurfaceSaysWhy(t *testing.T) {
	p := open(t, `{ options: { contract: { capabilities: [{ capabilityId: "view:shop.cart.pay", effect: "navigation", confirmation: "never", declaration: "cart.js#contract", hash: "0f" }] } } }`)
	p.row("pay")
	p.says(".about", "The cart is empty")
	p.says(".more", "cart.js#contract")
	p.row("discount")
	p.says(".about", "authenticated hides it")
	p.says(".more", "office-hours")
	see[bool](p, `(lab.user = { id: 1 }, lab.full = true, lab.registry.invalidate(), true)`)
	p.says(".about", "The office is closed")
	p.row("pay, available")
	p.write("combobox", "as", "webmcp:somebody"+kb.Enter)
	p.says(".call", "Call as webmcp:somebody")
	p.write("combobox", "as", "robot:x"+kb.Tab)
	if got := p.find("combobox", "as").Properties["invalid"]; got != `true` && got != `"true"` {
		t.Errorf("a consumer of no kind is taken: invalid is %s", got)
	}
	p.write("searchbox", "Filter capabilities", "cancel")
	p.rows("shop.cart", "orders.cancel, available, destructive")
}

// TestCallByHand fills the form that the schema makes.
func TestCallByHand(t *testing.T) {
	p := open(t, "")
	p.row("add,")
	p.write("textbox", "sku *", "tea")
	p.write("textbox", "count *", "many")
	p.click("button", "Call")
	p.says(".problem", "count is not a number")
	p.write("textbox", "count *", "7")
	p.write("textbox", "zip", "abc")
	p.click("button", "Call")
	p.says(".trial", "INVALID_INPUT")
	p.write("textbox", "zip", "89073")
	p.write("textbox", "city *", "Ulm")
	p.write("textbox", "notes", `["soon"]`)
	p.click("button", "Call")
	p.says(".trial", `"rows": 1`)
	p.keep("called.png")
	want := `[{"sku":"tea","count":7,"address":{"city":"Ulm","zip":"89073"},"notes":["soon"]}]`
	if got := see[string](p, "JSON.stringify(lab.ran)"); got != want {
		t.Errorf("the handler got %s; want %s", got, want)
	}
	p.click("button", "As JSON")
	p.write("textbox", "Input as JSON", `{"sku":"mug","count":1}`)
	p.click("button", "Call")
	p.Until(`lab.ran.length === 2 && lab.ran[1].sku === "mug"`)
	p.row("offers")
	p.click("button", "Call")
	p.says(".trial", `"price": 4`)
}

// TestHostileTexts: what a page, or an agent, says is text, of a bounded length.
func TestHostileTexts(t *testing.T) {
	p := open(t, `{ components: (runtime) => [{
		type: "evil", description: "<img src=x onerror='lab.ran.push(1)'>\u202e\u0000".padEnd(500, "x"),
		actions: { go: { title: "<b>go</b>", description: "<script>lab.ran.push(2)</script>", effect: "local-state", input: runtime.fromJsonSchema({ type: "object" }),
			when: () => false, unavailableReason: "<svg onload='lab.ran.push(3)'>".padEnd(290, "y"), execute: () => undefined } },
	}] }`)
	p.row("go")
	p.says(".about", "<script>lab.ran.push(2)</script>")
	p.row("evil")
	p.says(".about", `\u{202e}`)
	see[bool](p, `lab.call("view:evil.go", { text: "<img src=x onerror='lab.ran.push(4)'>" + "z".repeat(100000) }).then(() => true)`)
	p.tab("Calls")
	p.row("view:evil.go")
	p.says(".details", "characters)")
	if got := see[[]int](p, "lab.ran"); len(got) > 0 {
		t.Errorf("these ran: %v", got)
	}
	if got := see[int](p, `lab.root.querySelectorAll("img, script, b, [onload]").length`); got > 0 {
		t.Errorf("%d elements were made of text", got)
	}
}

// TestManyCapabilities: of a thousand, only those in sight are elements.
func TestManyCapabilities(t *testing.T) {
	p := open(t, "{ components: lab.many(1000) }")
	const most = 900
	p.says(".toolbar", "1000 capabilities")
	see[bool](p, `(lab.root.querySelector("[role=treeitem]").focus(), true)`)
	p.write("searchbox", "Filter capabilities", "do") // opens all
	p.Until(`lab.root.querySelector("[role=tree]").offsetHeight >= 1100 * 28`)
	nodes := see[int](p, "lab.nodes()")
	if nodes > most {
		t.Errorf("%d elements; want at most %d", nodes, most)
	}
	took := see[map[string]int](p, `lab.frames(async () => {
		const list = lab.root.querySelector(".rows");
		for (let y = 0; y < 30000; y += 1500) { list.scrollTop = y; await new Promise(requestAnimationFrame); }
		list.scrollTop = list.scrollHeight;
	})`)
	p.Until(`lab.rows().at(-1) === "doj, available, local-state"`)
	if nodes := see[int](p, "lab.nodes()"); nodes > most {
		t.Errorf("%d elements after scrolling; want at most %d", nodes, most)
	}
	t.Logf("scrolling through 1,100 rows: %v; %d elements", took, nodes)
}
