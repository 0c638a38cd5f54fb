package review_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/contract/compiler"
	"github.com/pagewarden/pagewarden/contract/review"
)

var update = flag.Bool("update", false, "write the golden files anew")

// reports are one of each kind, with all that a rendering can stumble over.
func reports() map[string]*review.Report {
	before, after := disable(), disable()
	after.Confirmation, after.Policies, after.Description = capability.Optional, after.Policies[:1], "Disable `devices` | <b>all</b>\n\u202eesrever"
	after.InputSchema = `{"properties":{"ids":{"type":"array"},"why":{"type":"string"}},"required":["why"],"type":"object"}`
	lamp := contract.Entry{CapabilityID: "view:lamp.turn", Kind: capability.Action, Effect: capability.LocalState, Description: "Turn the lamp", Declaration: "src/lamp.ts#lamp", Origin: contract.FirstParty}
	old, fresh := manifest(before), manifest(after, lamp)
	state := contract.Entry{CapabilityID: "view:lamp.state", Kind: capability.Observation, Effect: capability.Read, Description: "On or off", Declaration: "src/lamp.ts#lamp", Origin: contract.FirstParty}
	return map[string]*review.Report{
		"clean": {Command: "check", State: review.Current, Hash: old.Hash, Policy: review.PolicyAll},
		"stale": {Command: "check", Folder: "web/app/", State: review.Stale, Hash: old.Hash, Changes: review.Compare(old, fresh), Policy: review.PolicyAll},
		"drift": {Command: "check", State: review.Current, Hash: fresh.Hash, Base: &review.Drift{Ref: "origin/main", Changes: review.Compare(old, fresh)}, Policy: review.PolicyWidening},
		"problems": {Command: "check", Folder: "web/app/", State: review.Unread, Policy: review.PolicyAll, Problems: []compiler.Problem{
			{File: "src/lamp.ts", Line: 3, Column: 14, Expression: "navigator.onLine ? `a|b` : 50%", Message: "a condition is not known before the page runs", Fix: "declare both"},
			{Message: "there is something\nwithout a place"},
		}},
		"damaged":  {Command: "check", State: review.Damaged, Reason: "hash: does not fit", Policy: review.PolicyAll},
		"missing":  {Command: "check", State: review.Missing, Policy: review.PolicyAll, Changes: review.Compare(nil, manifest(lamp))},
		"snapshot": {Command: "snapshot", State: review.Updated, Hash: "0123", Changes: review.Compare(fresh, old), Policy: review.PolicyAll},
		"created":  {Command: "snapshot", State: review.Created, Hash: "0123", Changes: review.Compare(nil, manifest(lamp)), Policy: review.PolicyAll},
		"inspect":  {Command: "inspect", State: review.Committed, Hash: "0123", Capabilities: review.Inventory(manifest(state, lamp, before)), Policy: review.PolicyAll},
	}
}

// TestGolden compares every format of every report with testdata. The files pin: the order and wording of each format,
// that Markdown cells keep their borders, that workflow commands stay one line each, and that text of a source can
// neither move a cursor nor turn a line around.
func TestGolden(t *testing.T) {
	for name, report := range reports() {
		for _, format := range review.Formats() {
			for _, verbosity := range review.Verbosities() {
				if format == review.JSON && verbosity != review.Normal {
					continue
				}
				t.Run(name+"/"+string(format)+"/"+string(verbosity), func(t *testing.T) {
					var out bytes.Buffer
					if err := report.Write(&out, format, verbosity); err != nil {
						t.Fatal(err)
					}
					golden(t, filepath.Join("testdata", name+"."+string(format)+"."+string(verbosity)+".txt"), out.Bytes())
				})
			}
		}
	}
}

func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s: got\n%s\nwant\n%s", path, got, want)
	}
}

func TestJSONSaysEverything(t *testing.T) {
	var least, most bytes.Buffer
	report := reports()["drift"]
	for _, w := range []struct {
		out       *bytes.Buffer
		verbosity review.Verbosity
	}{{&least, review.Min}, {&most, review.Detail}} {
		if err := report.Write(w.out, review.JSON, w.verbosity); err != nil {
			t.Fatal(err)
		}
	}
	if least.String() != most.String() || !json.Valid(least.Bytes()) {
		t.Errorf("least %s\nmost %s", &least, &most)
	}
}

func TestFindings(t *testing.T) {
	all := reports()
	for _, test := range []struct {
		report string
		policy review.Policy
		want   int
	}{
		{"clean", review.PolicyAll, 0}, {"stale", review.PolicyNone, 1}, {"problems", review.PolicyNone, 2}, {"damaged", review.PolicyNone, 1},
		{"missing", review.PolicyNone, 1}, {"snapshot", review.PolicyAll, 0}, {"inspect", review.PolicyAll, 0},
		{"drift", review.PolicyAll, 5}, {"drift", review.PolicyWidening, 3}, {"drift", review.PolicyNarrowing, 0}, {"drift", review.PolicyNeutral, 2}, {"drift", review.PolicyNone, 0},
	} {
		report := *all[test.report]
		report.Policy = test.policy
		if got := report.Findings(); got != test.want {
			t.Errorf("%s under %s has %d findings; want %d", test.report, test.policy, got, test.want)
		}
	}
}

func TestNoFormatLetsTextOut(t *testing.T) {
	for name, report := range reports() {
		for _, format := range []review.Format{review.Human, review.Markdown, review.GitHub} {
			var out bytes.Buffer
			if err := report.Write(&out, format, review.Detail); err != nil {
				t.Fatal(err)
			}
			if strings.ContainsAny(out.String(), "\u202e\x1b\r") {
				t.Errorf("%s as %s holds control characters", name, format)
			}
			for line := range strings.Lines(out.String()) {
				if strings.HasSuffix(strings.TrimRight(line, "\n"), " ") {
					t.Errorf("%s as %s: a line ends with a space: %q", name, format, line)
				}
			}
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWritingFails(t *testing.T) {
	for _, format := range review.Formats() {
		if err := reports()["clean"].Write(full{}, format, review.Normal); err == nil || !strings.Contains(err.Error(), "writing the report: disk full") {
			t.Errorf("%s: error %v", format, err)
		}
	}
}
