// The browser's own object, except that `execute` gets the client of the draft: requestUserInteraction runs its
// callback while the call lasts. The page hands it to the adapter, since no browser lets a page replace its object.
{
  const native = document.modelContext ?? navigator.modelContext;
  const withClient = (execute) => async (input, second) => {
    let active = true;
    const requestUserInteraction = async (callback) => {
      if (!active) {
        throw new DOMException("the call is over", "InvalidStateError");
      }
      return callback();
    };
    try {
      return await execute(input, { ...second, requestUserInteraction });
    } finally {
      active = false;
    }
  };
  globalThis.withClient = {
    registerTool: (tool, options) => native.registerTool({ ...tool, execute: withClient(tool.execute) }, options),
  };
  if (native.unregisterTool !== undefined) {
    globalThis.withClient.unregisterTool = (name) => native.unregisterTool(name);
  }
}
