package e2e

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/e2e/internal/site"
)

// before is what docs/contract.md takes for granted: a runtime, and the application.
const before = `
import { load } from "pagewarden";
const runtime = await load({ wasm: "/pagewarden.wasm" });
const is = (got, want) => { if (got !== want) throw new Error("got " + got + ", want " + want); };
const user = "ada", loaded = true, forecast = (city) => "Sun in " + city;
let selected = ["d1"];
const select = (ids) => { selected = ids; };
`

// after uses what the guide has made, the binding that it leaves for a component included.
const after = `
registry.setProcedureExecutor({ execute: async ({ input }) => input.ids.length });
registry.register(table.bind({
  instanceId: "other", policies: [runtime.authenticated()], procedures: [disabling],
  observations: { selection: { read: () => [] } }, actions: { select: { execute() {} } },
}));
const call = (capabilityId, input, confirmationId) => registry.invoke({
  capabilityId, input, confirmationId, ...(capabilityId.startsWith("view:") && { instanceId: "main" }),
});
const changed = await call("view:devices.table.select", { ids: ["d2", "d3"] });
const read = await call("view:devices.table.selection", {});
const asked = await call("domain:devices.disable", { reason: "old" });
registry.confirmations.resolve(asked.error.details.confirmationId, { approved: true });
const done = await call("domain:devices.disable", { reason: "old" }, asked.error.details.confirmationId);
globalThis.seen = [changed.status, read.output.join(), asked.error.code, done.output].join(" ");
`

// TestContractGuide runs the JavaScript of docs/contract.md in a page, under the contract that the compiler makes of it.
func TestContractGuide(t *testing.T) {
	script := before + guideScript(t) + after
	contract, err := site.Contract(t.Context(), script)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"view:devices.table.select", "view:devices.table.selection", "domain:devices.disable", "external:weather.today"} {
		if !strings.Contains(string(contract), fmt.Sprintf("%q", id)) {
			t.Errorf("the contract lacks %s:\n%s", id, contract)
		}
	}
	p := openPage(t, `<!doctype html><script type="importmap">{ "imports": { "pagewarden": "/pagewarden.mjs" } }</script>
		<script>addEventListener("error", (event) => { globalThis.seen = event.message; });
		addEventListener("unhandledrejection", (event) => { globalThis.seen = String(event.reason); });</script>
		<script type="module" src="guide.js"></script>`, map[string]string{"/guide.js": script, site.ContractPath: string(contract)})
	p.Until("globalThis.seen !== undefined")
	if seen := see[string](p, "globalThis.seen"); seen != "ok d2,d3 CONFIRMATION_REQUIRED 2" {
		t.Errorf("the page saw %q", seen)
	}
}

// guideScript is the guide's JavaScript with its arrows turned into checks. The guide says how to bind before it says what
// the registry is made of; a page has the registry first.
func guideScript(t *testing.T) string {
	t.Helper()
	found := regexp.MustCompile("(?s)```(?:js|javascript)\n(.*?)```").FindAllStringSubmatch(fixture.Text(t, "docs/contract.md"), -1)
	if len(found) != 5 {
		t.Fatalf("docs/contract.md has %d pieces of JavaScript; this test knows of 5", len(found))
	}
	var script strings.Builder
	for _, at := range []int{0, 2, 3, 1, 4} {
		script.WriteString(found[at][1])
	}
	arrow := regexp.MustCompile(`(?m)^(.*); // → (.*)$`)
	if count := len(arrow.FindAllString(script.String(), -1)); count != 3 {
		t.Errorf("%d arrows are checked, of 3", count)
	}
	return arrow.ReplaceAllString(script.String(), "is($1, $2);")
}
