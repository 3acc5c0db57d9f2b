/** What a file that is edited may not lose: that it can be read, and the lines of a list that is only added to. spec/git.md, "Guard". */

import { parseTeam } from "../agent/team.ts";
import { mostBytesAt } from "../check/check-files.ts";
import { CONFIG_PATH } from "../config/config-schema.ts";
import { guardConfig } from "../config/guard-config.ts";
import { joinedThread, readThread } from "../message/merge-thread.ts";
import { joinedLines } from "../noun/merge-fields.ts";
import { readTask } from "../task/merge-task.ts";
import { formatTask } from "../task/task.ts";
import { placeOf } from "../tree/layout.ts";

/**
 * What is kept of a file that was changed: the text as it is, the same with the lines that it lost, or the text before
 * where the new one cannot be read, or is larger than any that is laid out.
 * @param before the text that this clone had; null where it is no text
 * @param now the text that came; null where it is no text
 */
export function guardText(path: string, before: string | null, now: string | null): "before" | "now" | { text: string } {
  if (before === null || isTooLarge(path, before)) return "now";
  if (now === null || isTooLarge(path, now) || (now.trim() === "" && before.trim() !== "")) return "before";
  const place = placeOf(path);
  switch (place?.kind) {
    case "task": {
      const [was, is] = [readTask(place.task, before), readTask(place.task, now)];
      if (was === null) return "now";
      if (is === null) return "before";
      const history = withLines(was.history, is.history, timeOfLine);
      return history === null ? "now" : { text: formatTask({ ...is, history }) };
    }
    case "thread": {
      if (readThread(place.key, before) === null) return "now";
      if (readThread(place.key, now) === null) return "before";
      const text = joinedThread(place.key, before, now);
      return text === null ? "now" : { text };
    }
    case "events":
    case "usage": {
      const lines = withLines(linesOf(before), linesOf(now), timeOfEvent);
      return lines === null ? "now" : { text: lines.map((line) => `${line}\n`).join("") };
    }
    case "config":
      return guardConfig(before, now);
    case "pool":
    case "team":
      return !isReadable((text) => parseTeam(text, path), now) && isReadable((text) => parseTeam(text, path), before) ? "before" : "now";
    default:
      return "now";
  }
}

/** Whether a file that is edited says nothing: it is empty, or nobody can read it. Of relay.yml others decide. */
export function saysNothing(path: string, text: string | null): boolean {
  if (text === null || isTooLarge(path, text) || text.trim() === "") return true;
  const place = placeOf(path);
  switch (place?.kind) {
    case "task":
      return readTask(place.task, text) === null;
    case "thread":
      return readThread(place.key, text) === null;
    case "pool":
    case "team":
      return !isReadable((source) => parseTeam(source, path), text);
    default:
      return false;
  }
}

/** Whether no clone lays a text out, because of its size. Of relay.yml its last good text counts. */
function isTooLarge(path: string, text: string): boolean {
  const most = mostBytesAt(path);
  // A character has one byte at least, and three at the most.
  return path !== CONFIG_PATH && 3 * text.length > most && new TextEncoder().encode(text).length > most;
}

/** The lines that came with those that they lack; null where they lack none. */
function withLines(before: readonly string[], now: readonly string[], keyOf: (line: string) => string): string[] | null {
  const missing = new Map<string, number>();
  for (const line of before) missing.set(line, (missing.get(line) ?? 0) + 1);
  for (const line of now) missing.set(line, (missing.get(line) ?? 0) - 1);
  return [...missing.values()].every((count) => count <= 0) ? null : joinedLines(before, now, keyOf);
}

function isReadable(read: (text: string) => unknown, text: string): boolean {
  try {
    read(text);
    return true;
  } catch {
    return false;
  }
}

const linesOf = (text: string): string[] => text.split("\n").filter((line) => line !== "");
const timeOfEvent = (line: string): string => /"at":"([^"]*)"/.exec(line)?.[1] ?? "";
const timeOfLine = (line: string): string => /^\d{4}-\d\d-\d\dT\S+/.exec(line)?.[0] ?? "";
