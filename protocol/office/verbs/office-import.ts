import path from "node:path";
import * as z from "zod/mini";
import { FILE_BYTES, line } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import { EXIT, refuse } from "../../core/refusal.ts";
import { Fault } from "../../core/shapes.ts";
import { exists } from "../../store/read/facts.ts";
import { readText } from "../../store/read/read-file.ts";
import { publish } from "../../store/write/publish.ts";
import { inspectOffice } from "../files/read-office.ts";
import { findTeaparty } from "../files/read-teaparty.ts";
import { fromTeaparty } from "../nouns/from-teaparty.ts";
import { OFFICE_PATH } from "../nouns/org-files.ts";
import { faultsOf } from "./office-answers.ts";

/** Takes over the office of a TeaParty tree, and says what of it was left out. */
export const office_import = defineOperation({
  name: "office_import",
  summary: "Make an office from a TeaParty tree; replaces no file, and lists what Relay cannot take",
  effect: "write",
  idempotent: true,
  identity: "none",
  positionals: ["folder"],
  input: () => ({ folder: line(4_096, "the repository that has .teaparty/, or the folder of teaparty.yaml") }),
  output: () => ({
    ok: z.boolean(),
    created: z.array(z.string()),
    kept: z.array(z.string()),
    leftOut: z.array(z.object({ path: z.string(), problem: z.string() })),
    faults: z.array(Fault),
  }),
  example: { folder: "../teaparty" },
  exit: ({ ok }) => (ok ? EXIT.ok : EXIT.failed),
  async run(world, { folder }) {
    const { store } = world.home();
    const tree = findTeaparty(path.resolve(world.cwd, folder));
    const { files, leftOut } = fromTeaparty(tree.office, tree.projectAt);
    const others = [...files].filter(([at, text]) => exists(store, at) && readText(store, at, FILE_BYTES.team) !== text);
    if (others.length > 0) throw refuse("office_exists", { paths: others.map(([at]) => at) });
    // What comes from elsewhere is shown before it runs: nothing of it is trusted by being written here.
    const created = [...files].filter(([at, text]) => publish(store, at, text) === "created").map(([at]) => at);
    const faults = faultsOf(inspectOffice(store).faults, OFFICE_PATH);
    const kept = [...files.keys()].filter((at) => !created.includes(at));
    return { ok: faults.length === 0, created, kept, leftOut: [...leftOut], faults };
  },
});
