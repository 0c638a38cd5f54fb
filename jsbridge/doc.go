// Package jsbridge exports the runtime to JavaScript.
//
// The page's script (web/shim) and this package talk through two functions each way: the script calls
// Bridge.Do with an operation, two numbers and a text; the bridge calls Page.Ask for an answer that it
// needs before it can go on, and Page.Tell for what needs none. Numbers are handles into tables that the
// other side keeps; texts are JSON. Which operation takes what is written in ops.go, once.
//
// Nothing that an export reaches may block or yield: see host.Loop. Everything but the files *_js.go is
// plain Go, so that it is tested natively against a Page written in Go.
package jsbridge
