package jsbridge

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/host"
	"github.com/pagewarden/pagewarden/predict"
	"github.com/pagewarden/pagewarden/registry"
)

// guest is an optional script that works with the bridge (pagewarden-predict.js). It sees nothing that another guest
// has made: a script of the page that comes as a guest gets its own numbers only.
type guest struct {
	bridge       *Bridge
	number       int32
	capabilities map[int32]*guestCapability // by the guest's number
	tools        table[*guestTool]
	stores       table[*guestStore]
	calls        calls // by the guest's ticket
	lastListener int32
}

func (b *Bridge) guestOf(number int32) *guest {
	g := b.guests[number]
	if g == nil {
		g = &guest{bridge: b, number: number, capabilities: map[int32]*guestCapability{}, calls: calls{}}
		b.guests[number] = g
	}
	return g
}

// wish is something that a guest can want. s is the registry that it named, nil where it named none.
type wish func(g *guest, s *surface, a arguments) (capability.JSON, error)

// wishOf is what a guest calls name. The arguments are said at each function, from the first after the name.
func wishOf(name string) wish {
	switch name {
	case "define":
		return (*guest).define
	case "undefine":
		return (*guest).undefine
	case "tool":
		return (*guest).makeTool
	case "close":
		return (*guest).closeTool
	case "call":
		return (*guest).callTool
	case "cancel":
		return (*guest).cancel
	case "execute":
		return (*guest).executePredicted
	case "store":
		return (*guest).makeStore
	}
	return storeWish(name)
}

// want carries out what a guest wants. Back comes the result; of something that is too large { tooLarge } with the
// message, which the page throws as a RangeError.
func (g *guest) want(registryNumber int32, text string) (string, error) {
	a, err := decodeArguments(function{name: "guest"}, text)
	if err != nil {
		return "", err
	}
	name, err := a.string(0, "the name")
	if err != nil {
		return "", err
	}
	run := wishOf(name)
	s, ok := g.bridge.surfaces.get(registryNumber)
	switch {
	case run == nil:
		return "", typeError("guest: there is no " + name)
	case !ok && registryNumber != 0:
		return "", registry.ErrDisposed
	}
	if issue := a.unwritten(ownArgument(name)); issue != nil {
		return "", typeError(name + ": " + issue.Error())
	}
	back, err := run(g, s, a)
	if err == nil {
		err = a.err
	}
	var argument *predict.ArgumentError
	switch {
	case errors.As(err, &argument) && argument.Size:
		return string(faultJSON(err)), nil
	case errors.Is(err, predict.ErrDisposed):
		err = registry.ErrDisposed
	}
	return string(back), err
}

// ownArgument is the argument of which the function itself says what it means that it is no JSON, 0 for none.
func ownArgument(name string) int {
	return map[string]int{"define": 2, "call": 4, "execute": 5}[name]
}

// unwritten is what is wrong with the first argument but one that is no JSON.
func (a arguments) unwritten(but int) *capability.Issue {
	for _, name := range a.names() {
		if i, err := strconv.Atoi(strings.TrimPrefix(name, "!")); err == nil && i != but && name[0] == '!' {
			_, issue := a.value(i)
			return issue
		}
	}
	return nil
}

// faultJSON is an error that comes after the operation: { tooLarge }, { code, message }, { closed } or { message }.
func faultJSON(err error) capability.JSON {
	var o capability.ObjectWriter
	var argument *predict.ArgumentError
	if errors.As(err, &argument) && argument.Size {
		o.Text("tooLarge", argument.Error())
		return o.JSON()
	}
	if errors.Is(err, predict.ErrDisposed) {
		err = registry.ErrDisposed
	}
	switch status, text := failure(err); status {
	case StatusDefinition:
		return capability.JSON(text)
	case StatusDisposed:
		o.Bool("closed", true)
	default:
		o.Text("message", text)
	}
	return o.JSON()
}

// question begins what a guest is asked or told.
func question(do string) *capability.ObjectWriter {
	o := &capability.ObjectWriter{}
	o.Text("do", do)
	return o
}

// tell lets the guest know of something; what it makes of it does not matter.
func (g *guest) tell(o *capability.ObjectWriter) {
	g.bridge.page.Ask(AskGuest, g.number, 0, 0, string(o.JSON()))
}

// ask asks what the guest must answer at once.
func (g *guest) ask(o *capability.ObjectWriter) (capability.JSON, error) {
	answer, text := g.bridge.page.Ask(AskGuest, g.number, 0, 0, string(o.JSON()))
	return capability.JSON(text), answerError(answer, text)
}

// errLeft is for whoever waited for a guest until it did not matter any more.
var errLeft = errors.New("the answer is not needed any more")

// await asks what the guest may answer later. until says when the answer is not needed any more.
func (g *guest) await(o *capability.ObjectWriter, until func(leave func()) (stop func())) (capability.JSON, error) {
	b := g.bridge
	waiter := b.loop.Waiter()
	w := &wait{wake: waiter}
	w.ticket = b.waits.add(w)
	defer until(func() {
		w.gone = true
		b.page.Tell(TellAbort, w.ticket, 0, errLeft.Error())
		waiter.Wake()
	})()
	answer, text := b.page.Ask(AskGuest, g.number, 0, w.ticket, string(o.JSON()))
	if answer == AnswerPending {
		for !w.done && !w.gone {
			waiter.Park()
		}
		if !w.done {
			b.giveUp(w.ticket)
			return "", errLeft
		}
		answer, text = w.answer, w.text
	}
	b.waits.remove(w.ticket)
	return capability.JSON(text), answerError(answer, text)
}

// whileWanted is until for what is done for ctx.
func whileWanted(ctx context.Context) func(leave func()) (stop func()) {
	return func(leave func()) (stop func()) { return host.Watch(ctx, leave) }
}

// disposeDesk lets go of what guests have in a registry that has been disposed of.
func (b *Bridge) disposeDesk(s *surface) {
	if s.desk == nil {
		return
	}
	s.desk.Dispose()
	for _, number := range slices.Sorted(maps.Keys(b.guests)) {
		b.guests[number].leave(s)
	}
}
