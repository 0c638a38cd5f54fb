// The same form as react.jsx, with v-model.
import { createApp, reactive, ref } from "vue";

const state = reactive({ title: "", notes: "", count: "", when: "", size: "s", tags: [], pay: "", gift: false, extras: [] });
const version = ref(0);
const shown = ref(true);

createApp({
  setup: () => ({ state, version, shown }),
  template: `
    <form @submit.prevent>
      <label>Title <input id="title" :value="state.title" @input="state.title = $event.target.value.toUpperCase()"></label>
      <label>Notes <textarea id="notes" v-model.lazy="state.notes"></textarea></label>
      <label>Count <input id="count" type="number" v-model.number="state.count"></label>
      <label>When <input id="when" type="date" v-model="state.when"></label>
      <label>Size <select id="size" v-model="state.size"><option value="s">Small</option><option value="l">Large</option></select></label>
      <label>Tags <select id="tags" multiple v-model="state.tags"><option value="a">A</option><option value="b">B</option><option value="c">C</option></select></label>
      <fieldset><legend>Pay</legend>
        <label v-for="way in ['cash', 'card']"><input type="radio" name="pay" :value="way" v-model="state.pay"> {{ way }}</label>
      </fieldset>
      <label><input id="gift" type="checkbox" v-model="state.gift"> Gift</label>
      <fieldset><legend>Extras</legend>
        <label v-for="extra in ['wrap', 'card']"><input type="checkbox" name="extras" :value="extra" v-model="state.extras"> {{ extra }}</label>
      </fieldset>
      <button v-if="shown" :id="'send-' + version" :key="version" type="submit">Send order</button>
    </form>`,
}).mount("#root");

globalThis.app = {
  get state() {
    return state;
  },
  renew: () => { version.value++; },
  show: (value) => { shown.value = value; },
};
