/** A part as `roster` and `status` print it: whether it is online, and the state of its wake. */
import { nextFor, reasonWords } from "../../../protocol/wake/nouns/wake-words.ts";
import type { Answer, Style } from "../style.ts";
import { boundedTable, type Cell } from "../table.ts";
import { ago, localTime, plainLine, short } from "../words.ts";

/** A part of a list. */
export type Member = Answer<"status">["parts"][number];

/** The presence of a part in a word or two; of an idle one also its way to be woken. */
function whereIs({ presence, seenAt, task, reachable }: Member, now: number): string {
  if (presence === "waiting") return "waiting";
  if (presence === "working") return `working${task === undefined ? "" : ` on ${short(task)}`}`;
  const idle = presence === undefined ? "" : seenAt === undefined ? "never seen" : `idle, seen ${ago(seenAt, now)}`;
  return reachable === undefined ? idle : `${idle}, wakes by ${reachable.join(" or ")}`;
}

/** Reasons that are said once, or that everybody knows, and so not of each part. */
const NOT_EACH = new Set(["no_pager", "human"]);

/** Where a wake stands, in words. */
const STANDS: Record<string, string> = {
  owed: "will be woken",
  leased: "being woken",
  typed: "woken",
  noticed: "knows of its mail",
  expired: "will be woken again",
  suppressed: "not woken",
  none: "not woken",
};

/** A wake in a few words, with what can be done where nothing comes of it. */
function wakeNote(
  part: string,
  { state, rung, reason, detail }: { state: string; rung?: string; reason?: string; detail?: string },
): string {
  const by = rung === undefined ? "" : ` by ${rung}`;
  const why = reason === undefined ? "" : `: ${plainLine(reasonWords(reason))}`;
  const next = reason === undefined ? null : nextFor(reason, part);
  return `${STANDS[state] ?? plainLine(state)}${by}${detail === undefined ? "" : `, ${plainLine(detail)}`}${why}${next === null ? "" : ` (${next})`}`;
}

/** What keeps a part's terminal, with what can be done. */
function terminalNote(part: string, reason: string): string {
  const next = nextFor(reason, part);
  return `${plainLine(reasonWords(reason))}${next === null ? "" : ` (${next})`}`;
}

/** How long the oldest unread message waits, where that is more than a minute. */
function sinceWhen({ oldestUnreadAt }: Member, style: Style): string {
  if (oldestUnreadAt === undefined || style.now - Date.parse(oldestUnreadAt) < 60_000) return "";
  return `, oldest ${ago(oldestUnreadAt, style.now)}`;
}

/** The parts as a table. */
export function memberTable(list: Member[], style: Style): string {
  return boundedTable(
    list.map((member) => {
      const notes = [
        member.you ? "you" : "",
        member.main ? "main" : "",
        member.session === undefined ? "" : `guest of ${member.session}`,
        member.limitedUntil === undefined ? "" : `limited until ${localTime(member.limitedUntil)}`,
        member.quietSince === undefined ? "" : style.yellow(`quiet since ${localTime(member.quietSince)}, with a task in progress`),
        member.wake === undefined || NOT_EACH.has(member.wake.reason ?? "") ? "" : wakeNote(member.part, member.wake),
        member.terminal === undefined || member.terminal === member.wake?.reason ? "" : terminalNote(member.part, member.terminal),
        member.about === undefined ? "" : plainLine(member.about),
      ].filter((note) => note !== "");
      const row: Cell[] = [
        member.online ? { text: "●", paint: style.green } : { text: "○", paint: style.dim },
        { text: member.part, paint: style.bold },
        {
          text: [member.agent === null ? "" : plainLine(member.agent.name), whereIs(member, style.now)]
            .filter((each) => each !== "")
            .join(", "),
          paint: member.online ? style.green : style.dim,
        },
        member.unread > 0 ? { text: `${member.unread} unread${sinceWhen(member, style)}`, paint: style.cyan } : "",
        notes.join(" · "),
      ];
      return row;
    }),
    style,
  );
}
