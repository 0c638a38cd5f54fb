// A form of controlled fields: what they show is the application's state, and nothing else.
import { StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";

const empty = { title: "", notes: "", count: "", when: "", size: "s", tags: [], pay: "", gift: false, extras: [] };

function Order() {
  const [state, setState] = useState(empty);
  const [version, setVersion] = useState(0);
  const [shown, setShown] = useState(true);
  const put = (change) => setState({ ...state, ...change }); // what it knows of the rest is from the last rendering
  globalThis.app = { state, renew: () => setVersion((n) => n + 1), show: setShown };
  return (
    <form onSubmit={(event) => event.preventDefault()}>
      <label>Title <input id="title" value={state.title} onChange={(e) => put({ title: e.target.value.toUpperCase() })} /></label>
      <label>Notes <textarea id="notes" value={state.notes} onChange={(e) => put({ notes: e.target.value })} /></label>
      <label>Count <input id="count" type="number" value={state.count} onChange={(e) => put({ count: e.target.value })} /></label>
      <label>When <input id="when" type="date" value={state.when} onChange={(e) => put({ when: e.target.value })} /></label>
      <label>Size <select id="size" value={state.size} onChange={(e) => put({ size: e.target.value })}>
        <option value="s">Small</option><option value="l">Large</option>
      </select></label>
      <label>Tags <select id="tags" multiple value={state.tags} onChange={(e) => put({ tags: [...e.target.selectedOptions].map((o) => o.value) })}>
        <option value="a">A</option><option value="b">B</option><option value="c">C</option>
      </select></label>
      <fieldset><legend>Pay</legend>{["cash", "card"].map((way) => (
        <label key={way}><input type="radio" name="pay" value={way} checked={state.pay === way} onChange={() => put({ pay: way })} /> {way}</label>
      ))}</fieldset>
      <label><input id="gift" type="checkbox" checked={state.gift} onChange={(e) => put({ gift: e.target.checked })} /> Gift</label>
      <fieldset><legend>Extras</legend>{["wrap", "card"].map((extra) => (
        <label key={extra}><input type="checkbox" name="extras" value={extra} checked={state.extras.includes(extra)}
          onChange={(e) => put({ extras: e.target.checked ? [...state.extras, extra] : state.extras.filter((x) => x !== extra) })} /> {extra}</label>
      ))}</fieldset>
      {shown && <button id={`send-${version}`} key={version} type="submit">Send order</button>}
    </form>
  );
}

createRoot(document.getElementById("root")).render(<StrictMode><Order /></StrictMode>);
