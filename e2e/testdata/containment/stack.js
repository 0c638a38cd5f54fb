// Calls made when the page's own stack is nearly full, as any script of the page can make them.

/** Calls run with about that many frames of the stack left. */
export function withRoom(room, run) {
  let outcome = { kind: "never called" };
  let left = -1;
  (function down() {
    try {
      down();
    } catch {
      left = 0; // the end of the stack; every frame on the way back has a little more
    }
    if (left >= 0 && left++ === room) {
      try {
        outcome = { kind: "done", value: run() };
      } catch (error) {
        outcome = { kind: "threw", error };
      }
    }
  })();
  return outcome;
}
