// One page on which many loads are tried, one after the other.
import { load } from "/pagewarden.mjs";
import { attempt, offer, surface, use } from "./use.js";

globalThis.loading = {
  load, use, surface, offer,
  attempt: (make) => attempt(load, typeof make === "function" ? make : () => make),
};
