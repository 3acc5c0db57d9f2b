import * as z from "zod/mini";
import { unreadIds } from "../home/inbox.ts";
import { inboxNew } from "../objects/part.ts";
import { count, LIMITS } from "../objects/schema.ts";
import { defineOperation } from "../operation.ts";
import { EXIT, refuse } from "../refusal.ts";
import { absolute } from "../store/root.ts";
import { watchFolders } from "../store/watch.ts";
import { inbox } from "./inbox.ts";
import { look } from "./look.ts";
import { Brief, Faults, withFaults } from "./shapes.ts";

const SHOWN = 10;

/** Blocks until something is unread. */
export const wait = defineOperation({
  name: "wait",
  tool: { name: "wait", group: "room" },
  command: "wait",
  summary: "Block until something is unread, or the time is over (exit code 8)",
  when: "Block until mail comes, when you have nothing else to do.",
  effect: "read",
  idempotent: true,
  identity: "reader",
  home: true,
  positionals: [],
  input: () => z.object({ timeoutSeconds: count(0, LIMITS.waitSeconds, 50, "seconds; most clients give up at 60") }),
  output: () => z.object({ unread: z.number(), timedOut: z.boolean(), messages: z.array(Brief), problems: Faults }),
  example: { timeoutSeconds: 50 },
  exit: ({ timedOut }) => (timedOut ? EXIT.timeout : EXIT.ok),
  async run(world, input, caller) {
    const { store } = world.home();
    const unread = (): number => unreadIds(store, caller.part).length;
    if (unread() === 0 && input.timeoutSeconds > 0) {
      await new Promise<void>((resolve, reject) => {
        const finish = (): void => {
          clearTimeout(timer);
          world.signal?.removeEventListener("abort", finish);
          void watching.then((watch) => watch.close()).then(resolve, reject);
        };
        const folders = [inboxNew(caller.part), "local/pending", "outbox"].map((folder) => absolute(store, folder));
        const watching = watchFolders(folders, async () => {
          await look(world);
          if (unread() > 0) finish();
        });
        const timer = setTimeout(finish, input.timeoutSeconds * 1_000);
        world.signal?.addEventListener("abort", finish, { once: true });
        // A call that was cancelled before this line hears of it no more.
        if (world.signal?.aborted === true) finish();
        watching.then(() => unread() > 0 && finish(), reject);
      });
    }
    const { messages, unread: left, problems = [] } = await inbox.run(world, { unreadOnly: true, limit: SHOWN }, caller);
    if (left === 0 && world.signal?.aborted === true) throw refuse("interrupted", { state: "nothing came until then" });
    return withFaults({ unread: left, timedOut: left === 0, messages }, problems);
  },
});
