// Command site builds the documentation as pages for a browser, from docs/ and the other texts of the repository, and
// serves them on this machine. Its tests check every link and anchor, that every snippet is claimed by a test that runs
// it, and that no page of docs/ is missing from the navigation.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/pagewarden/pagewarden/tools/internal/repo"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run builds the site and gives the exit code: 0, 1 when it cannot, or 2 for wrong arguments. With -serve it serves what it
// has built until ctx ends.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("site", flag.ContinueOnError)
	flags.SetOutput(stderr)
	out := flags.String("out", "", "build into this `folder` instead of .cache/site")
	address := flags.String("serve", "", "serve the site at this `address`, such as 127.0.0.1:8080, or 127.0.0.1:0 for any free port")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(stderr, "site: unexpected %q; it takes flags only\n", flags.Arg(0))
		return 2
	}
	root, err := repo.Root(".")
	if err == nil {
		if *out == "" {
			*out = filepath.Join(root, repo.CacheDir, "site")
		}
		err = publish(ctx, root, *out, *address, stdout)
	}
	if err != nil {
		fmt.Fprintln(stderr, "site:", err)
		return 1
	}
	return 0
}

func publish(ctx context.Context, root, out, address string, stdout io.Writer) error {
	files, err := Build(root)
	if err != nil {
		return err
	}
	if err := write(files, out); err != nil {
		return err
	}
	if address == "" {
		fmt.Fprintf(stdout, "%d files are in %s\n", len(files), out)
		return nil
	}
	return serve(ctx, out, address, stdout)
}

// write makes out hold the files of the site and nothing else.
func write(files map[string][]byte, out string) error {
	if err := replaceable(out); err != nil {
		return err
	}
	if err := os.RemoveAll(out); err != nil {
		return fmt.Errorf("emptying the site's folder: %w", err)
	}
	for name, content := range files {
		if _, err := repo.Write(filepath.Join(out, filepath.FromSlash(name)), content); err != nil {
			return err
		}
	}
	return nil
}

// replaceable refuses a folder that holds anything but a site: it would be lost.
func replaceable(out string) error {
	entries, err := os.ReadDir(out)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return fmt.Errorf("looking at the site's folder: %w", err)
	}
	if _, err := os.Stat(filepath.Join(out, scriptReference)); err != nil {
		return fmt.Errorf("%s holds something else than a site; name a new folder", out)
	}
	return nil
}

// serve serves a folder until ctx ends, at another free port if that of the address is taken.
func serve(ctx context.Context, dir, address string, stdout io.Writer) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		var another error
		if listener, another = net.Listen("tcp", "127.0.0.1:0"); another != nil {
			return fmt.Errorf("serving the site: %w", errors.Join(err, another))
		}
	}
	fmt.Fprintf(stdout, "The documentation is at http://%s/ until you press Ctrl-C.\n", listener.Addr())
	server := &http.Server{Handler: http.FileServer(http.Dir(dir)), ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serving the site: %w", err)
	}
	return nil
}
