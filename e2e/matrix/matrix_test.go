package matrix

import (
	"flag"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pagewarden/pagewarden/browser"
)

// behaviour is one row of the table.
type behaviour struct {
	name string
	run  func(*world)
	// leaves says that it takes the tab to other pages, so that the next one needs the page anew.
	leaves bool
}

func behaviours() []behaviour {
	return []behaviour{
		{name: "surface", run: itsSurface},
		{name: "every kind", run: everyKind},
		{name: "typed refusal", run: typedRefusal},
		{name: "whole error payload", run: wholeErrorPayload},
		{name: "comes and goes", run: comesAndGoes},
		{name: "name taken", run: nameTaken},
		{name: "two registries", run: twoRegistries},
		{name: "iframe", run: inAnIframe},
		{name: "500 tools", run: fiveHundredTools},
		{name: "200 changes in a turn", run: manyChanges},
		{name: "remount in flight", run: remountInFlight},
		{name: "removed by its success", run: removedByItsSuccess},
		{name: "abort before", run: abortedBefore},
		{name: "abort while a person decides", run: abortedWaiting},
		{name: "abort in the handler", run: abortedRunning},
		{name: "signal on abort", run: signalOnAbort},
		{name: "protocol: call", run: protocolCall},
		{name: "protocol: abort", run: protocolAbort},
		{name: "hidden and shown", run: hiddenAndShown},
		{name: "back and forward", run: backAndForward, leaves: true},
		{name: "32 kB and more", run: largeResults},
		{name: "non-ASCII", run: nonASCII},
		{name: "confirmed by the page", run: confirmedByThePage},
		{name: "requestUserInteraction", run: confirmedByTheClient},
		{name: "provideContext", run: wholeSet},
		{name: "stop and start", run: stopAndStart},
		{name: "web tool", run: webTool},
		{name: "web tool: a person's press", run: webToolPressed},
		{name: "pagewarden commands", run: commands},
		{name: "over MCP", run: overMCP},
		{name: "page in Go", run: goPage, leaves: true},
	}
}

func TestMatrix(t *testing.T) {
	var columns, rows []string
	for _, h := range hosts() {
		columns = append(columns, h.name)
	}
	for _, b := range behaviours() {
		rows = append(rows, b.name)
	}
	fixture.table = newTable(columns, rows)
	for _, h := range hosts() {
		t.Run(h.folder(), func(t *testing.T) { runHost(t, h) })
	}
	if filter := flag.Lookup("test.run").Value.String(); !strings.Contains(filter, "/") {
		for _, cell := range fixture.table.missing() {
			t.Errorf("%s was not tried", cell)
		}
	}
}

// runHost fills a column.
func runHost(t *testing.T, h host) {
	began := time.Now()
	b, w := h.start(t)
	for _, row := range behaviours() {
		if slices.Contains(notApplicable()[row.name], h.name) {
			continue
		}
		entry := "" // while the run is for others alone
		t.Run(row.name, func(t *testing.T) {
			at := w.at(t)
			entry = failedIt // unless it comes to its end
			defer func() { fixture.table.set(row.name, h.name, entry) }()
			row.run(at)
			if row.leaves {
				at.anew()
			}
			at.tidy()
			if !t.Failed() {
				entry = passed
			}
		})
		if entry == failedIt {
			w.anew() // what it has left must not be the next one's
		}
	}
	fixture.table.note("%s: %s, %.1f s", h.name, b.Version(), time.Since(began).Seconds())
}

// start starts a host's browser and opens its page. A host for which that fails fails in every behaviour.
func (h host) start(t *testing.T) (b *browser.Browser, w *world) {
	started := false
	for _, row := range behaviours() {
		if slices.Contains(notApplicable()[row.name], h.name) {
			fixture.table.set(row.name, h.name, notThere)
		}
	}
	defer func() {
		for _, row := range behaviours() {
			if !started && !slices.Contains(notApplicable()[row.name], h.name) {
				fixture.table.set(row.name, h.name, failedIt)
			}
		}
	}()
	b = h.launch(t)
	w = h.open(t, b)
	started = true
	return b, w
}

// TestNotApplicable holds the exceptions: 42 cells with the builds that there were when this was written, and two with
// each later one. Each is of a behaviour and a host that exist.
func TestNotApplicable(t *testing.T) {
	const atFirst, withHosts, withEach = 42, 11, 2
	cells := 0
	for row, columns := range notApplicable() {
		if !slices.ContainsFunc(behaviours(), func(b behaviour) bool { return b.name == row }) {
			t.Errorf("no behaviour is called %q", row)
		}
		for _, column := range columns {
			cells++
			if !slices.ContainsFunc(hosts(), func(h host) bool { return h.name == column }) {
				t.Errorf("no host is called %q", column)
			}
		}
	}
	if want := atFirst + withEach*(len(hosts())-withHosts); cells != want {
		t.Errorf("%d cells are not applicable; want %d", cells, want)
	}
}
