package adaptertest_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagewarden/pagewarden/adaptertest"
	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/host"
	"github.com/pagewarden/pagewarden/registry"
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

// TestOurAdaptersNatively makes each check on the host of ordinary programs, where calls have goroutines of their own.
func TestOurAdaptersNatively(t *testing.T) {
	for name, subject := range subjects() {
		for _, check := range adaptertest.Checks() {
			t.Run(name+"/"+check.Name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					r, err := registry.New(registry.Options{
						Authority: contract.NewOpenAuthority(contract.OpenOptions{}), Environment: capability.Test, Host: host.Native(),
					})
					if err != nil {
						t.Fatal(err)
					}
					defer r.Dispose()
					settle := func() {
						time.Sleep(100 * time.Millisecond) // of the bubble's time: a few native tasks
						synctest.Wait()
					}
					if err := check.Run(subject, adaptertest.Stage{Registry: r, Host: host.Native(), Settle: settle}); err != nil {
						t.Error(err)
					}
				})
			})
		}
	}
}
