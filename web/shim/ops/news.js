// @ts-check
/** What the module tells the page: the news of jsbridge/ops.go, which says what each takes. Constants, so that the bundler writes the numbers. */
export const Result = 1;
export const Outcome = 2;
export const Event = 3;
export const Audit = 4;
export const Abort = 5;
export const Next = 6;
export const Freed = 7;
export const Log = 8;
export const ToolResult = 9;
export const HandlerDone = 10;
export const AdapterIdle = 11;
export const Conformance = 12;
export const Tools = 13;
