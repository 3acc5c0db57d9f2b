/** A process that calls one operation, and prints what the call took, in milliseconds, and what the process holds more after it, in megabytes. */
const { createWorld, operations, perform } = await import(new URL("../../dist/index.js", import.meta.url).href);

const [folder, name, input = "{}"] = process.argv.slice(2);
const world = createWorld({ cwd: folder, part: "web" });
const operation = Object.values(operations).find((each) => each.name === name);
await perform(world, operations.whoami, {});
const heldMb = () => {
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 2 ** 20;
};
const before = heldMb();
const started = performance.now();
await perform(world, operation, JSON.parse(input));
const ms = performance.now() - started;
process.stdout.write(JSON.stringify({ ms, mb: heldMb() - before }));
