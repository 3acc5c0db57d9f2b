#!/usr/bin/env node
/**
 * Starts the command from V8's compiled code, which is kept beside it and halves the start. It is disposable: V8 itself
 * refuses what another version made, and where none can be kept everything works, only slower.
 */
import fs from "node:fs";
import path from "node:path";
import vm from "node:vm";

const COMMAND = path.join(__dirname, "command.cjs");
/** A server runs other code than a command does; each kind has what its first run compiled. */
const KIND = ["mcp", "pager", "watch"].includes(process.argv[2] ?? "") ? "server" : "command";
const COMPILED = path.join(__dirname, "compiled", `${KIND}-${process.version}-${process.arch}.bin`);

/** What an earlier run compiled; null when there is nothing. */
function earlier(): Buffer | undefined {
  try {
    return fs.readFileSync(COMPILED);
  } catch {
    return undefined;
  }
}

/** Keeps what this run compiled, whole and flushed, for the next; does nothing where the folder cannot be written. */
function keep(): void {
  const aside = `${COMPILED}.${process.pid}`;
  try {
    fs.mkdirSync(path.dirname(COMPILED), { recursive: true });
    const file = fs.openSync(aside, "wx");
    try {
      fs.writeFileSync(file, script.createCachedData());
      fs.fsyncSync(file);
    } finally {
      fs.closeSync(file);
    }
    fs.renameSync(aside, COMPILED);
  } catch {
    fs.rmSync(aside, { force: true });
  }
}

// A server lives long and holds little. V8 would let what is young grow to 32 MB, and what is old to several times what is
// alive. Said before anything is compiled, because compiled code is only taken under the flags that it was made under.
if (KIND === "server") process.getBuiltinModule("node:v8").setFlagsFromString("--semi-space-growth-factor=1 --heap-growing-percent=20");
// The bundle is ASCII; read so, it needs no decoding.
const source = fs.readFileSync(COMMAND, "latin1");
const cachedData = earlier();
const script = new vm.Script(`(function(require,module,exports,__filename,__dirname){${source}\n})`, {
  filename: COMMAND,
  ...(cachedData === undefined ? {} : { cachedData }),
});
if (cachedData === undefined || script.cachedDataRejected === true) process.once("exit", keep);
script.runInThisContext()(require, module, exports, COMMAND, __dirname);
