package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// bundle makes one file of a script and the packages that it imports: those that tools/node locks, and pagewarden as the
// build of the checkout at root left it.
func bundle(root, entry, out string) error {
	absolute, err := filepath.Abs(root)
	if err != nil {
		return fmt.Errorf("bundling %s: %w", entry, err)
	}
	result := api.Build(api.BuildOptions{
		AbsWorkingDir: absolute, EntryPoints: []string{filepath.ToSlash(entry)},
		NodePaths: []string{filepath.Join(absolute, "tools", "node", "node_modules")},
		Alias:     map[string]string{"pagewarden": filepath.Join(absolute, "dist", "pagewarden.mjs")},
		Bundle:    true, Format: api.FormatESModule, JSX: api.JSXAutomatic, Platform: api.PlatformBrowser, MinifySyntax: true,
		Define: map[string]string{
			"process.env.NODE_ENV": `"production"`,
			"__VUE_OPTIONS_API__":  "false", "__VUE_PROD_DEVTOOLS__": "false", "__VUE_PROD_HYDRATION_MISMATCH_DETAILS__": "false",
		},
		LogLevel: api.LogLevelSilent,
	})
	if len(result.Errors) > 0 {
		messages := api.FormatMessages(result.Errors, api.FormatMessagesOptions{})
		return fmt.Errorf("bundling %s: %w", entry, errors.New(strings.Join(messages, "\n")))
	}
	return os.WriteFile(out, result.OutputFiles[0].Contents, 0o644)
}
