/** Puts the modules of the command into one file of pieces. `cli/start/pack.ts` reads it. */
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import path from "node:path";
import { keptAnswer } from "./kept.mjs";
import { functionOf } from "./modules.mjs";
import { packaged } from "./packages.mjs";

/** As `HEAD_BYTES` in `cli/start/pack.ts`. */
const HEAD_BYTES = 4096;

/** The piece that each start reads. */
const FIRST = "look";

/** The name by which a list knows a module: its path in the project, or what is imported. */
const nameOf = (module) => (path.isAbsolute(module) ? path.relative(".", module) : module);

/**
 * Writes a pack.
 * @param modules of `modulesFrom`
 * @param main the file that begins
 * @param usual the names of the modules that a look at the inbox evaluates, those that the usual commands do, and those that the
 *   server does: the first piece, which each start reads, one that most read after it, and the server's
 * @param learn instead of `usual`, for a trial: the file that each start adds to what it evaluated; then all is one piece
 * @returns the licences of what is in it
 */
export async function writePack(file, { modules, main, kinds, usual, learn }, options) {
  const pieceOf = (name) => {
    if (usual === undefined || usual.look.has(nameOf(name))) return FIRST;
    if (usual.command.has(nameOf(name))) return "usual";
    return usual.server.has(nameOf(name)) ? "server" : seldomPieceOf(name);
  };
  const all = [...modules.keys()];
  const order = [FIRST, ...[...new Set(all.map(pieceOf))].filter((name) => name !== FIRST).sort()];
  const pieces = new Map(order.map((piece) => [piece, all.filter((name) => pieceOf(name) === piece)]));
  const ids = new Map([...pieces.values()].flat().map((name, id) => [name, id]));
  const idOf = (name) => ids.get(name);
  const licences = new Set();
  const packagedText = async (name, taken) => {
    const { text, licences: own } = await keptAnswer([name, taken.toSorted()], () => packaged(name, taken));
    if (own !== "") licences.add(own);
    return text;
  };
  const head = { build: "", kinds, main: idOf(path.resolve(main)), pieces: [] };
  const texts = [];
  let at = HEAD_BYTES;
  for (const name of order) {
    const members = pieces.get(name);
    const functions = await Promise.all(members.map((each) => functionOf(modules.get(each), idOf, packagedText, options)));
    const list = `process.on("exit",()=>require("fs").appendFileSync(${JSON.stringify(learn)},JSON.stringify({by:process.argv[2],ids:Object.keys(_e_)})+"\\n"));`;
    const text = ascii(`(function(_e_,_m_,_t_,require,__dirname,process){${learn === undefined ? "" : list}\n${functions.join("\n")}\n})`);
    head.pieces.push({ name, at, length: text.length, from: idOf(members[0]) });
    texts.push(text);
    at += text.length;
  }
  head.build = createHash("sha256").update(texts.join("")).digest("hex").slice(0, 12);
  const said = JSON.stringify(head);
  if (said.length >= HEAD_BYTES) throw new Error(`The head of the pack has ${said.length} bytes.`);
  writeFileSync(file, [`${said.padEnd(HEAD_BYTES - 1)}\n`, ...texts].join(""));
  return { names: [...ids.keys()].map(nameOf), licences: [...licences].join("\n") };
}

/** A package that is seldom needed is read alone, and what is Relay's own with the other code of its folder. */
function seldomPieceOf(name) {
  if (isBuiltin(name)) return FIRST;
  return path.isAbsolute(name) ? nameOf(name).split("/")[0] : name.replace(/[^\w-]+/g, "-");
}

/** esbuild leaves patterns as they are written; there, and in comments, an escape means the same. Read as ASCII, it needs no decoding. */
const ascii = (text) => text.replace(/[^\0-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
