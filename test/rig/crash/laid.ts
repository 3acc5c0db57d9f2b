/** What lies on a disk in one state, once it is said what of it came. */
import { createHash } from "node:crypto";
import { type Disk, type Inode, type Model, type Naming, nodeOf, setName } from "./disk.ts";

/** How much of the bytes that are not sure a state has. */
export type Wet = "all" | "none" | "half" | "zeros";

/** One state that a disk may be left in: which of the namings that are not sure it has, and what of the bytes. */
export interface Choice {
  has: (naming: Naming) => boolean;
  wet: (inode: number) => Wet;
  /** What is missing, for people. */
  words: string;
}

/** What lies at each path of a state. */
export type Laid = Map<string, { inode: number; kind: Inode["kind"]; mode: number; bytes: Buffer }>;

/** The files and folders of a state; what no name leads to is not there. */
export function layOf(disk: Disk, model: Model, { has, wet }: Choice): Laid {
  const changed = new Map<number, Map<string, number>>();
  for (const naming of disk.namings) {
    if (!naming.sure[model] && !has(naming)) continue;
    let names = changed.get(naming.folder);
    if (names === undefined) {
      names = new Map(nodeOf(disk, naming.folder).names);
      changed.set(naming.folder, names);
    }
    setName(names, naming.name, naming.inode);
  }
  const laid: Laid = new Map();
  const lay = (at: string, inode: number): void => {
    const { kind, mode, names, sure, now } = nodeOf(disk, inode);
    const bytes = kind !== "file" || !disk.wet.has(inode) ? now : wetBytes(sure, now, wet(inode));
    laid.set(at, { inode, kind, mode, bytes });
    for (const [name, inside] of changed.get(inode) ?? names) lay(`${at}/${name}`, inside);
  };
  for (const [root, inode] of disk.roots) lay(root, inode);
  return laid;
}

function wetBytes(sure: Buffer, now: Buffer, wet: Wet): Buffer {
  if (wet === "all") return now;
  if (wet === "none") return sure;
  const kept = Math.min(sure.length, now.length);
  if (wet === "half") return now.subarray(0, kept + Math.floor((now.length - kept) / 2));
  const zeros = Buffer.alloc(now.length);
  sure.copy(zeros, 0, 0, kept);
  return zeros;
}

const hashes = new WeakMap<Buffer, string>();

function hashOf(bytes: Buffer): string {
  const known = hashes.get(bytes) ?? createHash("sha1").update(bytes).digest("base64");
  hashes.set(bytes, known);
  return known;
}

/**
 * Files under a name of one process: what Relay writes aside, and git an object before it has its name. That process is gone, and no other
 * opens them: states that differ in how many there are, and what is in them, are one, and the first that is found stands for all.
 */
const PRIVATE = /\/run\/tmp\/[^/]+$|\/objects\/([0-9a-f]{2}\/)?tmp_obj_\w+$/;

/** What tells one state from another. */
export function digestOf(laid: Laid): string {
  const hash = createHash("sha1");
  const told = [...laid].filter(([at]) => !PRIVATE.test(at));
  hash.update(told.length < laid.size ? "left aside\n" : "");
  for (const [at, { kind, mode, bytes }] of told.sort(([a], [b]) => (a < b ? -1 : 1)))
    hash.update(`${at}\0${kind}\0${mode}\0${kind === "folder" ? "" : hashOf(bytes)}\n`);
  return hash.digest("base64");
}
