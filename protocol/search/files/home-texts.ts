/** What belongs to no session: memories, the parts of `relay.yml`. spec/messages.md, "Search". */

import { memoryFiles } from "../../board/files/memories.ts";
import { CONFIG_PATH } from "../../core/config/config-schema.ts";
import { withoutNul } from "../../core/format/hidden.ts";
import { FILE_BYTES } from "../../core/format/schema.ts";
import type { Faults } from "../../core/home/broken-files.ts";
import type { World } from "../../core/world.ts";
import { currentNames } from "../../mail/files/delivery-state.ts";
import { type FoundText, lengthOf, readKept } from "./found-text.ts";

/** The memory of the project, and those of parts. */
export function* memoryTexts(world: World, faults: Faults): Generator<FoundText> {
  const files = memoryFiles(world);
  const renamed = files.length > 1 ? currentNames(world) : new Map<string, string>();
  for (const { path, part: writer } of files) {
    const part = writer === null ? null : (renamed.get(writer) ?? writer);
    const read = (source: string): FoundText => {
      const of = writer === null ? [] : [writer];
      const said = { subject: "", text: withoutNul(source), also: [], of, statedMs: null };
      return { kind: "memory", ids: {}, ...said, path };
    };
    const text = readKept(world, { path, limit: FILE_BYTES.memory }, read, lengthOf, faults);
    if (text !== null) yield { ...text, subject: `Memory of ${part ?? "the project"}`, ids: part === null ? {} : { part } };
  }
}

/** The parts of `relay.yml`. A query fits the beginning of a name, or the words of `about`. */
export function* partTexts(world: World): Generator<FoundText> {
  for (const [part, { about = "" }] of world.home().config().parts)
    yield { kind: "part", ids: { part }, subject: part, text: about, also: [], id: part, of: [part], path: CONFIG_PATH, statedMs: null };
}
