package compiler

import (
	"context"
	"fmt"

	"github.com/evanw/esbuild/pkg/api"
)

// Build is the module graph as it is at one time, or why there is none.
type Build struct {
	project Project
	graph   *graph
	err     error
}

// Compile is Compile for this graph.
func (b Build) Compile(ctx context.Context, approved map[string]string) (*Result, error) {
	if b.err != nil {
		return nil, b.err
	}
	return compile(ctx, Options{b.project, approved}, b.graph)
}

// Watch calls visit with the project's graph, and again whenever a file of it changed, one call after the other, until
// ctx ends. It looks at the files twice a second or so. The error says that it could not start.
func Watch(ctx context.Context, p Project, visit func(Build)) error {
	options, err := p.buildOptions()
	if err != nil {
		return err
	}
	options.Plugins = append(options.Plugins, api.Plugin{Name: "pagewarden-watch", Setup: func(build api.PluginBuild) {
		build.OnEnd(func(result *api.BuildResult) (api.OnEndResult, error) {
			if ctx.Err() == nil {
				g, err := graphOf(*result)
				visit(Build{p, g, err})
			}
			return api.OnEndResult{}, nil
		})
	}})
	building, failed := api.Context(options)
	if failed != nil {
		return buildError(failed.Errors)
	}
	defer building.Dispose()
	if err := building.Watch(api.WatchOptions{}); err != nil {
		return fmt.Errorf("watching the sources: %w", err)
	}
	<-ctx.Done()
	return nil
}
