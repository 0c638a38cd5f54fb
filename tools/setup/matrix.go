package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pagewarden/pagewarden/tools/chromium"
)

// matrix fetches the builds and polyfills that tools/chromium pins, and sees each build start.
func (s *setup) matrix(ctx context.Context) (string, error) {
	items := slices.Concat(chromium.Builds(), chromium.Polyfills())
	if _, err := s.lookPath("npm"); err != nil {
		return "", fmt.Errorf("npm is missing; install Node %d or newer, with npm", oldestNode)
	}
	fetcher := chromium.Fetcher{Root: s.dir, Run: s.command, Say: s.say}
	fetched, err := fetcher.Fetch(ctx, items)
	if err != nil {
		return "", err
	}
	for _, build := range chromium.Builds() {
		if err := s.starts(ctx, build); err != nil {
			return "", err
		}
	}
	if fetched == 0 {
		return "builds and polyfills of tools/chromium up to date", nil
	}
	return fmt.Sprintf("%d builds and polyfills of tools/chromium fetched", fetched), nil
}

// starts runs a build for its version.
func (s *setup) starts(ctx context.Context, build chromium.Item) error {
	version, err := s.command(ctx, build.Path(s.dir), "--no-sandbox", "--version")
	if err != nil {
		return fmt.Errorf("%w\nIt runs with the shared libraries that Debian's chromium brings: install that (apt-get install chromium), then try again", err)
	}
	if fields := strings.Fields(version); !slices.Contains(fields, build.Reports) {
		return fmt.Errorf("%s says that it is %q; it should be %s", build.Alias, version, build.Reports)
	}
	return nil
}
