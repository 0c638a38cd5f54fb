// A module worker.
import { load } from "/pagewarden.mjs";
import { serve } from "./worker.js";

serve((wasm) => load({ wasm }), self);
