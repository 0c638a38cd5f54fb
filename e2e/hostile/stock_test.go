package hostile

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// stockScript bundles the page script as the build does, but with Go's own wasm_exec.js in place of the script's
// table of imports: the build on which the suite has to find leaks.
func stockScript(root string) ([]byte, error) {
	id, err := buildID(root)
	if err != nil {
		return nil, err
	}
	loader, err := goLoader()
	if err != nil {
		return nil, err
	}
	result := api.Build(api.BuildOptions{
		AbsWorkingDir: root,
		EntryPoints:   []string{"web/classic.js"},
		Outfile:       "stock.js",
		Bundle:        true,
		Format:        api.FormatIIFE,
		Target:        api.ES2022,
		Platform:      api.PlatformBrowser,
		Banner:        map[string]string{"js": `"use strict";`},
		Define:        map[string]string{"__BUILD_ID__": strconv.Quote(id), "__FAULTS__": "false"},
		TsconfigRaw:   "{}",
		Plugins:       []api.Plugin{replaced(filepath.Join(root, "e2e", "hostile", "testdata", "stock", "gojs.js"), loader)},
		LogLevel:      api.LogLevelSilent,
	})
	if len(result.Errors) > 0 {
		messages := api.FormatMessages(result.Errors, api.FormatMessagesOptions{})
		return nil, fmt.Errorf("bundling the script over Go's loader: %w", errors.New(strings.Join(messages, "\n")))
	}
	return result.OutputFiles[0].Contents, nil
}

// replaced makes esbuild take two other files: host for the script's gojs.js, loader for what host imports.
func replaced(host, loader string) api.Plugin {
	return api.Plugin{Name: "stock loader", Setup: func(build api.PluginBuild) {
		for pattern, path := range map[string]string{`^\./gojs\.js$`: host, `^wasm_exec$`: loader} {
			build.OnResolve(api.OnResolveOptions{Filter: pattern}, func(api.OnResolveArgs) (api.OnResolveResult, error) {
				return api.OnResolveResult{Path: path}, nil
			})
		}
	}}
}

// buildID reads the id of the built wasm out of the script beside it.
func buildID(root string) (string, error) {
	script, err := os.ReadFile(filepath.Join(root, "dist", "pagewarden.js"))
	if err != nil {
		return "", fmt.Errorf("reading the build's id: %w", err)
	}
	found := regexp.MustCompile("[\"`]([0-9a-f]{32})[\"`]").FindSubmatch(script)
	if found == nil {
		return "", errors.New("reading the build's id: dist/pagewarden.js holds none")
	}
	return string(found[1]), nil
}

// goLoader is the wasm_exec.js of the Go that builds this.
func goLoader() (string, error) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("looking for Go's loader: %w", err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "lib", "wasm", "wasm_exec.js"), nil
}
