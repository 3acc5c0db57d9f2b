import * as z from "zod/mini";
import { finishPending } from "../../core/finish-pending.ts";
import { FINDINGS, type Finding, found, TOLD_OF_CODE, toldFindings } from "../../core/format/finding.ts";
import { flag } from "../../core/format/schema.ts";
import { openHome } from "../../core/home/home.ts";
import { defineOperation } from "../../core/operation.ts";
import { EXIT, Refusal } from "../../core/refusal.ts";
import { type World, withHome } from "../../core/world.ts";
import { sortAllRead } from "../../mail/files/members.ts";
import { ensureFolder } from "../../store/beside/own-folder.ts";
import { bringHomeBack, lostHome } from "../../sync/sync/join-home.ts";
import { examine, LOOKED } from "../files/examine.ts";
import { standing } from "../files/lasting-findings.ts";

const Reported = z.object({
  severity: z.enum(["error", "warning", "note"]),
  code: z.string(),
  path: z.optional(z.string()),
  line: z.optional(z.number()),
  problem: z.string(),
  remedy: z.optional(z.string()),
  more: z.optional(z.number()),
  fixable: z.boolean(),
});

/** Checks a home and its machine, and with `fix` repairs what can be repaired safely. */
export const doctor = defineOperation({
  name: "doctor",
  summary: "Check the home and this machine for problems; --fix repairs what can be repaired safely",
  effect: "write",
  idempotent: true,
  identity: "none",
  home: false,
  input: () => ({ fix: flag("repair what can be repaired safely") }),
  output: () => ({
    ok: z.boolean(),
    home: z.string(),
    findings: z.array(Reported),
    fixed: z.array(z.string()),
    looked: z.array(z.string()),
  }),
  exit: ({ ok }) => (ok ? EXIT.ok : EXIT.failed),
  async run(world, { fix }) {
    const gone = await examineGone(world);
    if (gone !== null && fix !== true)
      return { ok: false, home: gone.path ?? "", findings: [reportedOf(gone)], fixed: [], looked: ["whether the home is there"] };
    // A folder that cannot be listed hides nothing else. Repairs look again.
    if (gone === null && fix !== true) world.home().store.passesOver = true;
    const fixed: string[] = [];
    const repair = async (finding: Finding): Promise<void> => {
      await finding.fix?.();
      fixed.push(`${finding.path ?? finding.code}: ${finding.problem}`);
    };
    if (gone !== null) await repair(gone);
    // What killed writers left is completed first, where something will be repaired.
    const prepare = async (): Promise<void> => {
      if (fix === true) await finishPending(world);
      sortAllRead(world);
    };
    const findings = await standing(world.home().store, (reads) => examine(world, reads, prepare), mayPass, fix === true);
    const isRepaired = (finding: Finding): boolean => fix === true && finding.fix !== undefined;
    for (const finding of findings.filter(isRepaired)) await repair(finding);
    const left = findings.filter((finding) => !isRepaired(finding));
    return {
      ok: left.every(({ severity }) => severity === "note"),
      home: world.home().store.root,
      findings: toldFindings(left).map(reportedOf),
      fixed: fixed.length > TOLD_OF_CODE ? [...fixed.slice(0, TOLD_OF_CODE), `and ${fixed.length - TOLD_OF_CODE} more`] : fixed,
      looked: [...LOOKED],
    };
  },
});

/** Whether a finding may be a writer's moment: any of a file; of the machine's own only what is more than noted, because most of those last. */
const mayPass = ({ severity, code }: Finding): boolean => severity !== "note" || code in FINDINGS;

const reportedOf = ({ fix: repair, found: _found, expected: _expected, commit: _commit, ...rest }: Finding): z.infer<typeof Reported> => ({
  ...rest,
  fixable: repair !== undefined,
});

/** A home whose folder is gone, while its record is there. */
async function examineGone(world: World): Promise<Finding | null> {
  try {
    world.home().config();
    return null;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // A configuration that cannot be read is a finding of its own.
    if (error.code !== "no_home") return null;
    const site = await lostHome(world.cwd);
    if (site === null) throw error;
    return found("home_gone", "the home's folder was deleted (`git clean -ffdx` does that); its last record is still there", {
      path: site.home,
      fix: async () => {
        ensureFolder(site.home);
        await bringHomeBack(withHome(world, openHome(site.home)), site);
      },
    });
  }
}
