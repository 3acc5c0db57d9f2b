/** A process that replies in one thread, as often as it is told, once a line on stdin says so. Prints a line when it is ready. */
import { once } from "node:events";

const { createWorld, operations, perform } = await import(new URL("../../dist/index.js", import.meta.url).href);

const [folder, part, threadId, replies] = process.argv.slice(2);
const world = createWorld({ cwd: folder, part });
await perform(world, operations.whoami, {});
process.stdout.write("ready\n");
await once(process.stdin, "data");
for (let done = 0; done < Number(replies); done += 1) {
  await perform(world, operations.reply, { threadId, body: `Reply ${done + 1} of ${replies} from ${part}.` });
}
process.stdin.destroy();
