// Command play is the main job: it serves the demo, opens it in a real Chromium and plays a browser agent there, with a
// person who approves, denies or does not answer. It prints every call with its result and saves pictures. It ends
// with 1, and the name of the step, if anything differs from what it should be.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
