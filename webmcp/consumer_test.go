package webmcp

import (
	"strings"
	"testing"
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/host"
	"github.com/pagewarden/pagewarden/registry"
)

// TestOneConsumerIDForTwoAdapters is hardly ever meant, so developers are told; not of one that is started again.
func TestOneConsumerIDForTwoAdapters(t *testing.T) {
	h := host.NewFake(time.Unix(1000, 0))
	defer h.Close()
	var logs []string
	r, err := registry.New(registry.Options{
		Authority: contract.NewOpenAuthority(contract.OpenOptions{}), Environment: capability.Development, Host: h,
		Log: func(text string) { logs = append(logs, text) },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Dispose()
	start := func() *Adapter {
		adapter := New(Options{Host: h})
		if err := adapter.Start(Host{Registry: r, Consumer: browserAgent}); err != nil {
			t.Fatal(err)
		}
		return adapter
	}
	warned := func() bool { return strings.Contains(strings.Join(logs, "\n"), `have the consumer id "browser-agent"`) }
	first := start()
	first.Stop()
	first = start()
	if warned() {
		t.Errorf("an adapter that was started again was warned of: %q", logs)
	}
	second := start()
	if !warned() {
		t.Errorf("developers were not told of the second adapter: %q", logs)
	}
	first.Stop()
	second.Stop()
}
