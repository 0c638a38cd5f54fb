// Leaves of the page's model context what the early preview was required to have: the whole set, and nothing else.
{
  const whole = navigator.modelContext;
  Object.defineProperty(navigator, "modelContext", {
    configurable: true,
    value: {
      provideContext: (context) => whole.provideContext(context),
      clearContext: () => whole.clearContext(),
    },
  });
}
