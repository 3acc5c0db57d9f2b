/** A process that sends a message for each subject of a line on stdin, and prints the time, in milliseconds since the epoch, of the last write. */
import readline from "node:readline";

const { createWorld, operations, perform } = await import(new URL("../../dist/index.js", import.meta.url).href);

const world = createWorld({ cwd: process.argv[2], part: "web" });
await perform(world, operations.whoami, {});
process.stdout.write("ready\n");
for await (const line of readline.createInterface({ input: process.stdin })) {
  let at = 0;
  for (const subject of JSON.parse(line)) {
    await perform(world, operations.send, { to: ["human"], subject, body: "What was said and done. ".repeat(20) });
    at = Date.now();
  }
  process.stdout.write(`${at}\n`);
}
