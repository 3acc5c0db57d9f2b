import * as z from "zod/mini";
import { acceptFile } from "../../home/accepted.ts";
import { branchRef, requireRepository } from "../../home/git/repository.ts";
import { line } from "../../objects/format/schema.ts";
import { mostBytesAt } from "../../objects/tree/broken.ts";
import { arrivalOf } from "../../objects/tree/layout.ts";
import { PLAIN_MODE } from "../../objects/tree/record.ts";
import { defineOperation } from "../../operation.ts";
import { refuse } from "../../refusal.ts";
import { readAll } from "../../store/git/git-blobs.ts";
import { listTree } from "../../store/git/git-list.ts";
import { exists } from "../../store/read/facts.ts";
import { bytesAt } from "../../store/read/read-file.ts";
import { publish } from "../../store/write/publish.ts";
import type { World } from "../../world.ts";

/** Longer names no common disk takes. */
const NAME_BYTES = 255;

/** Accepts one file outside of the layout, with exactly the bytes that it has, on this machine. */
export const accept = defineOperation({
  name: "accept",
  summary: "Accept one file that Relay does not know, as it is now, so that it is checked out or recorded",
  effect: "write",
  idempotent: true,
  identity: "none",
  positionals: ["path"],
  input: () => ({ path: line(512, "path of the file in the home, or in its branch") }),
  output: () => ({ path: z.string(), bytes: z.number(), from: z.enum(["home", "branch"]) }),
  example: { path: "notes/plan.md" },
  async run(world, { path }) {
    const { store } = world.home();
    const arrival = arrivalOf({ path, mode: PLAIN_MODE });
    const wrong = (expected: string): Error =>
      refuse("invalid_argument", { argument: "path", expected, given: path, example: "notes/plan.md" });
    if (arrival === "known") throw wrong("a file that Relay does not know (this one is part of the layout)");
    if (arrival === "attempt") throw wrong("a path without names of git or of this machine");
    if (path.split("/").some((name) => Buffer.byteLength(name) > NAME_BYTES)) throw wrong(`names of at most ${NAME_BYTES} bytes`);
    const here = exists(store, path);
    const bytes = here ? bytesAt(store, path, mostBytesAt(path)) : await branchBytes(world, path);
    if (bytes === null) throw wrong(`the path of a plain file of at most ${mostBytesAt(path)} bytes that is in the home or on its branch`);
    acceptFile(world, path, bytes);
    // What is here is recorded as it is; what only the branch has is checked out.
    if (!here) publish(store, path, bytes);
    return { path, bytes: bytes.length, from: here ? ("home" as const) : ("branch" as const) };
  },
});

/** What the branch has at a path; null where that is no plain file, or too large. */
async function branchBytes(world: World, path: string): Promise<Buffer | null> {
  const repository = requireRepository(world);
  for await (const file of listTree(repository, branchRef(repository))) {
    if (file.path !== path || arrivalOf(file) === "attempt") continue;
    return (await readAll(repository, [file.id], mostBytesAt(path))).get(file.id) ?? null;
  }
  return null;
}
