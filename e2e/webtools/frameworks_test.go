package webtools

import (
	"encoding/json"
	"reflect"
	"testing"
)

// TestApplicationsNotice: what the tool types is what the application's state says, in React and in Vue.
func TestApplicationsNotice(t *testing.T) {
	for _, framework := range []string{"react", "vue"} {
		t.Run(framework, func(t *testing.T) {
			p := openPage(t, framework+".html")
			p.Until("globalThis.lab !== undefined && document.getElementById('title') !== null")
			got := p.call(`{title: "Send order", params: ["title", "notes", "count", "when", "size", "tags", "pay", "gift", "extras"]}`,
				`{title: "tea", notes: "two\nlines", count: 3, when: "2026-01-31", size: "large", tags: ["a", "c"], pay: "card", gift: true, extras: ["card"]}`)
			if got.Error != "" || len(got.Unfilled) != 0 {
				t.Fatalf("the call gave %+v", got)
			}
			count := any("3")
			if framework == "vue" {
				count = 3.0 // v-model.number
			}
			want := map[string]any{
				"title": "TEA", "notes": "two\nlines", "count": count, "when": "2026-01-31", "size": "l", "tags": []any{"a", "c"}, "pay": "card", "gift": true, "extras": []any{"card"},
			}
			p.Until(`app.state.title === "TEA" && app.state.extras.length === 1`)
			if state := see[map[string]any](p, "JSON.parse(JSON.stringify(app.state))"); !reflect.DeepEqual(state, want) {
				t.Errorf("the state is %v, want %v", state, want)
			}
			// What the page shows is what the state says, and stays.
			p.do("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
			shown := see[map[string]any](p, `Object.fromEntries(["title", "notes", "count", "when", "size"].map((id) => [id, document.getElementById(id).value]))`)
			if shown["title"] != "TEA" || shown["notes"] != "two\nlines" || shown["count"] != "3" || shown["when"] != "2026-01-31" || shown["size"] != "l" {
				t.Errorf("the page shows %v", shown)
			}
			again := p.call(`{title: "Send order", params: ["tags", "pay", "gift", "extras"]}`, `{tags: [], pay: "cash", gift: false, extras: ["wrap"]}`)
			if again.Error != "" || len(again.Unfilled) != 0 {
				t.Fatalf("the second call gave %+v", again)
			}
			p.Until(`app.state.pay === "cash" && app.state.extras[0] === "wrap"`)
			state := see[json.RawMessage](p, "JSON.parse(JSON.stringify({ tags: app.state.tags, gift: app.state.gift, extras: app.state.extras }))")
			if string(state) != `{"tags":[],"gift":false,"extras":["wrap"]}` {
				t.Errorf("then the state is %s", state)
			}
		})
	}
}
