package jsbridge

import (
	"errors"
	"fmt"
	goruntime "runtime"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/host"
	"github.com/pagewarden/pagewarden/registry"
	"github.com/pagewarden/pagewarden/schema"
	"github.com/pagewarden/pagewarden/webmcp"
)

// Bridge is the runtime as the script sees it. It runs on one thread.
type Bridge struct {
	page Page
	loop *host.Loop

	surfaces    table[*surface]
	handles     map[int32]*registry.Handle // by the script's number of the definition
	waits       waits
	memos       memos
	adapters    map[int32]*adapter        // by the script's number
	adds        table[func(error)]        // tools that the browser has not taken yet
	numbers     map[*webmcp.Adapter]int32 // of adapters
	sets        *webmcp.Sets
	kits        table[*kit]
	authorities authorities
	tools       *contract.Tools  // web tools that the page has defined
	guests      map[int32]*guest // by the script's number
	depth       int              // of operations inside operations

	functions functionTable
	schemas   *schema.Cache      // of values that the page has checked
	scratch   *registry.Registry // that nothing is registered in; nil until a definition is validated
	rates     rates
}

// New makes a bridge to page whose time and turns come from driver.
func New(page Page, driver host.Driver) *Bridge {
	return &Bridge{
		page: page, loop: host.NewLoop(driver), handles: map[int32]*registry.Handle{}, adapters: map[int32]*adapter{},
		numbers: map[*webmcp.Adapter]int32{}, guests: map[int32]*guest{}, sets: webmcp.NewSets(), authorities: newAuthorities(page), tools: contract.NewTools(),
		functions: newFunctionTable(), schemas: schema.NewCache(0),
	}
}

// Do carries out one operation. When it returns, every flow that could go on has gone on until it waits
// for the page.
func (b *Bridge) Do(op Op, a, n int32, text string) (Status, string) {
	var back string
	var err error
	b.depth++
	ok := b.contained(op, func() { back, err = b.run(op, a, n, text) })
	for !b.contained(op, b.loop.Run) {
		continue // with the other flows; the one that panicked has ended
	}
	if b.depth--; b.depth == 0 {
		b.freeAdapters()
	}
	switch {
	case !ok:
		return StatusInternal, ""
	case err != nil:
		return failure(err)
	}
	return StatusOK, back
}

// contained runs f and reports whether it did not panic.
func (b *Bridge) contained(op Op, f func()) (ok bool) {
	defer func() {
		if cause := recover(); cause != nil {
			b.contain(op, cause)
		}
	}()
	f()
	return true
}

// contain reports a panic and lets it go on when it may have left a registry half changed: a runtime that
// answers from a broken state would be worse than a dead one.
func (b *Bridge) contain(op Op, cause any) {
	for _, s := range b.surfaces.values {
		if s.registry != nil && s.registry.Torn() { // nil while it is being made
			panic(cause)
		}
	}
	b.page.Tell(TellLog, 0, 0, fmt.Sprintf("internal error in operation %d: %v", op, cause))
}

// typeError is a mistake in what a page gave: JavaScript gets a TypeError with this message.
type typeError string

func (e typeError) Error() string { return string(e) }

func failure(err error) (Status, string) {
	var mistake typeError
	if defect, ok := registry.IsDefinitionError(err); ok {
		var o capability.ObjectWriter
		o.Text("code", string(defect.Code))
		o.Text("message", defect.Error())
		return StatusDefinition, string(o.JSON())
	}
	if errors.Is(err, registry.ErrDisposed) {
		return StatusDisposed, ""
	}
	if errors.As(err, &mistake) {
		return StatusType, string(mistake)
	}
	return StatusType, err.Error()
}

// run finds what a names and calls the operation.
func (b *Bridge) run(op Op, a, n int32, text string) (string, error) {
	switch op {
	case OpCreateRegistry:
		return b.createRegistry(text)
	case OpSettle:
		b.waits.settle(a, Answer(n), text)
	case OpNext:
		b.waits.next(a)
	case OpTimers:
		b.loop.RunTimers()
	case OpTasks:
		b.loop.RunTasks()
	case OpSoon:
		b.loop.RunSoon()
	case OpTables:
		return b.tables(), nil
	case OpFault:
		return b.fault(a, n)
	case OpCheckSchema:
		return "", checkSchema(text)
	case OpCompute:
		return b.compute(a, text)
	case OpConformance:
		return "", b.conformance(a, text)
	case OpValidate:
		return "", b.validate(a, text)
	case OpCheckPolicy:
		return b.checkPolicy(text)
	case OpVote:
		return b.vote(text)
	case OpPin:
		return "", b.pin(text)
	case OpAuthority:
		return b.authority(n, text)
	case OpGateway:
		return "", b.gateway(a, text)
	case OpExpose:
		return "", b.expose(a, text)
	case OpGuest:
		return b.guestOf(a).want(n, text)
	case OpUnregister, OpUpdate, OpInvalidateHandle, OpHandleStatus:
		return b.onHandle(op, a, text)
	case OpCheckAdapter, OpStartAdapter, OpStopAdapter, OpAdapterStatus, OpCallTool, OpCancelTool, OpToolAdded, OpRefreshAdapter:
		return b.onAdapter(op, a, n, text)
	case OpTools, OpCallToolset, OpListenToolset, OpDisposeToolset:
		return b.onToolset(op, a, n, text)
	default:
		return b.onSurface(op, a, n, text)
	}
	return "", nil
}

// onHandle does nothing for a registration that is gone: the script may not know yet.
func (b *Bridge) onHandle(op Op, a int32, text string) (string, error) {
	h := b.handles[a]
	if h == nil {
		return string(registry.Unregistered), nil
	}
	switch op {
	case OpUnregister:
		h.Unregister()
	case OpInvalidateHandle:
		h.Invalidate()
	case OpHandleStatus:
		return string(h.Status()), nil
	case OpUpdate:
		update, err := decodeUpdate(text)
		if err != nil {
			return "", err
		}
		return "", h.Update(update)
	}
	return "", nil
}

func (b *Bridge) onSurface(op Op, a, n int32, text string) (string, error) {
	s, ok := b.surfaces.get(a)
	if !ok {
		return "", registry.ErrDisposed
	}
	switch op {
	case OpDispose:
		s.dispose()
	case OpRegister:
		return s.register(n, text)
	case OpMount:
		return s.mountAgain(n, text)
	case OpSnapshot:
		return s.snapshot(text)
	case OpCreateToolset:
		return s.createToolset(text)
	case OpInvoke:
		return "", s.invoke(n, text)
	case OpCancel:
		s.cancel(text)
	case OpVersion:
		return s.registry.Version(), nil
	case OpExplain:
		return s.explain(text)
	case OpOffering:
		return s.offering(n == 1, text)
	case OpInvalidate:
		s.registry.Invalidate()
	case OpListen:
		s.listen(n&1 != 0, n&2 != 0)
	case OpSetExecutor:
		s.setExecutor(n == 1)
	case OpPending, OpResolve, OpAwaitConfirmation, OpCancelAwait, OpForceExpire:
		return s.onConfirmations(op, n, text), nil
	default:
		return "", typeError(fmt.Sprintf("unknown operation %d", op))
	}
	return "", nil
}

// tables are the sizes of everything that could leak.
func (b *Bridge) tables() string {
	calls := 0
	for _, s := range b.surfaces.values {
		calls += len(s.calls) + len(s.awaits)
	}
	var w capability.ObjectWriter
	w.Int("surfaces", int64(b.surfaces.size()))
	w.Int("handles", int64(len(b.handles)))
	w.Int("waits", int64(b.waits.size()))
	w.Int("adapters", int64(len(b.adapters)))
	w.Int("toolsets", int64(b.kits.size()))
	w.Int("adds", int64(b.adds.size()))
	w.Int("calls", int64(calls))
	guests := 0
	for _, g := range b.guests {
		guests += g.stores.size() + g.tools.size() + len(g.capabilities) + len(g.calls)
	}
	w.Int("guestItems", int64(guests))
	w.Int("goroutines", int64(goruntime.NumGoroutine()))
	return string(w.JSON())
}
