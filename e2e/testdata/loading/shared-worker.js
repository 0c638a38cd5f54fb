// A shared worker, whose pages use one runtime.
import { load } from "/pagewarden.mjs";
import { serve } from "./worker.js";

let runtime;
self.onconnect = ({ ports: [port] }) => serve((wasm) => (runtime ??= load({ wasm })), port);
