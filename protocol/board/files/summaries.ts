/** Session summaries, saved whole; an earlier one stays as a version. spec/board.md, "Session summary". */
import { withoutNul } from "../../core/format/hidden.ts";
import { FILE_BYTES } from "../../core/format/schema.ts";
import { mustRead } from "../../core/home/broken-files.ts";
import type { World } from "../../core/world.ts";
import { exists } from "../../store/read/facts.ts";
import { names } from "../../store/read/list-folder.ts";
import { readText } from "../../store/read/read-file.ts";
import { type Chain, extendChain } from "../../store/write/chain.ts";
import { finishReplacing, replaceFile } from "../../store/write/replace.ts";
import { statePath, summaryPath, summaryVersionOf, summaryVersionPath, summaryVersions } from "../nouns/session.ts";

const SUMMARY_BYTES = FILE_BYTES.summary;

/** The summary of a session, byte for byte; null when none was saved. @param version of an earlier one @throws Refusal `malformed_file` */
export function readSummary(world: World, session: string, version?: number): string | null {
  const { store } = world.home();
  finishReplacing(store, summaryPath(session));
  const path = version === undefined ? summaryPath(session) : summaryVersionPath(session, version);
  const summary = readText(store, path, SUMMARY_BYTES);
  return summary === null ? null : mustRead(path, () => withoutNul(summary));
}

/** The numbers of the earlier summaries of a session, oldest first. */
export const earlierSummaries = (world: World, session: string): number[] =>
  names(world.home().store, summaryVersions(session))
    .flatMap((name) => summaryVersionOf(name) ?? [])
    .sort((a, b) => a - b);

/** Whether a session has a summary, be it one that can be read or not. */
export function hasSummary(world: World, session: string): boolean {
  const { store } = world.home();
  finishReplacing(store, summaryPath(session));
  return exists(store, summaryPath(session));
}

/** Saves a summary. @returns the version that the earlier one is kept as; null when there was none, or it said the same */
export async function saveSummary(world: World, session: string, summary: string): Promise<number | null> {
  const { store } = world.home();
  let kept: number | null = null;
  await replaceFile(store, summaryPath(session), SUMMARY_BYTES, (earlier) => {
    kept = earlier === null || earlier === summary ? null : keep(world, session, earlier);
    return summary;
  });
  return kept;
}

function keep(world: World, session: string, summary: string): number {
  const { store } = world.home();
  const chain: Chain = {
    folders: [summaryVersions(session)],
    numberOf: summaryVersionOf,
    pathOf: (version) => summaryVersionPath(session, version),
  };
  return extendChain(store, chain, (last) => {
    // Whoever was killed before the new one was in its place has kept the earlier one already.
    const isKept = last > 0 && readText(store, chain.pathOf(last), SUMMARY_BYTES) === summary;
    return isKept ? { text: null, answer: last } : { text: summary, answer: last + 1 };
  });
}

/** The state that was kept for whoever leads a session, byte for byte; null when none was. */
export function readState(world: World, session: string): string | null {
  const { store } = world.home();
  finishReplacing(store, statePath(session));
  return readText(store, statePath(session), SUMMARY_BYTES);
}

/** Keeps a state. */
export async function saveState(world: World, session: string, state: string): Promise<void> {
  await replaceFile(world.home().store, statePath(session), SUMMARY_BYTES, () => state);
}
