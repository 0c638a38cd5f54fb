package toolset

import (
	"context"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/registry"
)

func (t *Toolset) metaTools() []Tool { return nil }

func (t *Toolset) startVerb(ctx context.Context, verb string, arguments capability.JSON, call Call, done func(registry.Result)) {
	done(t.answer(call.identity(), verb, capability.NotFound()))
}
