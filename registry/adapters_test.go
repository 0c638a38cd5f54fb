package registry

import (
	"testing"

	"github.com/pagewarden/pagewarden/capability"
)

func TestAttach(t *testing.T) {
	agent := func(id string, kind capability.ConsumerKind) capability.Consumer {
		return capability.Consumer{ID: id, Kind: kind}
	}
	for name, tt := range map[string]struct {
		environment capability.Environment
		second      capability.Consumer
		warned      bool
	}{
		"the same":                {capability.Development, agent("a", capability.EmbeddedConsumer), true},
		"the same id":             {capability.Development, agent("a", capability.WebMCPConsumer), true},
		"another":                 {capability.Development, agent("b", capability.EmbeddedConsumer), false},
		"the same, in production": {capability.Production, agent("a", capability.EmbeddedConsumer), false},
		"the same, while testing": {capability.Test, agent("a", capability.EmbeddedConsumer), false},
		"nobody beside an agent":  {capability.Development, capability.Consumer{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, onLoop(t), func(o *Options) { o.Environment = tt.environment })
			w.Attach("the first", agent("a", capability.EmbeddedConsumer))
			detach := w.Attach("the second", tt.second)
			want(t, "the warning", w.logged("two adapters, the first and the second, have the consumer id"), tt.warned)
			detach()
			detach()
		})
	}
}

func TestAttachAfterTheOtherHasGone(t *testing.T) {
	w := newWorld(t, onLoop(t))
	anybody := capability.AnonymousConsumer()
	detach := w.Attach("the first", anybody)
	detach()
	detach = w.Attach("the second", anybody)
	want(t, "a warning", w.logged("two adapters"), false)
	w.Dispose()
	w.Attach("the third", anybody)
	want(t, "a warning after the end", w.logged("two adapters"), false)
	detach()
}
