/** Notices of questions that have stood in a part's terminal for a while. spec/waking.md, "Telling a person". */
import { acted } from "../../core/act.ts";
import type { News } from "../../core/event/notify.ts";
import { orElse } from "../../core/format/file-error.ts";
import { asLine } from "../../core/format/hidden.ts";
import { partProblem } from "../../core/names.ts";
import type { World } from "../../core/world.ts";
import { markName, partOfMark } from "../../mail/nouns/part.ts";
import { sha256 } from "../../store/digest.ts";
import { ageMs } from "../../store/read/facts.ts";
import { names } from "../../store/read/list-folder.ts";
import { readText } from "../../store/read/read-file.ts";
import { removeFile } from "../../store/write/move-file.ts";
import { publish } from "../../store/write/publish.ts";
import { touch } from "../../store/write/touch.ts";

const BLOCKED = "run/blocked";
const MARK_BYTES = 4_096;
/** Characters of a question that are told. */
const WORDS = 160;
/** A question that nobody saw for so long is another one when it is seen again. */
const OVER_MS = 120_000;

/**
 * Tells of a question in the terminal of a part: once, from whatever process, as long as it stands there.
 * @param key tells it from the part's other questions
 * @param isTold whether this process told of it, or found it told, and saw it stand since, however long it slept
 * @returns whether it was told now
 */
export function tellBlocked(world: World, part: string, key: string, words: string, isTold: boolean): boolean {
  const { store } = world.home();
  const target = `${BLOCKED}/${markName(part)}/${sha256(key).slice(0, 24)}`;
  if (!isTold && (ageMs(store, target) ?? 0) > OVER_MS) removeFile(store, target);
  const mark = `${JSON.stringify({ at: new Date(world.now()).toISOString(), words: asLine(words, WORDS) })}\n`;
  if (publish(store, target, mark) === "exists") {
    touch(store, target, world.now());
    return false;
  }
  acted(world, { event: { type: "part:blocked", part } });
  return true;
}

/** Notes that a part asks nothing but this, if anything: a question that comes again is another one. */
export function endBlocked(world: World, part: string, key: string | null): void {
  const { store } = world.home();
  const folder = `${BLOCKED}/${markName(part)}`;
  const kept = key === null ? "" : sha256(key).slice(0, 24);
  for (const name of names(store, folder)) if (name !== kept) removeFile(store, `${folder}/${name}`);
}

/** The questions that were told and still stand. */
export function blockedNews(world: World): News[] {
  const { store } = world.home();
  return names(store, BLOCKED).flatMap((folder) => {
    const part = partOfMark(folder);
    if (partProblem(part) !== null) return [];
    return names(store, `${BLOCKED}/${folder}`).flatMap((name) =>
      orElse([] as News[], () => {
        const text = readText(store, `${BLOCKED}/${folder}/${name}`, MARK_BYTES) ?? "null";
        const { at, words } = JSON.parse(text) as { at: string; words: string };
        const atMs = Date.parse(at);
        return [{ kind: "blocked", id: part, part, subject: `relay attach ${part}: ${words}`, atMs, hereMs: atMs }];
      }),
    );
  });
}
