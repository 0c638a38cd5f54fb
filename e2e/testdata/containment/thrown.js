// Whatever a function of the page may throw.

const refuse = () => {
  throw new Error("secret");
};

/** A proxy that throws whatever one does with it. */
const hostile = new Proxy({}, Object.fromEntries(Reflect.ownKeys(Reflect).filter((name) => typeof name === "string").map((name) => [name, refuse])));

function revoked() {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function cyclic() {
  const error = new Error("secret");
  return Object.assign(error, { cause: error, payload: error, details: [error] });
}

/** A window of another origin, of which nothing can be read. */
async function foreignWindow() {
  const frame = document.createElement("iframe");
  frame.sandbox = "";
  document.body.append(frame);
  await new Promise((resolve) => (frame.onload = resolve, frame.srcdoc = "<p>Elsewhere</p>"));
  return frame.contentWindow;
}

/** An error that pretends to be for the agent, with members that are not. */
const pretending = (more) => Object.assign(new Error("secret"), { name: "AgentSurfaceError" }, more);

export const thrown = {
  "nothing": undefined,
  "null": null,
  "true": true,
  "a number": NaN,
  "a bigint": 10n,
  "a text": "secret",
  "a symbol": Symbol("secret"),
  "an error": new Error("secret"),
  "a frozen error": Object.freeze(new Error("secret")),
  "a frozen object": Object.freeze({}),
  "an object without a prototype": Object.create(null),
  "an object whose message throws": { get message() { return refuse(); } },
  "an object whose name throws": { get name() { return refuse(); } },
  "an object whose transient throws": { get transient() { return refuse(); } },
  "an object whose text throws": { toString: refuse, [Symbol.toPrimitive]: refuse, stack: "secret" },
  "a message that is a symbol": { message: Symbol("secret") },
  "an error of itself": cyclic(),
  "a huge message": new Error("secret".repeat(1 << 16)),
  "a function": () => "secret",
  "a class": class Secret {},
  "a promise": Promise.resolve("secret"),
  "a thenable": { then: refuse },
  "a revoked proxy": revoked(),
  "a hostile proxy": hostile,
  "a DOM exception": new DOMException("secret", "AbortError"),
  "a window of another origin": await foreignWindow(),
  "an element": document.createElement("output"),
  "what looks like ours without payload": pretending({}),
  "what looks like ours with a text": pretending({ payload: "secret" }),
  "what looks like ours with an unknown code": pretending({ payload: { code: "SECRET", message: "secret", retry: "no" } }),
  "what looks like ours with a revoked payload": pretending({ payload: revoked() }),
  "what looks like ours with a payload that throws": pretending({ payload: { get code() { return refuse(); } } }),
  "what looks like ours with a cycle": pretending({ payload: cyclic() }),
};
