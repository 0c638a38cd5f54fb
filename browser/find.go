package browser

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// EnvPath is the environment variable that names the browser to use.
const EnvPath = "PAGEWARDEN_BROWSER"

// Find returns the path of a Chromium or Chrome.
//
// A path that the caller gives wins, then $PAGEWARDEN_BROWSER, then the names
// and places that the installers of the operating system use. A browser that
// was asked for by path and is not there is an error, never a reason to look
// further. Every error matches ErrNoBrowser.
func Find(explicit string) (string, error) {
	f := finder{goos: runtime.GOOS, getenv: os.Getenv, lookPath: exec.LookPath}
	return f.find(explicit)
}

// finder has the parts of the system that the search depends on.
type finder struct {
	goos     string
	getenv   func(string) string
	lookPath func(string) (string, error)
}

func (f finder) find(explicit string) (string, error) {
	if explicit != "" {
		return f.named(explicit, "the caller")
	}
	if path := f.getenv(EnvPath); path != "" {
		return f.named(path, "$"+EnvPath)
	}
	for _, place := range f.places() {
		if path, err := f.lookPath(place); err == nil {
			return path, nil
		}
	}
	return "", ErrNoBrowser
}

// named resolves a browser that somebody chose.
func (f finder) named(path, source string) (string, error) {
	found, err := f.lookPath(path)
	if err != nil {
		return "", &BadPathError{Path: path, Source: source, Cause: err}
	}
	return found, nil
}

// places lists where a browser may be, best first: free builds before branded
// ones, stable channels before others.
func (f finder) places() []string {
	switch f.goos {
	case "darwin":
		return f.macPlaces()
	case "windows":
		return f.windowsPlaces()
	default:
		return []string{
			"chromium", "chromium-browser",
			"google-chrome", "google-chrome-stable", "google-chrome-beta", "google-chrome-unstable",
			"chrome", "/snap/bin/chromium", "/opt/google/chrome/chrome",
			"headless-shell", "headless_shell", "microsoft-edge",
		}
	}
}

func (f finder) macPlaces() []string {
	apps := []string{
		"Chromium.app/Contents/MacOS/Chromium",
		"Google Chrome.app/Contents/MacOS/Google Chrome",
		"Google Chrome Canary.app/Contents/MacOS/Google Chrome Canary",
		"Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
	}
	var places []string
	for _, root := range []string{"/Applications", filepath.Join(f.getenv("HOME"), "Applications")} {
		for _, app := range apps {
			places = append(places, filepath.Join(root, app))
		}
	}
	return append(places, "chromium")
}

func (f finder) windowsPlaces() []string {
	programs := []string{
		`Chromium\Application\chrome.exe`,
		`Google\Chrome\Application\chrome.exe`,
		`Microsoft\Edge\Application\msedge.exe`,
	}
	places := []string{"chrome.exe", "chromium.exe"}
	for _, program := range programs {
		for _, root := range []string{"ProgramFiles", "ProgramFiles(x86)", "LOCALAPPDATA"} {
			if dir := f.getenv(root); dir != "" {
				places = append(places, dir+`\`+program)
			}
		}
	}
	return places
}
