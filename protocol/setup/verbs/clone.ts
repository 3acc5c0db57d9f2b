import path from "node:path";
import * as z from "zod/mini";
import { nameInUrl } from "../../core/config/install-url.ts";
import { count, LIMITS, line, maybe } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import { refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { cloneInto } from "../../git/remote/git-remote.ts";
import { shownUrl } from "../../git/remote/remote-url.ts";
import { init } from "./init.ts";

/** Clones a repository with its home. */
export const clone = defineOperation({
  name: "clone",
  summary: "Clone a repository and its home; make a home if it has none",
  effect: "write",
  idempotent: false,
  identity: "none",
  home: false,
  positionals: ["url", "folder"],
  input: () => ({
    url: line(2_048, "the repository, as `git clone` takes it"),
    folder: maybe(line(1_024, "the new folder (default: the repository's name)")),
    branch: z._default(line(LIMITS.name, "branch of the home's own repository"), "relay"),
    timeoutSeconds: count(1, 86_400, 3_600, "most seconds for the remote"),
  }),
  output: () => ({
    folder: z.string(),
    home: z.string(),
    created: z.boolean(),
    joined: z.nullable(z.string()),
    parts: z.array(z.string()),
    branch: z.nullable(z.string()),
    warning: z.optional(z.string()),
  }),
  example: { url: "https://example.com/shop.git" },
  async run(world, { url, folder, branch, timeoutSeconds }) {
    const name = folder ?? nameInUrl(url);
    if (name.startsWith("-") || name === "")
      throw refuse("invalid_argument", { argument: "folder", expected: "a folder to clone into", given: name, example: "shop" });
    world.progress?.(`cloning ${shownUrl(url)}`);
    await cloneInto(world.cwd, url, name, { timeoutMs: timeoutSeconds * 1_000, signal: world.signal });
    const into = path.resolve(world.cwd, name);
    const inside = Object.create(world, { cwd: { value: into } }) as World;
    const made = await init.run(inside, { main: "main", branch }, { part: "" });
    const { home, created, joined = null, parts, branch: on, warning } = made;
    return { folder: into, home, created, joined, parts, branch: on, ...(warning === undefined ? {} : { warning }) };
  },
});
