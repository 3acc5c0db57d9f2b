import * as z from "zod/mini";
import { restoreConfig } from "../../home/change-config.ts";
import { configFaults, settingWarnings } from "../../home/check/check-yaml.ts";
import { type Reads, standing } from "../../home/check/lasting-findings.ts";
import { examine, examineFiles, guessedHome, toldOnce } from "../../home/doctor/examine.ts";
import { examineSurroundings } from "../../home/doctor/examine-git.ts";
import { type ConfigFault, openHome } from "../../home/home.ts";
import { bringHomeBack, lostHome } from "../../home/sync/join-home.ts";
import { CONFIG_PATH } from "../../objects/config/config-schema.ts";
import { FINDINGS, type Finding, found, moreFindings, TOLD_OF_CODE, toldFindings } from "../../objects/format/finding.ts";
import { flag, LIMITS } from "../../objects/format/schema.ts";
import { defineOperation } from "../../operation.ts";
import { EXIT, Refusal } from "../../refusal.ts";
import { ensureFolder } from "../../store/own-folder.ts";
import { readText } from "../../store/read.ts";
import type { Store } from "../../store/root.ts";
import { type World, withHome } from "../../world.ts";
import { finishPending } from "../finish-pending.ts";

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

/** Looks a home over, and puts right what is safe to. */
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
    const fixed: string[] = [];
    if (gone !== null) {
      await gone.fix?.();
      fixed.push(`${gone.path}: ${gone.problem}`);
    }
    const { store } = world.home();
    const look = (reads: Reads): Promise<Finding[]> => examineAll(world, fix === true, reads);
    const findings = await standing(store, look, mayPass, fix === true);
    const left: Finding[] = [];
    for (const finding of findings) {
      if (fix !== true || finding.fix === undefined) left.push(finding);
      else {
        await finding.fix();
        fixed.push(`${finding.path ?? finding.code}: ${finding.problem}`);
      }
    }
    return {
      ok: left.every(({ severity }) => severity === "note"),
      home: world.home().store.root,
      findings: toldFindings(left, moreFindings).map(reportedOf),
      fixed: fixed.length > TOLD_OF_CODE ? [...fixed.slice(0, TOLD_OF_CODE), `and ${fixed.length - TOLD_OF_CODE} more`] : fixed,
      looked: [...LOOKED],
    };
  },
});

/** Whether a finding may be a writer's moment: any of a file; of the machine's own only what is more than noted, because most of those last. */
const mayPass = ({ severity, code }: Finding): boolean => severity !== "note" || code in FINDINGS;

/** What is looked at, in words. */
const LOOKED = [
  "git, the home's repository and its branch",
  "links in worktrees, and which part each is",
  "permissions, and names that two file systems read differently",
  "every file of the home: can it be read, and is it complete",
  "threads and inboxes, tasks and claims",
  "files of processes that ended, and wakes that no pager delivers",
  "the agents that are set up here (more: relay setup --check)",
  "what may run on this machine",
];

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

/**
 * What is wrong around the home and in it. Where the configuration cannot be read, that is a finding, who the parts are is
 * guessed from the inboxes, and nothing that follows from the guess is put right. A format of a later version hides all else.
 * @param completing whether to complete first what killed writers left
 */
async function examineAll(world: World, completing: boolean, reads: Reads): Promise<Finding[]> {
  const { findings, broken } = examineConfig(world);
  if (broken === "later") return findings;
  if (completing && broken === null) await finishPending(world);
  const seen = broken !== null ? withHome(world, guessedHome(world.home())) : world;
  // Loaded when it is needed: it knows JSON and TOML as people write them, which no other command needs.
  const { examineAgents } = await import("../../home/doctor/examine-agents.ts");
  const { examineGrants } = await import("../../home/doctor/examine-grants.ts");
  const rest = [...(await examineSurroundings(seen)), ...examine(seen), ...examineAgents(seen), ...(await examineGrants(seen))];
  const all = toldOnce(await examineFiles(seen, reads), [...findings, ...rest]);
  // What a guess says is put right by nobody; what is wrong with `relay.yml` itself is none.
  return broken === null ? all : all.map((each) => (findings.includes(each) ? each : { ...each, fix: undefined }));
}

const RESTORE = "Correct it by hand, or restore the last good version: `relay config restore`";

/** What is wrong in a configuration in whose place the last good one counts. What is gone may come back by itself; what a hand wrote may not. */
function faultFindings(store: Store, { code, path, line, problem }: ConfigFault): Finding[] {
  if (code === "no_home") return [found("missing", "it was deleted", { path, fix: () => void restoreConfig(store) })];
  const faults = code === "malformed_file" ? configFaults(store) : [];
  if (faults.length > 0) return faults;
  return [{ severity: "error", code: code === "malformed_file" ? "malformed" : code, path, line, problem }];
}

/** What is wrong in `relay.yml`; `broken` where it cannot be read for it. */
function examineConfig(world: World): { findings: Finding[]; broken: "here" | "later" | null } {
  const { store } = world.home();
  try {
    const fault = world.home().configFault();
    if (fault !== null) return { findings: faultFindings(store, fault).map((each) => ({ ...each, remedy: RESTORE })), broken: null };
    const source = readText(store, CONFIG_PATH, LIMITS.configBytes) ?? "";
    return { findings: settingWarnings(source), broken: null };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.code === "unsupported_format")
      return { findings: [{ severity: "error", code: error.code, path: CONFIG_PATH, problem: error.message }], broken: "later" };
    // What this machine keeps of the configuration cannot be read; the link is found with the folders of the home.
    if (error.code === "outside_home") return { findings: [], broken: "here" };
    if (error.code !== "malformed_file") throw error;
    return { findings: configFaults(store), broken: "here" };
  }
}
