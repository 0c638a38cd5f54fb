package jsbridge

//lint:file-ignore U1000 the script calls what is exported to wasm

import (
	"strings"
	"unsafe"
)

// runtime is the state of this wasm instance: exported functions have no receiver, and the instance is the
// object. It is set by Start, before the script calls anything else.
var runtime struct {
	bridge  *Bridge
	inbox   []byte // what the script hands over
	outText string // what the script is handed; kept alive until it has read it
	// mail is read and written by the script: where outText is, how long it is, and how long the script's
	// answer in the inbox is.
	mail struct{ outAddress, outLength, inLength uint32 }
}

// Start makes the instance's bridge.
func Start() {
	runtime.inbox = make([]byte, 4096)
	runtime.bridge = New(scriptPage{}, &scriptDriver{})
}

// mailAddress is where the script finds the three numbers of mail:
//
//	+0 outAddress  +4 outLength  +8 inLength   (uint32, little endian)
//
//go:wasmexport pw_mail
func mailAddress() uint32 {
	return address(unsafe.Pointer(&runtime.mail))
}

// reserve gives the address of at least n writable bytes. What they hold is Go's again with the next call.
//
//go:wasmexport pw_reserve
func reserve(n uint32) uint32 {
	if n > uint32(len(runtime.inbox)) {
		runtime.inbox = make([]byte, n+n/4)
	}
	return address(unsafe.Pointer(unsafe.SliceData(runtime.inbox)))
}

// do carries out an operation whose text is the first n bytes of the inbox. It returns a Status; the text
// that comes back is where mail says.
//
//go:wasmexport pw_do
func do(op, a, b int32, n uint32) int32 {
	text := unsafe.String(unsafe.SliceData(runtime.inbox), n)
	if Op(op) != OpCompute { // which copies what it keeps: what it is given may be large
		text = strings.Clone(text)
	}
	status, back := runtime.bridge.Do(Op(op), a, b, text)
	post(back)
	return int32(status)
}

func post(text string) {
	runtime.outText = text
	runtime.mail.outAddress = address(unsafe.Pointer(unsafe.StringData(text)))
	runtime.mail.outLength = uint32(len(text))
}

// address is a pointer as the script sees it: an offset into the instance's memory.
func address(p unsafe.Pointer) uint32 { return uint32(uintptr(p)) }
