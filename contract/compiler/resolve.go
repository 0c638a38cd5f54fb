package compiler

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// buildOptions are those of a production build that writes nothing.
func (p Project) buildOptions() (api.BuildOptions, error) {
	loaders, err := p.loaders()
	if err != nil {
		return api.BuildOptions{}, err
	}
	return api.BuildOptions{
		AbsWorkingDir: p.Dir,
		EntryPoints:   p.Entries,
		Outdir:        filepath.Join(p.Dir, ".pagewarden", "out"), // named, never written
		Bundle:        true,
		Metafile:      true,
		Format:        api.FormatESModule,
		Platform:      api.PlatformBrowser,
		Target:        api.ESNext,
		External:      append([]string{"node:*"}, p.External...),
		Alias:         p.Alias,
		Conditions:    p.Conditions,
		Tsconfig:      p.Tsconfig,
		Loader:        loaders,
		// What a production build leaves out is not exposed by it.
		Define: map[string]string{
			"process.env.NODE_ENV": `"production"`,
			"import.meta.env.PROD": "true", "import.meta.env.DEV": "false", "import.meta.env.MODE": `"production"`,
		},
		Plugins:  []api.Plugin{p.plugin()},
		LogLevel: api.LogLevelSilent,
	}, nil
}

// plugin tells esbuild where a page's addresses lead, and what is no module.
func (p Project) plugin() api.Plugin {
	return api.Plugin{Name: "pagewarden", Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: `.*`}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
			return p.resolve(args), nil
		})
		build.OnLoad(api.OnLoadOptions{Filter: `.*`, Namespace: "file"}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
			if p.Loaders[filepath.Ext(args.Path)] != "" {
				return api.OnLoadResult{}, nil
			}
			return load(args.Path)
		})
	}}
}

// resolve answers for what esbuild cannot know: the package, and addresses of a page. Anything else is left to esbuild.
func (p Project) resolve(args api.OnResolveArgs) api.OnResolveResult {
	switch {
	case args.Kind == api.ResolveEntryPoint:
	case isPackage(args.Path) && !isRelative(args.Path):
		return api.OnResolveResult{Path: args.Path, External: true}
	case strings.HasPrefix(args.Path, "//"): // another server's
		return api.OnResolveResult{Path: args.Path, External: true}
	case strings.HasPrefix(args.Path, "/"):
		return p.resolveAddress(args.Path)
	case isRelative(args.Path) && isPackage(args.Path) && !isFile(filepath.Join(args.ResolveDir, filepath.FromSlash(args.Path))):
		return api.OnResolveResult{Path: args.Path, External: true} // served beside the page, and built elsewhere
	}
	return api.OnResolveResult{}
}

// resolveAddress finds the file behind an address of the page's own server. One that is not in the served folder is made
// at run time, and none of the project's sources.
func (p Project) resolveAddress(address string) api.OnResolveResult {
	name, _, _ := strings.Cut(address, "?")
	file := filepath.Join(p.Dir, filepath.FromSlash(p.Root), filepath.FromSlash(name))
	if isFile(file) {
		return api.OnResolveResult{Path: file}
	}
	return api.OnResolveResult{Path: address, External: true}
}

func isRelative(specifier string) bool {
	return strings.HasPrefix(specifier, "./") || strings.HasPrefix(specifier, "../")
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// load leaves JavaScript, TypeScript and JSON to esbuild, takes the scripts of a component, and makes an empty module of
// whatever else a bundler's plugins may take: style sheets, pictures.
func load(name string) (api.OnLoadResult, error) {
	switch {
	case isScript(name), strings.EqualFold(filepath.Ext(name), ".json"):
		return api.OnLoadResult{}, nil
	case isComponent(name):
		source, err := os.ReadFile(name)
		return loadComponent(name, string(source)), err
	}
	empty := ""
	return api.OnLoadResult{Contents: &empty, Loader: api.LoaderEmpty}, nil
}
