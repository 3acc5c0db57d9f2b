/**
 * Operations that write only what may be gone: of these the proof of crash states holds that nothing else changes, and that the home is
 * well in every state.
 */
import { operations } from "../../../protocol/index.ts";
import { ask, type Writing } from "../../history/verdict.ts";
import { setPolicy } from "../../rig/pagers.ts";

/** What may be gone, by where it lies. */
const PLACES: readonly [folder: RegExp, names: RegExp][] = [
  // What is disposable, and that a part was ever here: its next call says so again.
  [/\/\.relay/, /run(\/.*)?|local\/lives(\/[^/]+)?/],
  // How a notify went the last time, and the settings as they were read.
  [/\/places\/[0-9a-f]{32}/, /run(\/.*)?|notified(\/[^/]+(\/last\.json)?)?|relay-yml\.json/],
  // How many wakes this user's agents had in the last hour: without them one may have one more.
  [/\/relay-state-[^/]+\/relay/, /run(\/.*)?|wakes(\/\d+(\.back)?)?/],
];
export const mayBeGone = (at: string): boolean =>
  PLACES.some(([folder, names]) => new RegExp(`^.*${folder.source}/(${names.source})$`).test(at));

/** Nothing is left to say whether it was done. */
const disposable = (args: Writing["args"], before?: Writing["before"]): Writing => ({
  args,
  retry: () => [operations.whoami, {}],
  once: true,
  verdict: async () => "whole",
  ...(before === undefined ? {} : { before }),
});

/** A wake of web that is leased. @returns its id */
async function leased(folder: string): Promise<string> {
  setPolicy(folder, "{ lease_s: 600 }");
  return (await ask(folder, operations.wake_lease, { part: "web", rung: "hook" })).wakeId;
}

export const DISPOSABLE: Readonly<Record<string, Writing>> = {
  think: disposable(
    () => ["think", "The parser comes first.", "--part", "web"],
    async (folder) => (await ask(folder, operations.start_session, { session_id: "s-1" })).session_id,
  ),
  "notify test": disposable(
    () => ["notify", "test", "bell"],
    async (folder) => (await ask(folder, operations.notify_add, { name: "bell", argv: ["true"] })).name,
  ),
  "wake lease": disposable(() => ["wake", "lease", "web", "--rung", "hook"]),
  "wake renew": disposable(({ about = "" }) => ["wake", "renew", "web", about], leased),
  "wake commit": disposable(({ about = "" }) => ["wake", "commit", "web", about], leased),
  "wake report": disposable(
    ({ about = "" }) => ["wake", "report", "web", about, "typed"],
    async (folder) => {
      const wakeId = await leased(folder);
      await ask(folder, operations.wake_commit, { part: "web", wakeId });
      return wakeId;
    },
  ),
};
