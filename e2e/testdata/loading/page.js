// One page on which many loads are tried, one after the other. What a test's expression may use is global.
import { load } from "/pagewarden.mjs";
import { attempt, offer, surface, use } from "./use.js";

/** The module's bytes, as an ArrayBuffer. */
globalThis.bytes = async () => (await fetch("/pagewarden.wasm")).arrayBuffer();

/** The module as an address that holds it. */
globalThis.dataAddress = async () => {
  const reader = new FileReader();
  reader.readAsDataURL(new Blob([await bytes()], { type: "application/wasm" }));
  await new Promise((resolve) => (reader.onload = resolve));
  return reader.result;
};

/** The module as the page's cache keeps it. */
globalThis.stored = async () => {
  const cache = await caches.open("loading");
  await cache.add("/pagewarden.wasm");
  return cache.match("/pagewarden.wasm");
};

/** Bytes in the middle of a larger array. */
globalThis.within = (buffer) => {
  const larger = new Uint8Array(buffer.byteLength + 32);
  larger.set(new Uint8Array(buffer), 16);
  return larger.subarray(16, 16 + buffer.byteLength);
};

/** What a function gives that gets the window of a frame, which lives on. */
globalThis.inFrame = async (run) => {
  const frame = document.createElement("iframe");
  document.body.append(frame);
  return run(frame.contentWindow);
};

globalThis.loading = { load, use, surface, offer, attempt: (make) => attempt(load, make) };
