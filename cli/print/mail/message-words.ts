/** Words that several printers of messages share. */
import { shellWord } from "../../../protocol/core/format/shell-word.ts";
import type { Style } from "../style.ts";
import { localTime, plainLine, short } from "../words.ts";

/** Who wrote a message, and where, unless it was here. */
export const sender = (from: string, origin: string | undefined): string =>
  origin === undefined || from.includes(" ") ? from : `${from} (${origin === "unknown" ? "origin unknown" : origin})`;

/** Messages that somebody asked to forget. */
export const requestLines = (
  requests: { id: string; by: string; at: string; reason?: string; open: boolean }[] | undefined,
  style: Style,
): string[] =>
  (requests ?? []).map(({ id, by, at, reason, open }) => {
    const answer = open ? `; a person answers: relay forget ${shellWord(id)}, or with --refuse` : "";
    return style.yellow(
      `${short(id)}  asked to be forgotten by ${plainLine(by)}, ${localTime(at)}${reason === undefined ? "" : `: ${plainLine(reason)}`}${answer}`,
    );
  });
