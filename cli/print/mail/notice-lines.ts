/** What syncs did to parts that live here, in lines. */

import { shellWord } from "../../../protocol/core/format/shell-word.ts";
import { HUMAN } from "../../../protocol/index.ts";
import type { Answer, Style } from "../style.ts";
import { plainLine } from "../words.ts";

/** A notice; those of several parts say whose it is. */
type Notice = NonNullable<Answer<"inbox">["notices"]>[number] & { part?: string };

/** What syncs did to parts that live here. @param there the parts there are: a person acks the notices of others */
export const noticeLines = (notices: Notice[] | undefined, style: Style, there?: ReadonlySet<string>): string =>
  (notices ?? [])
    .flatMap(({ part, id, lines }) => {
      const isGone = part !== undefined && there?.has(part) === false;
      const reader = isGone ? HUMAN : part;
      return [
        style.yellow(`Notice ${id}${part === undefined ? "" : ` for ${part}${isGone ? ", which is not a part now" : ""}`}:`),
        ...lines.map((line) => `  ${plainLine(line)}`),
        style.dim(`  seen: relay ack ${id}${reader === undefined ? "" : ` --part ${shellWord(reader)}`}`),
      ];
    })
    .map((line) => `\n${line}`)
    .join("");
