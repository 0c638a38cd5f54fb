// @ts-check
/** How the page answers: the answers of jsbridge/ops.go, which says what each takes. Constants, so that the bundler writes the numbers. */
export const Value = 0;
export const Thrown = 1;
export const Failed = 2;
export const NotJSON = 3;
export const Pending = 4;
export const TooLong = 5;
export const Next = 16;
export const NextTwice = 32;
