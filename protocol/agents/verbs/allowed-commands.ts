/** The commands that may run on this machine for a project, and the permissions of the project's earlier place. */
import path from "node:path";
import * as z from "zod/mini";
import { refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { absoluteOnly } from "../../store/program.ts";
import type { Store } from "../../store/root.ts";
import { digestOf, grantsIn } from "../../trust/files/grants.ts";
import { carryOver, movedPlace, wakeMethodsIn } from "../../wake/files/moved-project.ts";
import { notifiesIn, notifyDigest, wordsOf } from "../../wake/files/notify-list.ts";

/** A command that may run on this machine. `purpose` is what it runs for. */
export const AllowedCommand = z.object({
  digest: z.string(),
  purpose: z.enum(["hook", "deliver", "start", "notify"]),
  who: z.string(),
  moment: z.nullable(z.string()),
  argv: z.array(z.string()),
});

type Entry = z.infer<typeof AllowedCommand>;

/** All that may run by what a place holds. */
export function allowedCommands(store: Store | null): Entry[] {
  if (store === null) return [];
  const hooks = grantsIn(store).map((each) => ({
    digest: digestOf(each),
    purpose: "hook" as const,
    who: each.agent,
    moment: each.moment,
    argv: [...each.argv],
  }));
  const notifies = notifiesIn(store).map((each) => ({
    digest: notifyDigest(each),
    purpose: "notify" as const,
    who: each.name,
    moment: null,
    argv: wordsOf(each),
  }));
  return [...hooks, ...wakeMethodsIn(store), ...notifies];
}

/** What was allowed where the project lay before; carried over where a person said so. @throws Refusal `invalid_argument` */
export async function carryCommands(world: World, agreed: boolean): Promise<{ from: string; grants: Entry[]; done: boolean }> {
  const before = movedPlace(world);
  if (before === null) {
    throw refuse("usage", {
      problem: "There is nothing to carry over: this machine knows no earlier folder of this project that is gone.",
      help: "`relay trust` lists what waits for your agreement here.",
    });
  }
  const grants = allowedCommands(before.store);
  if (agreed) {
    requireAbsolutePath(world);
    carryOver(world, before);
  }
  return { from: before.path, grants, done: agreed };
}

/** A command finds its programs by PATH; a folder in it that is not absolute is another one in each place. @throws Refusal `invalid_argument` */
export function requireAbsolutePath(world: World): void {
  const searched = world.env["PATH"];
  if (searched === undefined || absoluteOnly(searched) === searched) return;
  const relative = searched.split(path.delimiter).find((folder) => !path.isAbsolute(folder));
  const expected = "only absolute folders, because any other can lead to a file of the project. Remove it from PATH, then trust again";
  throw refuse("invalid_argument", {
    argument: "PATH",
    expected,
    given: relative === "" ? "an empty entry" : relative,
    example: "/usr/bin",
  });
}
