package registry

import "context"

// Progress is how far a handler has come.
type Progress struct {
	// Done grows from report to report, towards Total if that is known and positive.
	Done, Total float64
	// Message says what is being done, "" for nothing. The agent reads it.
	Message string
}

type progressKey struct{}

// WithProgress is ctx for a caller that wants to know how far the handler has come. tell may come from any flow, and late:
// it must not wait for long, and knows itself whether the call is over.
func WithProgress(ctx context.Context, tell func(Progress)) context.Context {
	return context.WithValue(ctx, progressKey{}, tell)
}

// Report tells the caller of a handler how far it has come. ctx is the handler's. Where nobody wants to know, it does
// nothing.
func Report(ctx context.Context, p Progress) {
	if tell, ok := ctx.Value(progressKey{}).(func(Progress)); ok {
		tell(p)
	}
}
