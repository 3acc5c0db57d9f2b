import * as z from "zod/mini";
import { flag, line, maybe } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import { refuse } from "../../core/refusal.ts";
import { environmentToSave, saveEnvironment } from "../files/launch-environment.ts";
import { officeCommands } from "../files/missing-programs.ts";
import { requireWholeOffice } from "../files/read-office.ts";
import { officeDigest, requirePerson, trustOffice, untrustedFiles } from "../files/trusted-office.ts";
import { whatRuns } from "../nouns/what-runs.ts";

/** Lets the office run on this machine, as exactly the texts that it has now. */
export const trust_office = defineOperation({
  name: "trust_office",
  summary: "Let the agents of the office run on this machine, as its files are now",
  effect: "write",
  idempotent: true,
  identity: "none",
  input: () => ({
    show: flag("only show what would run, and trust nothing"),
    digest: maybe(line(64, "trust it only while it has this digest, as `relay trust office --show --json` gives it")),
  }),
  output: () => ({
    digest: z.string(),
    runs: z.array(
      z.object({
        position: z.string(),
        name: z.string(),
        program: z.string(),
        model: z.nullable(z.string()),
        tools: z.nullable(z.readonly(z.array(z.string()))),
        isolation: z.string(),
      }),
    ),
    commands: z.array(z.object({ program: z.string(), argv: z.readonly(z.array(z.string())), file: z.nullable(z.string()) })),
    environment: z.array(z.string()),
    changed: z.array(z.string()),
    trusted: z.boolean(),
  }),
  async run(world, { show, digest: shown }) {
    requirePerson(world, "relay trust office");
    const { office, files, texts } = requireWholeOffice(world);
    const commands = officeCommands(world, { office, files });
    const environment = Object.keys(environmentToSave(world));
    const digest = officeDigest(texts, [commands, environment]);
    if (shown !== undefined && shown !== digest)
      throw refuse("invalid_argument", {
        argument: "digest",
        expected: `the digest of the office as it is now, ${digest}: it changed meanwhile`,
        given: shown,
        example: null,
      });
    const changed = untrustedFiles(world, texts);
    if (show !== true) {
      trustOffice(world, texts);
      saveEnvironment(world);
    }
    return { digest, runs: whatRuns(office, files), commands, environment, changed, trusted: show !== true || changed.length === 0 };
  },
});
