// @ts-check
/** The faults of jsbridge/faults.go, which a build with the tag "faults" has. A test compares. */
export const PANIC = 1;
export const PANIC_ELSEWHERE = 2;
export const FATAL = 3;
export const EXIT = 4;
export const OUT_OF_MEMORY = 5;
export const RECURSION = 6;
export const TORN = 7;
export const GC_PERCENT = 8;
export const COLLECT = 9;
export const PANIC_IN_FLOW = 10;
export const TRAP = 11;
