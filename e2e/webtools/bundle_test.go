package webtools

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// bundled makes the pages that are written with frameworks into one file each, as their authors would.
func bundled(root string) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, name := range []string{"react.jsx", "vue.js"} {
		result := api.Build(api.BuildOptions{
			EntryPoints: []string{filepath.Join(root, "e2e", "testdata", "webtools", name)},
			NodePaths:   []string{filepath.Join(root, "tools", "node", "node_modules")},
			Bundle:      true, Format: api.FormatESModule, JSX: api.JSXAutomatic, Platform: api.PlatformBrowser,
			Alias: map[string]string{"vue": "vue/dist/vue.esm-bundler.js"},
			Define: map[string]string{
				"process.env.NODE_ENV": `"production"`, "__VUE_OPTIONS_API__": "true", "__VUE_PROD_DEVTOOLS__": "false", "__VUE_PROD_HYDRATION_MISMATCH_DETAILS__": "false",
			},
			LogLevel: api.LogLevelSilent,
		})
		if len(result.Errors) > 0 {
			messages := api.FormatMessages(result.Errors, api.FormatMessagesOptions{})
			return nil, fmt.Errorf("bundling %s: %w", name, errors.New(strings.Join(messages, "\n")))
		}
		files[strings.TrimSuffix(name, filepath.Ext(name))+".bundle.js"] = result.OutputFiles[0].Contents
	}
	return files, nil
}
