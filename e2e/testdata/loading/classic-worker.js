// A classic worker: the script leaves PageWarden on its global as on a page's.
importScripts("/pagewarden.js");
const load = (wasm) => PageWarden.load({ wasm });
import("./worker.js").then(({ serve }) => serve(load, self));
