// What the document has of WebMCP. It looks without trusting the page: a getter may throw.
(async () => {
  const read = (holder, name) => {
    try {
      return holder[name] ?? undefined;
    } catch {
      return undefined;
    }
  };
  const has = (object, name) => typeof read(object ?? {}, name) === "function";
  const onDocument = read(document, "modelContext");
  const onNavigator = read(navigator, "modelContext");
  const testing = read(navigator, "modelContextTesting");
  const context = onDocument ?? onNavigator;

  /** Whether the browser itself made the object. */
  const native = () => {
    const holder = onDocument === undefined ? Navigator.prototype : Document.prototype;
    const getter = Object.getOwnPropertyDescriptor(holder, "modelContext")?.get;
    return context !== undefined && getter !== undefined && /\[native code\]\s*\}$/.test(Function.prototype.toString.call(getter));
  };

  /**
   * In which form executeTool takes an input. A text is converted before anything else where an object is wanted, and
   * the tool that is named does not exist, so that nothing can start.
   */
  const form = async () => {
    const nobody = { name: "-", description: "-", window, origin: location.origin };
    try {
      await context.executeTool(nobody, "{}", { signal: AbortSignal.abort() });
    } catch (error) {
      return error instanceof TypeError ? "object" : "string";
    }
    return "string";
  };

  const policy = read(document, "permissionsPolicy") ?? read(document, "featurePolicy");
  const known = has(policy, "features") && policy.features().includes("tools");
  const allowed = !known ? "unknown" : policy.allowsFeature("tools") ? "allowed" : "forbidden";
  const methods = (object, names) => names.filter((name) => has(object, name));
  return {
    url: location.href,
    secure: isSecureContext,
    document: onDocument !== undefined,
    navigator: onNavigator !== undefined,
    native: native(),
    methods: methods(context, ["registerTool", "unregisterTool", "provideContext", "clearContext", "getTools", "executeTool"]),
    testing: methods(testing, ["listTools", "executeTool"]).length === 2,
    executeTool: has(context, "executeTool") && has(context, "getTools") && allowed !== "forbidden" ? await form() : "",
    policy: allowed,
  };
})()
