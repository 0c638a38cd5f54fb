package browser

import (
	"context"

	"github.com/chromedp/chromedp"
)

// Run runs an action of chromedp on the tab, for what Page has no method for:
// keys, emulation, the accessibility tree. doing says in an error what was being
// done, such as "pressing Enter". It ends with ctx or with the page.
func Run[T any](ctx context.Context, p *Page, doing string, action chromedp.Action[T]) (T, error) {
	return runAction(ctx, p, doing, action)
}
