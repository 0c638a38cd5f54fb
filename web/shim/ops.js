// @ts-check
/** The operations, questions and news of jsbridge/ops.go, which says what each takes. A test compares. */

export const Op = Object.freeze({
  __proto__: null,
  CreateRegistry: 1, Dispose: 2, Register: 3, Unregister: 4, Update: 5, InvalidateHandle: 6, HandleStatus: 7,
  Snapshot: 8, Invoke: 9, Cancel: 10, Version: 11, Invalidate: 12, Listen: 13, SetExecutor: 14, Pending: 15,
  Resolve: 16, AwaitConfirmation: 17, CancelAwait: 18, ForceExpire: 19, Settle: 20, Next: 21, Timers: 22, Tasks: 23,
  Soon: 24, CreateAdapter: 25, StartAdapter: 26, StopAdapter: 27, AdapterStatus: 28, CallTool: 29, CancelTool: 30,
  ToolAdded: 31, RefreshAdapter: 32, Tables: 33, CheckSchema: 34, Fault: 35,
});

export const Status = Object.freeze({ __proto__: null, OK: 0, Definition: 1, Type: 2, Disposed: 3, Internal: 4 });

export const Question = Object.freeze({
  __proto__: null,
  Handler: 1, Precondition: 2, When: 3, Reason: 4, Bind: 5, Describe: 6, Discovery: 7, Authorize: 8, Invoke: 9,
  Executor: 10, Guard: 11, Route: 12, Host: 13, Parse: 14, Now: 15, FindContext: 16, AddTool: 17, RemoveTool: 18,
  ReplaceTools: 19, Expose: 20, Confirm: 21,
});

export const Answer = Object.freeze({
  __proto__: null,
  Value: 0, Thrown: 1, Failed: 2, NotJSON: 3, Pending: 4, Next: 16, NextTwice: 32,
});

export const News = Object.freeze({
  __proto__: null,
  Result: 1, Outcome: 2, Event: 3, Audit: 4, Abort: 5, Next: 6, Freed: 7, Log: 8, ToolResult: 9, HandlerDone: 10,
});
