/**
 * The turns of parts that have only files: `run/next/<part>.md`, of this machine, never recorded, written anew by whichever process finds that
 * it may have changed. spec/messages.md, "A turn".
 */
import { REFUSED } from "../../home/message/send-outboxes.ts";
import { findSession } from "../../home/session/sessions.ts";
import { reviewFolder } from "../../objects/artifact/review.ts";
import { quietly } from "../../objects/format/file-error.ts";
import { inboxNew, markName, outboxOf } from "../../objects/part/part.ts";
import { taskFolder } from "../../objects/task/task.ts";
import { turnWords } from "../../objects/turn/turn-words.ts";
import { exists, facts } from "../../store/read/facts.ts";
import { names } from "../../store/read/list-folder.ts";
import { place } from "../../store/write/publish.ts";
import type { World } from "../../world.ts";
import { turnOf } from "./next.ts";

/** Keeps the turn of each part that has an outbox. What a disk refuses is kept by the next process. */
export function keepTurns(world: World): void {
  const { store, config } = world.home();
  if (store.readOnly || store.foreign !== null || world.past !== undefined || !exists(store, "outbox")) return;
  const parts = [...config().parts.keys()].filter((part) => exists(store, outboxOf(part)));
  if (parts.length > 0) quietly(() => keepAll(world, parts));
}

function keepAll(world: World, parts: readonly string[]): void {
  const { store } = world.home();
  const session = findSession(world, undefined);
  const board = session === null ? ["sessions"] : ["sessions", taskFolder(session), reviewFolder(session)];
  const changedMs = (paths: readonly string[]): number => Math.max(0, ...paths.map((path) => facts(store, path)?.modifiedMs ?? 0));
  const boardMs = changedMs(board);
  for (const part of parts) {
    const path = `run/next/${markName(part)}.md`;
    const writtenMs = facts(store, path)?.modifiedMs ?? 0;
    const outbox = outboxOf(part);
    if (writtenMs > Math.max(boardMs, changedMs([inboxNew(part), outbox]))) continue;
    const refused = names(store, outbox).filter((name) => name.endsWith(REFUSED));
    const lines = refused.map((name) => `Refused: ${outbox}/${name} says why.\n`).join("");
    place(
      { ...store, durable: false },
      path,
      fitted(`${lines}${turnWords(turnOf(world, part, { isStanding: true }), "file", world.now())}`),
    );
  }
}

/** Characters of a turn's file. */
const FILE_CHARACTERS = 3_000;
const MORE = "… more, once you dealt with these.";

/** The first lines of a turn, as many as its file holds. */
function fitted(text: string): string {
  const lines = text.split("\n");
  let size = text.length;
  let count = lines.length;
  while (size + MORE.length + 2 > FILE_CHARACTERS && count > 0) {
    count -= 1;
    size -= (lines[count] as string).length + 1;
  }
  return `${[...lines.slice(0, count), ...(count < lines.length ? [MORE] : [])].join("\n")}\n`;
}
