// Before the runtime's script: keeps what is written to the console, as "level text", and lets it through.
globalThis.told = [];
for (const level of ["error", "warn", "debug"]) {
  const write = console[level].bind(console);
  console[level] = (...args) => {
    told.push(`${level} ${args.join(" ")}`);
    write(...args);
  };
}
