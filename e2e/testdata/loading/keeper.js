// A service worker that keeps the module of its first day for ever.
addEventListener("install", (event) => event.waitUntil(caches.open("kept").then((cache) => cache.add("/pagewarden.wasm")).then(() => skipWaiting())));
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => {
  if (new URL(event.request.url).pathname === "/pagewarden.wasm") {
    event.respondWith(caches.match(event.request, { ignoreSearch: true }).then((kept) => kept ?? fetch(event.request)));
  }
});
