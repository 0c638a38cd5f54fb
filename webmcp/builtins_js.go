package webmcp

import (
	"errors"
	"strings"
	"syscall/js"

	"github.com/pagewarden/pagewarden/capability"
)

// builtIns are functions of the page's language.
type builtIns struct{ reflectGet, parse, stringify, promises, abortController js.Value }

func newBuiltIns() builtIns {
	global := js.Global()
	return builtIns{
		reflectGet: global.Get("Reflect").Get("get"),
		parse:      global.Get("JSON").Get("parse"), stringify: global.Get("JSON").Get("stringify"),
		promises: global.Get("Promise"), abortController: global.Get("AbortController"),
	}
}

// get is a property, undefined where there is none or reading it throws: an exception of Value.Get itself would pass
// through Go's frames without their deferred calls.
func (b builtIns) get(object js.Value, name string) js.Value {
	value := js.Undefined()
	if kind := typeOf(object); kind == js.TypeObject || kind == js.TypeFunction {
		_ = attempt(func() { value = b.reflectGet.Invoke(object, name) })
	}
	return value
}

func (b builtIns) has(object js.Value, name string) bool {
	return typeOf(b.get(object, name)) == js.TypeFunction
}

// typeOf is the type of a value. A bigint, at which Value.Type panics, is a number here: it is as little an object.
func typeOf(value js.Value) (kind js.Type) {
	defer func() {
		if recover() != nil {
			kind = js.TypeNumber
		}
	}()
	return value.Type()
}

func (b builtIns) aborted(signal js.Value) bool {
	aborted := b.get(signal, "aborted")
	return typeOf(aborted) == js.TypeBoolean && aborted.Bool()
}

// styleOf is how an object takes tools away, by what it has; None for any other value.
func (b builtIns) styleOf(object js.Value) Style {
	registers := b.has(object, "registerTool")
	switch {
	case registers && b.has(object, "unregisterTool"):
		return ByName
	case b.has(object, "provideContext"):
		return WholeSet
	case registers:
		return BySignal
	}
	return None
}

// inputText is an input as JSON; nothing stays nothing.
func (b builtIns) inputText(input js.Value) (capability.JSON, capability.Issue) {
	if input.IsUndefined() {
		return "", capability.Issue{}
	}
	text := js.Undefined()
	if err := attempt(func() { text = b.stringify.Invoke(input) }); err != nil || typeOf(text) != js.TypeString {
		return "", capability.Issue{Message: "cannot be written as JSON"}
	}
	return capability.JSON(text.String()), capability.Issue{}
}

// promise is a promise and what resolves it.
func (b builtIns) promise() (promise, resolve js.Value) {
	executor := js.FuncOf(func(_ js.Value, arguments []js.Value) any {
		resolve = arguments[0]
		return nil
	})
	defer executor.Release()
	return b.promises.New(executor), resolve
}

// follow tells done what has become of an answer: at once, or when the promise that it is has settled.
func (b builtIns) follow(answer js.Value, done func(error)) {
	if !b.has(answer, "then") {
		done(nil)
		return
	}
	var kept, broken js.Func
	end := func(err error) any {
		kept.Release()
		broken.Release()
		done(err)
		return nil
	}
	kept = js.FuncOf(func(js.Value, []js.Value) any { return end(nil) })
	broken = js.FuncOf(func(_ js.Value, arguments []js.Value) any { return end(b.describe(argument(arguments, 0))) })
	if err := attempt(func() { b.promises.Call("resolve", answer).Call("then", kept, broken) }); err != nil {
		end(err)
	}
}

// listen runs f at each event, until stop.
func (b builtIns) listen(target js.Value, event string, f func()) (stop func()) {
	listener := js.FuncOf(func(js.Value, []js.Value) any {
		f()
		return nil
	})
	if attempt(func() { target.Call("addEventListener", event, listener) }) != nil {
		listener.Release()
		return func() {}
	}
	return func() {
		_ = attempt(func() { target.Call("removeEventListener", event, listener) })
		listener.Release()
	}
}

// mostWords is how much of a browser's words is kept, in bytes.
const mostWords = 500

// describe is what the browser said, for developers.
func (b builtIns) describe(thrown js.Value) error {
	words := []string{"Error", ""}
	for i, name := range []string{"name", "message"} {
		if text := b.get(thrown, name); typeOf(text) == js.TypeString {
			words[i] = text.String()
		}
	}
	if typeOf(thrown) == js.TypeString {
		words[1] = thrown.String()
	}
	text := strings.Join(words, ": ")
	return errors.New(strings.ToValidUTF8(text[:min(len(text), mostWords)], ""))
}

// attempt runs what may throw, and gives what was thrown as an error.
func attempt(run func()) (err error) {
	defer func() {
		switch thrown := recover().(type) {
		case nil:
		case js.Error:
			err = newBuiltIns().describe(thrown.Value)
		case *js.ValueError:
			err = thrown
		default:
			panic(thrown)
		}
	}()
	run()
	return nil
}
