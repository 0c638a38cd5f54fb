package jsbridge

import (
	"context"
	"slices"
	"strconv"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/host"
	"github.com/pagewarden/pagewarden/registry"
)

// invoke starts a call. The lines of text are capabilityId, invocationId, instanceId, registrationId, surfaceVersion,
// confirmationId, the input, or ! and the issue of an input that is no JSON, consumer, timeoutMs, and whether the
// caller's signal is aborted, nothing where there is none.
func (s *surface) invoke(ticket int32, text string) error {
	l := lines{where: "invoke", rest: text}
	request := registry.Request{
		CapabilityID: l.text("capabilityId"), InvocationID: l.text("invocationId"), InstanceID: l.text("instanceId"),
		RegistrationID: l.text("registrationId"), SurfaceVersion: l.text("surfaceVersion"), ConfirmationID: l.text("confirmationId"),
	}
	request.Input, request.InputIssue = l.value("inputIssue")
	options, err := s.caller.options(l.next(), l.next())
	if l.err != nil {
		return l.err
	}
	if err == nil {
		s.start(ticket, l.rest, request, options)
	}
	return err
}

// start starts a call that, with a signal, the script may withdraw from now on.
func (s *surface) start(ticket int32, aborted string, request registry.Request, options registry.InvokeOptions) {
	named := request.InvocationID != ""
	s.calls.track(ticket, aborted, func(ctx context.Context, over func()) {
		s.registry.Start(ctx, request, options, func(result registry.Result) {
			over()
			s.bridge.page.Tell(TellResult, s.id, ticket, resultText(&result, named))
		})
	})
}

// calls are those that have no result yet, by the script's ticket; nil for what nobody can withdraw.
type calls map[int32]*host.Scope

// track begins a call that says when it is over; with a signal the script may withdraw it from now on.
func (c calls) track(ticket int32, aborted string, begin func(ctx context.Context, over func())) {
	ctx := context.Background()
	var scope *host.Scope
	if aborted != "" {
		scope = host.NewScope(ctx)
		ctx = scope
		c[ticket] = scope
		if aborted == "true" {
			scope.Cancel(registry.ErrCancelled)
		}
	}
	started, isOver := false, false
	defer func() {
		switch {
		case !started: // a panic passes through
			c.forget(ticket)
		case !isOver:
			c[ticket] = scope
		}
	}()
	begin(ctx, func() {
		isOver = true
		c.forget(ticket)
	})
	started = true
}

func (c calls) forget(ticket int32) {
	scope := c[ticket]
	delete(c, ticket)
	if scope != nil {
		scope.Release()
	}
}

// resultText is the invocation id as a string literal, or nothing when the request named it, the surface version,
// whether that has changed (true or nothing), and the output, or ! and the error, or nothing: a line each, of which
// only the last may hold a line feed. An agent chooses ids: bare, one with line feeds would be read as a result of its own.
func resultText(r *registry.Result, named bool) string {
	id, changed, end := "", "", r.Output
	if !named {
		id = string(capability.Quote(r.InvocationID))
	}
	if r.SurfaceChanged {
		changed = "true"
	}
	if r.Error != nil {
		end = "!" + r.Error.JSON()
	}
	return id + "\n" + r.SurfaceVersion + "\n" + changed + "\n" + string(end)
}

// cancel withdraws calls, all before any flow goes on: the end of one may make room for another.
func (s *surface) cancel(tickets string) {
	if messageLimits().Check(capability.JSON(tickets)) != nil {
		return
	}
	for _, element := range capability.JSON(tickets).Elements() {
		ticket, err := strconv.ParseInt(string(element), 10, 32)
		if scope := s.calls[int32(ticket)]; err == nil && scope != nil {
			scope.Cancel(registry.ErrCancelled)
		}
	}
}

// caller is the last consumer that called, read and written again; the next call is most likely of the same.
type caller struct {
	given    capability.JSON // as the script wrote it
	consumer capability.Consumer
	written  string // for the script
}

// options are those of a call by the consumer whose text is given, the anonymous one when there is none.
func (c *caller) options(given, timeout capability.JSON) (registry.InvokeOptions, error) {
	if c.written == "" || given != c.given || !timeout.Absent() {
		var o capability.ObjectWriter
		o.Raw("consumer", given)
		o.Raw("timeoutMs", timeout)
		f, err := decodeObject("invoke", string(o.JSON()))
		if err != nil {
			return registry.InvokeOptions{}, err
		}
		options := registry.InvokeOptions{Consumer: consumerOf(f), Timeout: f.milliseconds("timeoutMs", 0)}
		if f.err == nil {
			*c = caller{given, options.Consumer, string(consumerText(options.Consumer))}
		}
		return options, f.err
	}
	return registry.InvokeOptions{Consumer: c.consumer}, nil
}

// text is a consumer as the script is told of it.
func (c *caller) text(consumer capability.Consumer) string {
	if consumer.ID == c.consumer.ID && consumer.Kind == c.consumer.Kind && consumer.ClaimedName == c.consumer.ClaimedName &&
		slices.Equal(consumer.Grants, c.consumer.Grants) && c.written != "" {
		return c.written
	}
	return string(consumerText(consumer))
}
