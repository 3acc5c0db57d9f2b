/** What each part knows of the project's memory, in one small file of this machine: a digest of each section and entry. spec/board.md, "Memory". */
import { orElse, quietly } from "../../core/format/file-error.ts";
import type { World } from "../../core/world.ts";
import { ownName } from "../../mail/files/members.ts";
import { markName } from "../../mail/nouns/part.ts";
import { sha256 } from "../../store/digest.ts";
import { readText } from "../../store/read/read-file.ts";
import { place } from "../../store/write/publish.ts";
import { blocksOf, contentOf, dateOf, shownKey } from "../nouns/memory-blocks.ts";
import { memoryOrigin, readMemory } from "./memories.ts";

const KNOWN_BYTES = 1_048_576;
const knownPath = (part: string): string => `run/memory/${markName(part)}`;

/** Number of pieces that are known, the last ones, and of names that are told at once. */
const KNOWN_PIECES = 10_000;
const TOLD = 100;

/** The last sections and entries of a memory, by their keys or dates, each with its text and its digest. */
const piecesOf = (memory: string): { name: string; text: string; digest: string }[] =>
  blocksOf(memory)
    .filter((block) => block.key !== null || dateOf(block) !== undefined)
    .slice(-KNOWN_PIECES)
    .map((block) => ({
      ...{ name: block.key ?? (dateOf(block) as string), digest: sha256(block.text).slice(0, 12) },
      text: contentOf(block).trim(),
    }));

const readKnown = (world: World, part: string): Set<string> =>
  new Set(orElse("", () => readText(world.home().store, knownPath(part), KNOWN_BYTES) ?? "").split("\n"));

/**
 * Notes, best effort, that the calling part knows the project's memory.
 * @param key only this section
 */
export function noteMemoryKnown(world: World, key?: string): void {
  const part = world.me.how === "viewer" || world.me.part === null ? null : ownName(world, world.me.part);
  if (part === null) return;
  quietly(() => {
    const known = readKnown(world, part);
    const pieces = piecesOf(readMemory(world, null) ?? "");
    const now = pieces.filter(({ name, digest }) => key === undefined || name === key || known.has(digest));
    if (now.some(({ digest }) => !known.has(digest))) keep(world, part, now);
  });
}

/** Characters of memory that are told with its keys, where no push brought it. */
const TEXTS = 2_400;

/** What the project remembers and a part does not know. */
interface NewMemory {
  /** Keys and dates, with their texts as far as these are short: `key: text`, or `key …`. */
  told: string[];
  /** Digests of those pieces. */
  digests: string[];
}

/** The keys and dates of what the project remembers and a part does not know, with their texts as far as these are short. */
export const unknownMemory = (world: World, part: string): NewMemory =>
  orElse({ told: [], digests: [] }, () => {
    const known = readKnown(world, part);
    const unknown = piecesOf(readMemory(world, null) ?? "").filter(({ digest }) => !known.has(digest));
    if (unknown.length === 0) return { told: [], digests: [] };
    const texts = new Map(unknown.map(({ name, text }) => [name, text]));
    let left = memoryOrigin(world, null).from === "sync" ? 0 : TEXTS;
    const told = [...texts].slice(0, TOLD).map(([name, text]) => {
      left -= text.length;
      return left < 0 ? `${shownKey(name)} …` : `${shownKey(name)}: ${text}`;
    });
    const more = texts.size > TOLD ? [`and ${texts.size - TOLD} more …`] : [];
    return { told: [...told, ...more], digests: unknown.map(({ digest }) => digest) };
  });

/** Notes, best effort, that a part was told pieces of the memory. */
export function noteMemoryTold(world: World, part: string, digests: readonly string[]): void {
  if (digests.length === 0) return;
  quietly(() => {
    const known = new Set([...readKnown(world, part), ...digests]);
    const now = piecesOf(readMemory(world, null) ?? "").filter(({ digest }) => known.has(digest));
    keep(world, part, now);
  });
}

const keep = (world: World, part: string, pieces: readonly { digest: string }[]): void =>
  void place(world.home().store, knownPath(part), pieces.map(({ digest }) => digest).join("\n"));
