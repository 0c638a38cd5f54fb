// Package chromium knows the Chromium builds and polyfills that the WebMCP matrix runs in, and gets those that are
// downloaded: once, from npm, checked against the lock file, into the checkout's cache.
//
// To add a build, see docs/webmcp.md.
package chromium

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/pagewarden/pagewarden/tools/internal/repo"
)

// folder holds the list and the lock file, relative to the root.
const folder = "tools/chromium"

// Item is one thing to download: a build or a polyfill.
type Item struct {
	// Alias is its name in package.json, such as "chromium-147", and the name of its folder in the cache.
	Alias string
	// Reports is what a build says of itself when asked for its version; "" for a polyfill.
	Reports string
	// file is what everything else is about, relative to the item's folder.
	file string
}

// Builds are the builds that are downloaded, oldest first.
func Builds() []Item {
	return []Item{
		build("chromium-147", "147.0.7727.0"),
		build("chromium-148", "148.0.7778.0"),
		build("chromium-149", "149.0.7827.0"),
		build("chromium-152", "152.0.7977.0"),
		build("chromium-153", "153.0.8010.0"),
	}
}

// Polyfills are independent implementations of two revisions of the draft: of an old one and of the present one.
func Polyfills() []Item {
	return []Item{polyfill("polyfill-2"), polyfill("polyfill-5")}
}

func build(alias, reports string) Item { return Item{alias, reports, "chromium"} }

func polyfill(alias string) Item { return Item{alias, "", "polyfill.js"} }

// Path is the build's program or the polyfill's script in the checkout at root, whether it has been fetched or not.
func (i Item) Path(root string) string { return filepath.Join(i.home(root), i.file) }

// home is the item's folder in the cache.
func (i Item) home(root string) string {
	return filepath.Join(root, repo.CacheDir, "chromium", i.Alias)
}

// Check returns an error that says what to do unless the item is there, as the lock file has it.
func (i Item) Check(root string) error {
	pin, err := i.pin(root)
	if err != nil {
		return err
	}
	have, err := os.ReadFile(i.stamp(root))
	if err != nil || string(have) != pin.Integrity {
		return fmt.Errorf("%s is not in %s, or is not the one of the lock file: run `go run ./tools/setup matrix`",
			i.Alias, filepath.Join(repo.CacheDir, "chromium"))
	}
	return nil
}

// stamp is the file that is written last and says which package was unpacked.
func (i Item) stamp(root string) string { return filepath.Join(i.home(root), ".unpacked") }

// pin is one entry of the lock file.
type pin struct {
	Name      string `json:"name"`
	Version   string `json:"version"`
	Integrity string `json:"integrity"` // "sha512-" and base64
}

// spec names the package to npm.
func (p pin) spec() string { return p.Name + "@" + p.Version }

// pin reads the item's entry of the lock file.
func (i Item) pin(root string) (pin, error) {
	path := filepath.Join(root, filepath.FromSlash(folder), "package-lock.json")
	content, err := os.ReadFile(path)
	if err != nil {
		return pin{}, fmt.Errorf("reading the lock file of the builds: %w", err)
	}
	var lock struct {
		Packages map[string]pin `json:"packages"`
	}
	if err := json.Unmarshal(content, &lock); err != nil {
		return pin{}, fmt.Errorf("reading %s: %w", path, err)
	}
	p, ok := lock.Packages["node_modules/"+i.Alias]
	if !ok || !strings.HasPrefix(p.Integrity, "sha512-") {
		return pin{}, fmt.Errorf("%s does not pin %s; add it to package.json and run `npm install --package-lock-only` in %s",
			filepath.ToSlash(path), i.Alias, folder)
	}
	return p, nil
}
