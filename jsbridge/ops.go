package jsbridge

// Op is what the script asks for. The script's constants (web/shim/ops/) are compared with these by a test.
type Op int32

// The operations: what a, b and the text are, and what comes back. "Nothing" is an empty text. Every one
// may answer with a failure instead.
const (
	// OpCreateRegistry: text { options, authority? }, the authority by its number; back comes { registry, surfaceId, authorityMode,
	// maxInputBytes, maxOutputBytes, maxInputDepth }.
	OpCreateRegistry Op = iota + 1
	// OpDispose: a is a registry.
	OpDispose
	// OpRegister: a is a registry, b the script's number for the definition, text the definition; back
	// comes "plan registrationId" and, for a registration that was rejected, " reason". plan is what OpMount takes
	// for another component of the same text, 0 when there is none.
	OpRegister
	// OpUnregister: a is a definition. It and the next two do nothing when that is not registered any more.
	OpUnregister
	// OpUpdate: a is a definition, text { enabled?, availability? }.
	OpUpdate
	// OpInvalidateHandle: a is a definition.
	OpInvalidateHandle
	// OpHandleStatus: a is a definition; back comes the status as bare text.
	OpHandleStatus
	// OpSnapshot: a is a registry, text nothing or { consumer?, scope?, includeUnavailable?, budget? }; back comes
	// what snapshot.go says.
	OpSnapshot
	// OpInvoke: a is a registry, b the script's ticket, text a line each for the members of the request and of the
	// options (calls.go); the result is told by TellResult, perhaps before the operation returns.
	OpInvoke
	// OpCancel: a is a registry, text the list of the tickets of calls that their caller withdraws.
	OpCancel
	// OpVersion: a is a registry; back comes the version as bare text.
	OpVersion
	// OpInvalidate: a is a registry.
	OpInvalidate
	// OpListen: a is a registry, b 1 to have events told, 2 to have steps of calls told, 3 for both, 0 to stop.
	OpListen
	// OpSetExecutor: a is a registry, b 1 when the page has an executor, 0 when not.
	OpSetExecutor
	// OpPending: a is a registry; back comes the list of pending confirmations.
	OpPending
	// OpResolve: a is a registry, b 1 to approve and 0 to deny, text the confirmation id as bare text;
	// back comes true or false.
	OpResolve
	// OpAwaitConfirmation: a is a registry, b the script's ticket, text the id; the outcome is told by
	// TellOutcome.
	OpAwaitConfirmation
	// OpCancelAwait: a is a registry, b the ticket.
	OpCancelAwait
	// OpForceExpire: a is a registry, text the id; back comes true or false.
	OpForceExpire
	// OpSettle: a is the bridge's ticket, b an Answer, text what a pending Ask came to.
	OpSettle
	// OpNext: a is the ticket of a policy hook that has called next after it had returned.
	OpNext
	// OpTimers, OpTasks and OpSoon: the timer that was armed is due, the task or the microtask that was
	// asked for runs.
	OpTimers
	OpTasks
	OpSoon
	// OpCheckAdapter: text { confirm?, confirmWithoutClient?, exposeCapability?, exposedTo?, snapshotContext? },
	// the options of an adapter; nothing comes back when they are right.
	OpCheckAdapter
	// OpStartAdapter: a is the script's number for an adapter, b a registry, text { options, consumer?,
	// snapshotContext? }. It is an adapter until TellAdapterIdle.
	OpStartAdapter
	// OpStopAdapter: a is an adapter.
	OpStopAdapter
	// OpAdapterStatus: a is an adapter; back comes its status.
	OpAdapterStatus
	// OpCallTool: a is an adapter, or was one, b the script's ticket, text { token, client, aborted?, input? };
	// the result is told by TellToolResult.
	OpCallTool
	// OpCancelTool: a is an adapter, b the ticket.
	OpCancelTool
	// OpToolAdded: a is the ticket of an added tool, text the browser's refusal or empty.
	OpToolAdded
	// OpRefreshAdapter: a is an adapter; the page became visible.
	OpRefreshAdapter
	// OpTables: back comes { name: size } of the bridge's tables, for leak tests.
	OpTables
	// OpCheckSchema: text a JSON Schema; back comes nothing when it is in the subset.
	OpCheckSchema
	// OpCompute: a is a function of compute.go, text a line for each of its arguments; back comes its result, and
	// for a = 0 the table of the functions.
	OpCompute
	// OpValidate: a is the script's number for the definition, text the definition; nothing comes back when it
	// could be registered.
	OpValidate
	// OpCheckPolicy: text what describes a built-in policy; back comes its name as bare text.
	OpCheckPolicy
	// OpVote: text { policies, context }; back comes { decision, reason? }. The page answers for registry 0.
	OpVote
	// OpExplain: a is a registry, text { consumer? }; back comes the report of package explain.
	OpExplain
	// OpOffering: a is a registry, b 1 to capture, text { consumer?, capabilityId, instanceId? }; back comes
	// { registrationId?, capabilityId?, surfaceVersion? }.
	OpOffering
	// OpMount: a is a registry, b the script's number for the definition, text "plan instanceId"; back comes the same
	// as from OpRegister without the plan, or nothing when the plan is not kept any more.
	OpMount
	// OpCreateToolset: a is a registry, text { consumer, mode?, topology?, confirmations?, scope?, budget?,
	// waitTimeoutMs? }; back comes the toolset.
	OpCreateToolset
	// OpTools: a is a toolset; back comes what toolsets.go says.
	OpTools
	// OpCallToolset: a is a toolset, or was one, b the script's ticket, text a line each for what toolsets.go says; the
	// result is told by TellResult, behind a line with its capabilityId.
	OpCallToolset
	// OpListenToolset: a is a toolset, b 1 to have changes told by TellTools, 0 to stop.
	OpListenToolset
	// OpDisposeToolset: a is a toolset. It does nothing when that is gone already.
	OpDisposeToolset
	// OpConformance: a is the script's number for an adapter under test, text its traits; TellConformance has the report.
	OpConformance
	// OpPin: text the pin of the reviewed contract; only before any other operation.
	OpPin
	// OpAuthority: text a manifest, or nothing and b 2 for that of web tools, 1 for an open authority that production may use, 0 for one that it
	// may not; back comes "authority hash".
	OpAuthority
	// OpGateway: a is an authority, text { environment? }; nothing comes back when there may be a gateway.
	OpGateway
	// OpExpose: a is an authority, text the list of the external tools as they were declared, { id, title?, description,
	// input, output?, effect, confirmation?, untrustedContent? }; nothing comes back when all may be exposed.
	OpExpose
	// OpGuest: a is the script's number of a guest, b a registry or 0, text a line each for the name of what it wants and
	// for its arguments, as of OpCompute; back comes what guests.go says.
	OpGuest
	// OpFault: a is a fault, b its parameter; only in builds with the tag "faults".
	OpFault
)

// Status is how an operation ended.
type Status int32

// The statuses: the text that comes back with each.
const (
	// StatusOK: what the operation gives.
	StatusOK Status = iota
	// StatusDefinition: { code, message } of a structural defect.
	StatusDefinition
	// StatusType: the message of a TypeError, bare.
	StatusType
	// StatusDisposed: nothing; the registry has been disposed of.
	StatusDisposed
	// StatusInternal: nothing; the operation panicked and was contained.
	StatusInternal
)

// Question is what the bridge asks of the page.
type Question int32

// The questions: what a and b are, what the text is and what the answer is.
const (
	// AskHandler: a is a definition, b the capability's index in it, text as callText has it; the answer is
	// the output or a failure, at once or later.
	AskHandler Question = iota + 1
	// AskPrecondition: the same; the answer is nothing, or { message, details? }.
	AskPrecondition
	// AskWhen: a and b as above; the answer is true or false.
	AskWhen
	// AskReason, AskBind and AskDescribe: a and b as above; the answer is a JSON string, an object, a JSON
	// string.
	AskReason
	AskBind
	AskDescribe
	// AskDiscovery: a is a policy, b a registry, text the context as contextText has it; the answer is
	// { decision, reason? } or
	// nothing.
	AskDiscovery
	// AskAuthorize and AskInvoke: a is a policy, b a registry, text the context as contextText has it; the
	// answer is nothing or a
	// failure, at once or later.
	AskAuthorize
	AskInvoke
	// AskExecutor: a is a registry, text its path on a line and then as callText has it; the answer is
	// the output or a failure.
	AskExecutor
	// AskGuard: a is a registry, text the candidate; the answer is "accept" or anything else.
	AskGuard
	// AskRoute: a is a registry; the answer is { path, params? } or nothing.
	AskRoute
	// AskHost: a is a registry, text a key; the answer is true or false: whether the host context has a
	// truthy value there.
	AskHost
	// AskParse: a is a definition's schema, text a value; the answer is { value } or { issues }.
	AskParse
	// AskNow: a is a registry; the answer is milliseconds.
	AskNow
	// AskFindContext: a is an adapter; the answer is the removal style of the surface, or nothing.
	AskFindContext
	// AskAddTool: a is an adapter, text the tool; the answer is nothing, a failure, or later.
	AskAddTool
	// AskRemoveTool: a is an adapter, text the name.
	AskRemoveTool
	// AskReplaceTools: a is an adapter, text the list of tools.
	AskReplaceTools
	// AskExpose: a is an adapter, text a capability's descriptor; the answer is a string, null or nothing.
	AskExpose
	// AskConfirm: a is an adapter, b the ticket of the tool's call, text the pending record; the answer is
	// true or anything else, at once or later.
	AskConfirm
	// AskPolicy: a is a built-in policy, b a registry, text a line and then as contextText has it; the line is the name of the option, or
	// the number of the argument, that the policy was made with; the answer is what it gives.
	AskPolicy
	// AskSubject: a is an adapter under test, b which instance of it, text { do, registry, … } as conformance.go has
	// it; the answer is { value } or { failed }, at once or later.
	AskSubject
	// AskPrepare: as AskHandler, of a procedure that the page carries out itself; the answer is what it prepared.
	AskPrepare
	// AskPerson: the same, with the pending record in place of the input; the answer is true or anything else, at
	// once or later. TellAbort says that it is not needed any more.
	AskPerson
	// AskGuest: a is a guest, text an object whose member do says what is asked (guests.go); the answer is what the guest
	// gives, at once where there is no ticket, else at once or later.
	AskGuest
)

// Answer is how the page answers.
type Answer int32

// The answers. AnswerNext may be added to the others: the policy hook called next.
const (
	// AnswerValue: the text is the answer; empty is nothing.
	AnswerValue Answer = iota
	// AnswerThrown: the text is the payload of an AgentSurfaceError.
	AnswerThrown
	// AnswerFailed: something else was thrown; the text is { transient?, retryAfterMs? } or empty.
	AnswerFailed
	// AnswerNotJSON: the value cannot be JSON; the text says what and where.
	AnswerNotJSON
	// AnswerPending: the answer comes by OpSettle.
	AnswerPending
	// AnswerTooLong: the value is more than the registry takes of one; the text says how much that is.
	AnswerTooLong

	AnswerNext      Answer = 1 << 4
	AnswerNextTwice Answer = 1 << 5
)

// News is what the bridge tells the page.
type News int32

// The news: what a and b are and what the text is.
const (
	// TellResult: a is a registry, b the script's ticket, text the result of a call as resultText has it.
	TellResult News = iota + 1
	// TellOutcome: the same numbers, text the outcome of a confirmation, bare.
	TellOutcome
	// TellEvent: a is a registry, text the event; with b 1 it is a step of a call, as registry.Watch has it.
	TellEvent
	// TellAudit: a is a registry, b the policy whose sink is meant or 0 for the registry's, text the audit event.
	TellAudit
	// TellAbort: a is the bridge's ticket of a pending handler, text the reason: its signal aborts.
	TellAbort
	// TellNext: a is a ticket, b 0 when the inner policies agreed, text their refusal otherwise: the promise
	// of next settles.
	TellNext
	// TellFreed: a is a definition that nothing refers to any more.
	TellFreed
	// TellLog: a is a registry or 0, b 1 for what is for reference only, text a diagnostic for developers.
	TellLog
	// TellToolResult: a is an adapter, b the script's ticket, text the result of a tool call.
	TellToolResult
	// TellHandlerDone: a is the ticket of a policy hook, or of a handler that has outlived its call, that the
	// runtime has no more use for.
	TellHandlerDone
	// TellAdapterIdle: a is an adapter that has stopped and of which nothing is left, text its last status.
	TellAdapterIdle
	// TellConformance: a is an adapter under test, text the report: [{ name, rule, passed, error? }].
	TellConformance
	// TellTools: a is a registry, b a toolset of it whose tools are others than those that were handed out last.
	TellTools
)
