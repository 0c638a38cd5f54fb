import { StrictMode, useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
import { load } from "pagewarden";
import { cart } from "./contract.js";

const runtime = await load({ wasm: "pagewarden.wasm" });
const contract = await (await fetch(".pagewarden/contract.json")).json();
const registry = runtime.createAgentSurfaceRegistry({ authority: runtime.createCapabilityAuthority(contract) });
runtime.createWebMcpAdapter().start({ registry, consumer: { id: "browser-agent", kind: "webmcp" } });

/** Registers what bind gives as long as the component is mounted; state() is what the last rendering showed. */
function useCapabilities(value, bind) {
  const shown = useRef(value);
  useEffect(() => {
    shown.current = value;
  });
  useEffect(() => {
    const handle = registry.register(bind(() => shown.current));
    return () => handle.unregister();
  }, []);
}

function Cart() {
  const [articles, setArticles] = useState(["tea"]);
  const [open, setOpen] = useState(true);
  return (
    <main>
      <h1>Shop</h1>
      <button onClick={() => setOpen(!open)}>{open ? "Close the cart" : "Open the cart"}</button>
      {open && <Articles articles={articles} setArticles={setArticles} />}
    </main>
  );
}

function Articles({ articles, setArticles }) {
  useCapabilities(articles, (state) => cart.bind({
    observations: { articles: { read: state } },
    actions: {
      // flushSync: the agent's next call finds what this one has done.
      add: { execute: ({ article }) => flushSync(() => setArticles((all) => [...all, article])) },
      remove: {
        execute: ({ article }) => {
          if (!state().includes(article)) {
            throw new runtime.AgentSurfaceError({ code: "PRECONDITION_FAILED", message: "That is not in the cart.", retry: "with-changes" });
          }
          flushSync(() => setArticles((all) => all.filter((one) => one !== article)));
        },
      },
    },
  }));
  return <ul>{articles.map((article, i) => <li key={i}>{article}</li>)}</ul>;
}

createRoot(document.getElementById("root")).render(<StrictMode><Cart /></StrictMode>);
