/** The screen that people see first: their part, what waits for them, and who is online. */

import { sessionLine } from "../board/session-line.ts";
import { requestLines, sender } from "../mail/message-words.ts";
import { noticeLines } from "../mail/notice-lines.ts";
import { memberTable } from "../mail/print-member.ts";
import { threadTable } from "../mail/print-threads.ts";
import type { Answer, Printer, Style } from "../style.ts";
import { usageWords } from "../usage/print-usage.ts";
import { ago, many, plainLine, short } from "../words.ts";
import { pagerLines } from "./print-roster.ts";

/** What a person must decide. */
const questionLines = (list: Answer<"status">["needsHuman"], style: Style): string[] =>
  list.map(
    ({ threadId, subject, from, at, origin }) =>
      `${style.yellow("?")} ${style.bold(plainLine(subject))} ${style.dim(`from ${sender(from, origin)}, ${ago(at, style.now)}: relay show ${short(threadId)} --part human`)}`,
  );

/** A way of telling people that failed. */
const failedLine = ({ name, at, detail }: NonNullable<Answer<"status">["notifyFailed"]>[number], style: Style): string =>
  `${style.yellow("!")} notify ${style.bold(name)} failed ${ago(at, style.now)}: ${plainLine(detail)} (relay notify test ${name})`;

/** What a home knows at once: parts, mail, tasks, sync and what needs a person. */
export const printStatus: Printer<"status"> = (
  {
    project,
    part,
    unread,
    session,
    lastSession,
    unmerged = [],
    parts,
    needsHuman,
    threads,
    home,
    forgotten,
    notices,
    notifyFailed,
    usage,
    ...past
  },
  style,
) => {
  const { at } = past as { at?: string };
  const where = at === undefined ? home : `${home} at commit ${at.slice(0, 10)}`;
  const you = part === null ? style.dim("nobody (use --part)") : `${style.bold(part)}, ${many(unread, "unread message")}`;
  const latest = threads.length === 0 ? style.dim("No threads yet.") : threadTable(threads, style);
  const merge = unmerged.map((each) => `\n${style.yellow(`Approved, not merged: ${plainLine(each)}`)}`).join("");
  const people = questionLines(needsHuman, style);
  const blocks = [
    `${style.bold(plainLine(project.name))}  ${style.dim(where)}\nYou: ${you}${sessionLine({ session, lastSession }, style)}${merge}${usage === undefined ? "" : `\nToday: ${usageWords(usage)}`}`,
    ...(people.length === 0 ? [] : [[style.bold("A person must decide:"), ...people].join("\n")]),
    [memberTable(parts, style), ...pagerLines(parts)].join("\n"),
    ...(notifyFailed === undefined ? [] : [notifyFailed.map((each) => failedLine(each, style)).join("\n")]),
    latest,
    ...(forgotten === undefined ? [] : [requestLines(forgotten, style).join("\n")]),
  ];
  return `${blocks.join("\n\n")}${noticeLines(notices, style, new Set(parts.map(({ part: id }) => id)))}`;
};
