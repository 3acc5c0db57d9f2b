#!/usr/bin/env node
/**
 * Starts the command from V8's compiled code, which is kept beside it and halves the start. It is disposable: V8 itself
 * refuses what another version made, and where none can be kept everything works, only slower.
 */
import fs from "node:fs";
import path from "node:path";
import vm from "node:vm";
import { begin, openPack, type Piece, type PieceFunction } from "./pack.ts";

const args = process.argv.slice(2);
// A server, a dashboard, a pager and a watch live long and hold little. V8 would let what is young grow to 32 MB, and what is old to
// several times what is alive; and of a function it would learn only after eight runs how it is used, while most of a call runs once.
// Said before anything is compiled, because compiled code is only taken under the flags that it was made under.
const LONG = "--semi-space-growth-factor=1 --heap-growing-percent=20 --no-lazy-feedback-allocation";
const livesLong = ["mcp", "dashboard", "pager", "watch"].includes(args[0] ?? "");
if (livesLong) process.getBuiltinModule("node:v8").setFlagsFromString(LONG);
const pack = openPack(path.join(__dirname, "command.pack"));
/** Each of the usual commands runs other code; each has what its first run compiled, and all others together. */
const kind = [args.slice(0, 2).join(" "), args[0]].find((words) => pack.kinds.includes(words ?? "")) ?? "other";

/** Where the compiled code of a piece is kept. */
const compiledOf = ({ name }: Piece): string =>
  path.join(__dirname, "compiled", `${kind.replace(" ", "-")}-${name}-${pack.build}-${process.version}-${process.arch}.bin`);

/** After the code stands how many modules of the piece had been evaluated, in so many bytes. */
const COUNT_BYTES = 2;

/** What an earlier run compiled; undefined when there is nothing. */
function earlier(file: string): { code: Buffer; modules: number } | undefined {
  try {
    const bytes = fs.readFileSync(file);
    const end = Math.max(0, bytes.length - COUNT_BYTES);
    return { code: bytes.subarray(0, end), modules: bytes.length < COUNT_BYTES ? 0 : bytes.readUInt16LE(end) };
  } catch {
    return undefined;
  }
}

/** How many modules of a piece this run evaluated. */
function evaluatedOf({ from }: Piece): number {
  const next = pack.pieces.find((piece) => piece.from > from)?.from ?? exported.length;
  return exported.slice(from, next).filter((each) => each !== undefined).length;
}

/** Keeps what this run compiled, whole and flushed, for the next; does nothing where the folder cannot be written. */
function keep(script: vm.Script, compiled: string, modules: number): void {
  const aside = `${compiled}.${process.pid}`;
  try {
    fs.mkdirSync(path.dirname(compiled), { recursive: true });
    const file = fs.openSync(aside, "wx");
    try {
      const count = Buffer.alloc(COUNT_BYTES);
      count.writeUInt16LE(modules);
      fs.writeFileSync(file, Buffer.concat([script.createCachedData(), count]));
      fs.fsyncSync(file);
    } finally {
      fs.closeSync(file);
    }
    fs.renameSync(aside, compiled);
  } catch {
    try {
      fs.rmSync(aside, { force: true });
    } catch {
      // Nothing was written there.
    }
  }
}

/** Work for each piece at the end of the process. */
const atExit: (() => void)[] = [];

/**
 * Compiles a piece, or takes what an earlier run compiled. What is kept is the code of the run that evaluated most of it; but of what
 * lives long only that of the first one, because V8 gives up what was not run for a while.
 */
function functionOf(piece: Piece): PieceFunction {
  const compiled = compiledOf(piece);
  const known = earlier(compiled);
  const script = new vm.Script(pack.textOf(piece), {
    filename: path.join(__dirname, `command.pack/${piece.name}`),
    ...(known === undefined ? {} : { cachedData: known.code }),
  });
  const before = known === undefined || script.cachedDataRejected === true ? -1 : known.modules;
  atExit.push(() => {
    const modules = evaluatedOf(piece);
    if (before === -1 || (modules > before && !livesLong)) keep(script, compiled, modules);
  });
  return script.runInThisContext() as PieceFunction;
}

// One listener for all pieces: Node warns of more than ten.
process.once("exit", () => {
  for (const keepPiece of atExit) keepPiece();
});

const exported: unknown[] = [];
begin(pack, functionOf, [require, __dirname, process], exported);
