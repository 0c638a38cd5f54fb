import { createApp, h, onMounted, onUnmounted, ref, watch } from "vue";
import { defineAgentComponentContract, fromJsonSchema, load } from "pagewarden";

/** What agents may see and do of the lamp. */
const lamp = defineAgentComponentContract({
  type: "lamp",
  description: "The lamp on this page",
  observations: {
    state: {
      description: "Whether the lamp is on, and how bright it then is, in percent",
      output: fromJsonSchema({ type: "object", properties: { on: { type: "boolean" }, percent: { type: "integer" } }, required: ["on", "percent"], additionalProperties: false }),
    },
  },
  actions: {
    turn: {
      description: "Turn the lamp on or off",
      effect: "local-state",
      input: fromJsonSchema({ type: "object", properties: { on: { type: "boolean" } }, required: ["on"], additionalProperties: false }),
    },
    dim: {
      description: "Set the brightness in percent, while the lamp is on",
      effect: "local-state",
      input: fromJsonSchema({ type: "object", properties: { percent: { type: "integer", minimum: 1, maximum: 100 } }, required: ["percent"], additionalProperties: false }),
    },
  },
});

const runtime = await load({ wasm: "pagewarden.wasm" });
const contract = await (await fetch(".pagewarden/contract.json")).json();
const registry = runtime.createAgentSurfaceRegistry({ authority: runtime.createCapabilityAuthority(contract) });
runtime.createWebMcpAdapter().start({ registry, consumer: { id: "browser-agent", kind: "webmcp" } });

/** Registers a definition as long as the component is mounted, and tells the registry when what `of` gives has changed. */
function useCapabilities(definition, of) {
  let handle;
  onMounted(() => { handle = registry.register(definition); });
  onUnmounted(() => handle.unregister());
  watch(of, () => registry.invalidate(), { flush: "sync" });
}

const Lamp = {
  setup() {
    const on = ref(false), percent = ref(50);
    useCapabilities(lamp.bind({
      observations: { state: { read: () => ({ on: on.value, percent: percent.value }) } },
      actions: {
        turn: { execute: (input) => { on.value = input.on; } },
        dim: {
          when: () => on.value,
          unavailableReason: () => "The lamp is off.",
          execute: (input) => { percent.value = input.percent; },
        },
      },
    }), on);
    return () => h("main", [
      h("h1", "Lamp"),
      h("button", { onClick: () => { on.value = !on.value; } }, on.value ? "Turn off" : "Turn on"),
      h("p", { id: "state" }, on.value ? `on, ${percent.value} %` : "off"),
    ]);
  },
};

createApp(Lamp).mount("#root");
