// @ts-check
/** What the module asks of the page: the questions of jsbridge/ops.go, which says what each takes. Constants, so that the bundler writes the numbers. */
export const Handler = 1;
export const Precondition = 2;
export const When = 3;
export const Reason = 4;
export const Bind = 5;
export const Describe = 6;
export const Discovery = 7;
export const Authorize = 8;
export const Invoke = 9;
export const Executor = 10;
export const Guard = 11;
export const Route = 12;
export const Host = 13;
export const Parse = 14;
export const Now = 15;
export const FindContext = 16;
export const AddTool = 17;
export const RemoveTool = 18;
export const ReplaceTools = 19;
export const Expose = 20;
export const Confirm = 21;
export const Policy = 22;
export const Subject = 23;
export const Prepare = 24;
export const Person = 25;
export const Guest = 26;
