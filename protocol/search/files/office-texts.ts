/** What the office holds: its positions, and the dispatches that were made last. spec/messages.md, "Search". */

import { parseThreadId } from "../../core/format/id.ts";
import { type Faults, noting } from "../../core/home/broken-files.ts";
import type { World } from "../../core/world.ts";
import { newestDispatches } from "../../office/files/list-dispatches.ts";
import { readTurnText, recordFolder } from "../../office/files/own-files.ts";
import { readDispatchFiles, subjectAt } from "../../office/files/read-dispatch.ts";
import { inspectOffice } from "../../office/files/read-office.ts";
import type { AgentFile } from "../../office/nouns/agent-file.ts";
import { dispatchPath } from "../../office/nouns/dispatch.ts";
import { ORG } from "../../office/nouns/org-files.ts";
import { textPath } from "../../office/nouns/turn.ts";
import { changedMs, exists } from "../../store/read/facts.ts";
import { type FoundText, instantOf, lengthOf } from "./found-text.ts";
import { Kept } from "./kept.ts";

/** The positions of the office: names, what each is for, its prompt. */
export function* positionTexts(world: World, faults: Faults): Generator<FoundText> {
  const { store } = world.home();
  if (!exists(store, ORG)) return;
  const { office, files, faults: wrong } = inspectOffice(store);
  for (const { path = ORG, line, message } of wrong) faults.push({ path, line, problem: message });
  const agents = new Map(
    files.flatMap(({ path, place, value }) => (place.kind === "agent" && value !== null ? [[path, value as AgentFile]] : [])),
  );
  for (const { id, name, description, agent: path } of office?.positions.values() ?? []) {
    const text = [description, agents.get(path)?.prompt ?? ""].filter((each) => each !== "").join("\n\n");
    yield { kind: "position", ids: { part: id }, subject: name, text, also: [name, id], of: [id], path, statedMs: null };
  }
}

/** So many dispatches are searched, those that were made last. The messages of all are found as messages. */
const SEARCHED = 500;

const dispatchesKept = new Kept<{ sign: string; text: FoundText }>(8_000_000);
/** A folder that changed within this time may change again without a new time of change. */
const SETTLED_MS = 2_000;

/** What became of each dispatch that was made last: how its turns ended, and with which texts. */
export function* dispatchTexts(world: World, faults: Faults): Generator<FoundText> {
  for (const id of newestDispatches(world, SEARCHED)) {
    const sign = signOf(world, id);
    const name = `${world.home().store.root} ${id}`;
    const known = sign === null ? undefined : dispatchesKept.get(name);
    const text = known !== undefined && known.sign === sign ? known.text : readDispatchText(world, id, faults);
    if (text === null) continue;
    if (sign !== null && text !== known?.text) dispatchesKept.set(name, { sign, text }, lengthOf(text));
    yield text;
  }
}

/** What the folders of a dispatch show when a file came to one; null where that cannot be known. */
function signOf(world: World, id: string): string | null {
  const key = parseThreadId(id);
  if (world.past !== undefined || key === null) return null;
  const { store } = world.home();
  const at = recordFolder(store, key);
  const changed = [at.folder, `${at.folder}/turns`].map((folder) => changedMs(at.store, folder));
  return Math.max(...changed) < Date.now() - SETTLED_MS ? changed.join(" ") : null;
}

function readDispatchText(world: World, id: string, faults: Faults): FoundText | null {
  const { store } = world.home();
  const files = readDispatchFiles(store, id);
  if (files === null) return null;
  const { key, dispatch, ends, closed } = files;
  const { initiator, recipient } = dispatch;
  const texts = ends.map(({ turn, outcome, problem, text }) => {
    const path = textPath(key, turn);
    const whole = noting(faults, path, () => readTurnText(store, path));
    return [outcome, problem ?? "", whole ?? text].filter((each) => each !== "").join("\n");
  });
  const subject = subjectAt(world, { key });
  const said = { subject, text: texts.join("\n\n"), also: [subject, initiator, recipient], of: [initiator, recipient] };
  const statedMs = instantOf(closed?.at ?? ends.at(-1)?.at ?? dispatch.at);
  return { kind: "dispatch", ids: { threadId: id }, ...said, path: dispatchPath(key), statedMs };
}
