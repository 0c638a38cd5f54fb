package adaptertest_test

import (
	"testing"

	"github.com/pagewarden/pagewarden/adaptertest"
	"github.com/pagewarden/pagewarden/toolset"
	"github.com/pagewarden/pagewarden/webmcp"
)

// subjects are our own adapters.
func subjects() map[string]adaptertest.Subject {
	subjects := map[string]adaptertest.Subject{
		"toolset that waits": {New: func() adaptertest.Adapter { return &direct{confirmations: toolset.Wait} }},
		"toolset in two phases": {
			New:    func() adaptertest.Adapter { return &direct{confirmations: toolset.TwoPhase} },
			Traits: adaptertest.Traits{TwoPhase: true},
		},
		"toolset in meta mode": {
			New:    func() adaptertest.Adapter { return &meta{} },
			Traits: adaptertest.Traits{ResolvesAtCall: true},
		},
		"test surface": {
			New:    func() adaptertest.Adapter { return &harness{} },
			Traits: adaptertest.Traits{TwoPhase: true},
		},
	}
	for _, style := range []webmcp.Style{webmcp.ByName, webmcp.WholeSet, webmcp.BySignal} {
		subjects["WebMCP "+string(style)] = adaptertest.Subject{
			New:    func() adaptertest.Adapter { return &browser{style: style} },
			Traits: adaptertest.Traits{OmitsUnavailable: true, UnnamedCalls: true},
		}
	}
	return subjects
}

func TestOurAdapters(t *testing.T) {
	for name, subject := range subjects() {
		t.Run(name, func(t *testing.T) { adaptertest.Test(t, subject) })
	}
}
