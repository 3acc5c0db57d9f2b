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
// A server, a dashboard, a pager and a watch live long and hold little. V8 would let what is young grow to 32 MB, and what is old to several times what is
// alive. Said before anything is compiled, because compiled code is only taken under the flags that it was made under.
if (["mcp", "dashboard", "pager", "watch"].includes(args[0] ?? ""))
  process.getBuiltinModule("node:v8").setFlagsFromString("--semi-space-growth-factor=1 --heap-growing-percent=20");
const pack = openPack(path.join(__dirname, "command.pack"));
/** Each of the usual commands runs other code; each has what its first run compiled, and all others together. */
const kind = [args.slice(0, 2).join(" "), args[0]].find((words) => pack.kinds.includes(words ?? "")) ?? "other";

/** Where the compiled code of a piece is kept. */
const compiledOf = ({ name }: Piece): string =>
  path.join(__dirname, "compiled", `${kind.replace(" ", "-")}-${name}-${pack.build}-${process.version}-${process.arch}.bin`);

/** What an earlier run compiled; undefined when there is nothing. */
function earlier(file: string): Buffer | undefined {
  try {
    return fs.readFileSync(file);
  } catch {
    return undefined;
  }
}

/** Keeps what this run compiled, whole and flushed, for the next; does nothing where the folder cannot be written. */
function keep(script: vm.Script, compiled: string): void {
  const aside = `${compiled}.${process.pid}`;
  try {
    fs.mkdirSync(path.dirname(compiled), { recursive: true });
    const file = fs.openSync(aside, "wx");
    try {
      fs.writeFileSync(file, script.createCachedData());
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

/** Compiles a piece, or takes what an earlier run compiled. */
function functionOf(piece: Piece): PieceFunction {
  const compiled = compiledOf(piece);
  const cachedData = earlier(compiled);
  const script = new vm.Script(pack.textOf(piece), {
    filename: path.join(__dirname, `command.pack/${piece.name}`),
    ...(cachedData === undefined ? {} : { cachedData }),
  });
  if (cachedData === undefined || script.cachedDataRejected === true) process.once("exit", () => keep(script, compiled));
  return script.runInThisContext() as PieceFunction;
}

begin(pack, functionOf, [require, __dirname, process]);
