/**
 * In place of web/shim/gojs.js: the imports of Go's own wasm_exec.js, untouched. What its run() sets up before it
 * enters the module is set up here, since the script enters the module itself.
 */
import "wasm_exec";

export class GoHost {
  #go = new globalThis.Go();

  constructor(exit) {
    this.#go.exit = exit;
  }

  open() {
    const go = this.#go;
    go._inst = globalThis.stockInstance; // left there by realm.js
    go.mem = new DataView(go._inst.exports.mem.buffer);
    go._values = [NaN, 0, null, true, false, globalThis, go];
    go._goRefCounts = new Array(go._values.length).fill(Infinity);
    go._ids = new Map([[0, 1], [null, 2], [true, 3], [false, 4], [globalThis, 5], [go, 6]]);
    go._idPool = [];
    go.exited = false;
  }

  close() {}

  imports() {
    return this.#go.importObject.gojs;
  }
}
