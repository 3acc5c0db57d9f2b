import * as z from "zod/mini";
import { examine, type Finding } from "../home/examine.ts";
import { examineSurroundings } from "../home/surroundings.ts";
import { CONFIG_PATH } from "../objects/config.ts";
import { flag } from "../objects/schema.ts";
import { defineOperation } from "../operation.ts";
import { EXIT, Refusal } from "../refusal.ts";
import type { World } from "../world.ts";
import { look } from "./look.ts";

const Reported = z.object({
  severity: z.enum(["error", "warning", "note"]),
  code: z.string(),
  path: z.optional(z.string()),
  line: z.optional(z.number()),
  problem: z.string(),
  remedy: z.optional(z.string()),
  fixable: z.boolean(),
});

/** Looks a home over, and puts right what is safe to. */
export const doctor = defineOperation({
  name: "doctor",
  tool: null,
  command: "doctor",
  summary: "Look the home over; read-only, unless --fix puts right what is safe to",
  when: "Find out what is wrong.",
  effect: "write",
  idempotent: true,
  identity: "none",
  home: false,
  positionals: [],
  input: () => z.object({ fix: flag("put right what is safe to") }),
  output: () => z.object({ ok: z.boolean(), home: z.string(), findings: z.array(Reported), fixed: z.array(z.string()) }),
  example: {},
  exit: ({ ok }) => (ok ? EXIT.ok : EXIT.failed),
  async run(world, { fix }) {
    const findings = [...(await examineSurroundings(world)), ...(await examineConfigured(world, fix === true))];
    const fixed: string[] = [];
    const left: Finding[] = [];
    for (const finding of findings) {
      if (fix !== true || finding.fix === undefined) left.push(finding);
      else {
        finding.fix();
        fixed.push(`${finding.path ?? finding.code}: ${finding.problem}`);
      }
    }
    const reported = left.map(({ fix: repair, ...rest }) => ({ ...rest, fixable: repair !== undefined }));
    return { ok: left.every(({ severity }) => severity === "note"), home: world.home().store.root, findings: reported, fixed };
  },
});

/**
 * The home's own findings; a configuration that cannot be read is one, and hides the others.
 * @param completing whether to complete first what killed writers left
 */
async function examineConfigured(world: World, completing: boolean): Promise<Finding[]> {
  try {
    world.home().config();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return [{ severity: "error", code: error.code, path: CONFIG_PATH, problem: error.message }];
  }
  if (completing) await look(world);
  // Loaded when it is needed: it knows JSON and TOML as people write them, which no other command needs.
  const { examineAgents } = await import("../home/examine-agents.ts");
  return [...examine(world), ...examineAgents(world)];
}
