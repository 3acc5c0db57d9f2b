/**
 * The pack that the command is built into: pieces of code in one file, of which a start reads what it needs. The file stays open,
 * so that what runs for long has its own code also after another version was installed over it. `build/pack.mjs` writes it.
 */
import fs from "node:fs";

/** Code that is read together. Its modules have numbers one after another, beginning with `from`. */
export interface Piece {
  name: string;
  /** Where it begins in the file, and how long it is, in bytes; it is ASCII. */
  at: number;
  length: number;
  from: number;
}

/** What stands before the pieces. */
interface Head {
  /** A digest of all pieces. */
  build: string;
  /** The commands whose compiled code is kept apart. */
  kinds: string[];
  /** The number of the module that begins. */
  main: number;
  pieces: Piece[];
}

/** A pack that is open. */
export interface Pack extends Head {
  textOf(piece: Piece): string;
}

/** A piece as it is run: it puts functions, each of which evaluates a module, into `evaluate`. */
export type PieceFunction = (exported: unknown[], use: (id: number) => unknown, evaluate: (() => void)[], ...given: unknown[]) => void;

/** The head has so many bytes, with blanks at its end. */
const HEAD_BYTES = 4096;

/** Opens a pack. @throws Error of the disk */
export function openPack(file: string): Pack {
  const descriptor = fs.openSync(file, "r");
  const read = (at: number, length: number): string => {
    const bytes = Buffer.allocUnsafeSlow(length);
    for (let done = 0; done < length; ) {
      const count = fs.readSync(descriptor, bytes, done, length - done, at + done);
      if (count === 0) throw new Error(`${file} is shorter than it says; install Relay again`);
      done += count;
    }
    return bytes.toString("latin1");
  };
  const head = JSON.parse(read(0, HEAD_BYTES)) as Head;
  return { ...head, textOf: ({ at, length }) => read(at, length) };
}

/**
 * Evaluates the module that begins, and each other one when something of it is first used.
 * @param functionOf makes the function of a piece, which happens once
 * @param given what the code of every piece gets: `require`, `__dirname` and `process`
 * @param exported gets what the modules export that were evaluated, by their numbers
 */
export function begin(pack: Pack, functionOf: (piece: Piece) => PieceFunction, given: readonly unknown[], exported: unknown[]): void {
  const evaluate: (() => void)[] = [];
  const use = (id: number): unknown => {
    if (evaluate[id] === undefined) functionOf(pack.pieces.findLast(({ from }) => from <= id) as Piece)(exported, use, evaluate, ...given);
    (evaluate[id] as () => void)();
    return exported[id];
  };
  use(pack.main);
}
