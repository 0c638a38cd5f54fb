package e2e

import (
	"fmt"
	"regexp"
	"testing"
)

// answer is what a worker's runtime gave.
type workerAnswer struct {
	Output    string
	Error     string
	SurfaceID string
	Adapter   string
}

func openWorkers(t *testing.T) tab {
	t.Helper()
	p := open(t, "loading/workers.html")
	p.Until("globalThis.offerWorker !== undefined")
	return p
}

// TestRuntimeInWorker loads in each kind of worker, soundly and not: an adapter there has nobody to offer tools to.
func TestRuntimeInWorker(t *testing.T) {
	p := openWorkers(t)
	p.Expected = []string{"/wrong/"}
	for _, kind := range []string{"classic", "module", "shared"} {
		t.Run(kind, func(t *testing.T) {
			got := see[workerAnswer](p, fmt.Sprintf(`inWorker(%q, "/pagewarden.wasm")`, kind))
			if got.Output != "there" || got.Adapter != "false none" {
				t.Errorf("the worker gave %+v", got)
			}
		})
	}
	for _, kind := range []string{"classic", "module"} {
		t.Run(kind+" without a module", func(t *testing.T) {
			got := see[workerAnswer](p, fmt.Sprintf(`inWorker(%q, "/wrong/missing.wasm")`, kind))
			if want := "pagewarden: loading /wrong/missing.wasm failed: the server answered 404"; got.Error != want {
				t.Errorf("the worker gave %+v; want %q", got, want)
			}
		})
	}
}

func TestSharedWorkerHasOneRuntime(t *testing.T) {
	p := openWorkers(t)
	got := see[[]workerAnswer](p, `share("/pagewarden.wasm")`)
	if len(got) != 2 || got[0].Output != "one" || got[1].Output != "two" {
		t.Errorf("the worker gave %+v", got)
	}
	if !regexp.MustCompile(`^srf_`).MatchString(got[0].SurfaceID) || got[0].SurfaceID == got[1].SurfaceID {
		t.Errorf("the connections have the surfaces %q and %q; want one each", got[0].SurfaceID, got[1].SurfaceID)
	}
}
