// Package browser drives a real Chromium: it finds one, starts it with WebMCP
// on, opens pages, and lists and calls their tools as an agent does.
//
// It knows nothing of this module's own runtime: any page that registers tools
// with modelContext works.
package browser

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"
)

// closeTimeout is how long a browser may take to end by itself before it is
// killed.
const closeTimeout = 5 * time.Second

// Options says how to start a browser. The zero value starts the first one that
// Find finds, without a window and with WebMCP on.
type Options struct {
	// Path is the browser's program; empty means Find("").
	Path string
	// Headed opens a window.
	Headed bool
	// NoWebMCP leaves WebMCP off, as browsers have it by default.
	NoWebMCP bool
	// ExtraFlags are further command-line flags, such as "--lang=en".
	ExtraFlags []string
	// Log gets protocol problems that are no errors of a call; nil drops them.
	Log *slog.Logger
}

// Browser is a running browser with a fresh profile. It is safe for concurrent
// use. The caller must Close it.
type Browser struct {
	ctx     context.Context
	flag    bool
	version string
	close   func() error
}

// Launch starts a browser. When ctx ends, the browser is closed as by Close;
// Close still has to be called, to wait for the end of that.
//
// Errors: one that matches ErrNoBrowser, *StartError, or ctx's.
func Launch(ctx context.Context, o Options) (*Browser, error) {
	path, err := Find(o.Path)
	if err != nil {
		return nil, err
	}
	temp, err := os.MkdirTemp("", "pagewarden-")
	if err != nil {
		return nil, fmt.Errorf("making the browser's folder: %w", err)
	}
	life, abort, end := o.lifetime(path, temp)
	b := &Browser{ctx: life, flag: !o.NoWebMCP}
	if err := b.start(ctx, abort, !o.Headed); err != nil {
		end()
		_ = removeAll(temp) // The reason of the failed start matters more.
		if ctx.Err() != nil {
			return nil, fmt.Errorf("starting the browser: %w", context.Cause(ctx))
		}
		return nil, &StartError{Path: path, Cause: err}
	}
	b.close = sync.OnceValue(func() error { return b.shutdown(end, temp) })
	context.AfterFunc(ctx, func() { b.close() })
	return b, nil
}

// lifetime makes the context that the browser lives in. It does not come from
// the caller's context: its end would kill the browser, and a killed browser
// leaves files behind. abort kills the browser at once, end waits for its end.
func (o Options) lifetime(path, temp string) (life context.Context, abort, end func()) {
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path),
		chromedp.CombinedOutput(io.Discard),
	)
	if holdsSocket(temp) {
		options = append(options, chromedp.Env("TMPDIR="+temp, "TMP="+temp, "TEMP="+temp))
	}
	if o.Headed {
		options = append(options, chromedp.VisibleWindow)
	}
	for _, f := range o.flags(os.Getuid() == 0) {
		options = append(options, f.option())
	}
	allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	base, abort := context.WithCancel(allocator)
	logf := o.logf()
	life, stop := chromedp.NewContext(base, chromedp.WithLogf(logf), chromedp.WithErrorf(logf))
	return life, abort, func() { abort(); stop(); stopAllocator() }
}

// holdsSocket reports that the browser's own temporary files can go into the
// folder, so that even a killed browser leaves none: it makes a socket there,
// and the path of a socket is limited to about 100 bytes.
func holdsSocket(dir string) bool {
	const limit = 100
	return len(dir)+len("/org.chromium.Chromium.XXXXXX/SingletonSocket") < limit
}

// logf adapts the log to chromedp, which otherwise writes to standard error.
func (o Options) logf() func(string, ...any) {
	log := o.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return func(format string, args ...any) { log.Debug(fmt.Sprintf(format, args...)) }
}

// start runs the program and asks its version, unless ctx ends first. Without a
// window nobody sees that a page downloads something into their folder, so
// nothing is; DevTools has an event of the attempt.
func (b *Browser) start(ctx context.Context, abort func(), noDownloads bool) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	stop := context.AfterFunc(ctx, abort)
	defer stop()
	if err := chromedp.Do(b.ctx); err != nil {
		return err
	}
	got, err := chromedp.CallBrowser(b.ctx, cdpbrowser.GetVersion, cdp.Empty{})
	b.version = got.Product
	if err == nil && noDownloads {
		events := true
		deny := cdpbrowser.SetDownloadBehaviorParams{Behavior: cdpbrowser.SetDownloadBehaviorBehaviorDeny, EventsEnabled: &events}
		_, err = chromedp.CallBrowser(b.ctx, cdpbrowser.SetDownloadBehavior, deny)
	}
	return err
}

// Version returns product and version, such as "Chrome/156.0.8078.114".
func (b *Browser) Version() string { return b.version }

// Close ends the browser and its pages and removes its files. It waits for that
// and may be called more than once, from several goroutines.
func (b *Browser) Close() error { return b.close() }

// shutdown asks the browser to end, kills it when it does not, and removes its
// folder.
func (b *Browser) shutdown(end func(), temp string) error {
	ctx, cancel := context.WithTimeout(b.ctx, closeTimeout)
	defer cancel()
	// A browser that has crashed cannot be asked; end covers it.
	_ = chromedp.Cancel(ctx)
	end()
	if err := removeAll(temp); err != nil {
		return fmt.Errorf("removing the browser's folder: %w", err)
	}
	return nil
}

// removeAll removes a folder in which processes that are just ending can still
// write.
func removeAll(dir string) error {
	const attempts, pause = 50, 20 * time.Millisecond
	var err error
	for range attempts {
		if err = os.RemoveAll(dir); err == nil {
			return nil
		}
		time.Sleep(pause)
	}
	return err
}
