/** Merging memories: section by section, entry by entry. spec/git.md, "Merge". */
import { longer } from "../../core/noun/merge-fields.ts";
import type { BlobId } from "../../core/noun/merge-tree.ts";
import type { JoinedText } from "../../core/noun/noun.ts";
import { withSection } from "./memory.ts";
import { type Block, blocksOf, closed, contentOf } from "./memory-blocks.ts";

/** A side's memory, and the id of its content. */
export interface MemorySide {
  id: BlobId;
  text: string;
}

/** A piece with what tells it from the others: the key of a section, else its words. */
interface Piece extends Block {
  name: string;
}

/** More pieces, or more sections that both sides changed, are not joined: the time for that grows with the square of their number. */
const JOINED_PIECES = 10_000;
const JOINED_CONFLICTS = 100;

/**
 * Merges two memories. What one side added, changed or took out is so; of a section that both changed the longer one stands,
 * and the other follows under `<key> (kept <id>)`. Where there are too many, the longer memory stands, and is not whole.
 */
export function mergeMemory(base: string, ours: MemorySide, theirs: MemorySide): JoinedText {
  const [lead, other] = longer(ours.text, theirs.text) ? [ours, theirs] : [theirs, ours];
  const before = named(base);
  const mine = named(lead.text);
  const changes = named(other.text);
  if ([before, mine, changes].some(({ size }) => size > JOINED_PIECES)) return { text: lead.text, isWhole: false };
  const gaveWay: { key: string; content: string }[] = [];
  const kept = [...mine.values()].flatMap((piece) => {
    const [was, theirs_] = [before.get(piece.name), changes.get(piece.name)];
    if (theirs_ === undefined) return was === undefined || !isSame(was, piece) ? [piece] : [];
    if (isSame(theirs_, piece) || (was !== undefined && isSame(was, theirs_))) return [piece];
    if (was !== undefined && isSame(was, piece)) return [{ ...piece, text: theirs_.text }];
    const [won, lost] = longer(wordsOf(piece), wordsOf(theirs_)) ? [piece, theirs_] : [theirs_, piece];
    const id = (won === piece ? other : lead).id.slice(0, 8);
    gaveWay.push({ key: `${piece.key} (kept ${id})`, content: contentOf(lost) });
    return [{ ...piece, text: won.text }];
  });
  const isAdded = (piece: Piece): boolean => {
    const was = before.get(piece.name);
    return !mine.has(piece.name) && (was === undefined || !isSame(was, piece));
  };
  if (gaveWay.length > JOINED_CONFLICTS) return { text: lead.text, isWhole: false };
  const merged = written(withAdded(kept, mine, [...changes.values()], isAdded), lead.text);
  return { text: gaveWay.reduce((memory, { key, content }) => withSection(memory, key, content), merged), isWhole: true };
}

/** Puts what the other side added after what it follows there, and after what the leading side added at that place. */
function withAdded(
  kept: readonly Piece[],
  mine: ReadonlyMap<string, Piece>,
  changes: readonly Piece[],
  isAdded: (piece: Piece) => boolean,
): Piece[] {
  const known = new Set(changes.map(({ name }) => name));
  const result = [...kept];
  let at = 0;
  for (const piece of changes) {
    const here = result.findIndex(({ name }) => name === piece.name);
    if (here !== -1) at = here + 1;
    else if (isAdded(piece)) {
      while (at < result.length && mine.has((result[at] as Piece).name) && !known.has((result[at] as Piece).name)) at += 1;
      result.splice(at, 0, piece);
      at += 1;
    }
  }
  return result;
}

/** The pieces as one memory: each can follow the one before it, with a line between them where they were not neighbours. */
function written(pieces: readonly Piece[], lead: string): string {
  const crlf = lead.includes("\r\n");
  const texts = pieces.map((piece, at) => {
    if (at === pieces.length - 1) return piece.text + piece.gap;
    return closed(piece.text) + (piece.gap === "" ? "\n" : piece.gap);
  });
  const text = texts.join("");
  return crlf ? text.replace(/(?<!\r)\r*\n/g, "\r\n") : text.replace(/\r\n/g, "\n");
}

function named(memory: string): Map<string, Piece> {
  const pieces = new Map<string, Piece>();
  const seen = new Map<string, number>();
  for (const block of blocksOf(memory)) {
    const own = block.key === null ? `text ${wordsOf(block)}` : `section ${block.key}`;
    let often = seen.get(own) ?? 1;
    let name = own;
    for (; pieces.has(name); often += 1) name = `${own} ${often + 1}`;
    seen.set(own, often);
    pieces.set(name, { ...block, name });
  }
  return pieces;
}

const wordsOf = ({ text }: Block): string => text.replace(/\r\n/g, "\n").trimEnd();
const isSame = (one: Block, other: Block): boolean => wordsOf(one) === wordsOf(other);
