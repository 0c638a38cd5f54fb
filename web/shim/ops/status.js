// @ts-check
/** How an operation ended: the statuses of jsbridge/ops.go, which says what each takes. Constants, so that the bundler writes the numbers. */
export const OK = 0;
export const Definition = 1;
export const Type = 2;
export const Disposed = 3;
export const Internal = 4;
