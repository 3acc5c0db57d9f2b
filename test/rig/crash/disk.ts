/**
 * A small model of a disk: inodes, names in folders, and for each call of a record what of it is sure to be there after a loss of power.
 *
 * - `posix` promises only what was flushed: the bytes of a file by its own flush, a name by the flush of its folder.
 * - `ext4` (data=ordered) keeps the order of all names and makes them sure by any flush; bytes come by their own flush alone.
 * - `apfs` keeps the order of all names; a flush makes those sure that came up to the last one of the file or folder that is flushed.
 *
 * A rename is one step on all of them; under `posix` the old name may still be there beside the new one.
 */
import fs from "node:fs";
import path from "node:path";
import type { Call } from "./trace.ts";

export const MODELS = ["ext4", "apfs", "posix"] as const;
export type Model = (typeof MODELS)[number];

/** A file, a folder or a symbolic link, whatever names it has. */
export interface Inode {
  kind: "file" | "folder" | "link";
  mode: number;
  /** Of a file: what is sure to be there, and what a running process reads. Of a link: where it leads. */
  sure: Buffer;
  now: Buffer;
  /** Of a folder: the names that are sure, and those that a running process sees. */
  names: Map<string, number>;
  seen: Map<string, number>;
}

/** A name that was given, or taken away (`inode` null). */
export interface Naming {
  folder: number;
  name: string;
  inode: number | null;
  /** Where it was done, for people. */
  path: string;
  /** The naming without which this one cannot be: a rename takes the old name away once it gave the new one. */
  needs: Naming | null;
  sure: Record<Model, boolean>;
  /** Whether it lies in a folder that may go missing as a whole. */
  disposable: boolean;
}

/** A disk between two calls. */
export interface Disk {
  inodes: Inode[];
  /** The folders at which the model begins, by absolute path. */
  roots: Map<string, number>;
  /** Every naming since the beginning, in order. */
  namings: Naming[];
  /** The inodes whose bytes are not sure. */
  wet: Set<number>;
  open: Map<number, { inode: number; at: number; appends: boolean }>;
  /** How many answers were given so far. */
  answers: number;
  /** Whether a path lies on another machine, which does not lose its power. */
  isElsewhere: (path: string) => boolean;
}

/** What is in a home's `run/`, or in that of a place in the state folder, costs nothing when it is gone. */
const DISPOSABLE = /\/(\.relay|places\/[0-9a-f]{32})\/run(\/|$)/;

const newInode = (kind: Inode["kind"], mode: number, bytes: Buffer = Buffer.alloc(0)): Inode => ({
  kind,
  mode,
  sure: bytes,
  now: bytes,
  names: new Map(),
  seen: new Map(),
});

/**
 * A disk as it lies under some folders, all of it sure.
 * @param change what is done to each name, and to the bytes of each file
 * @param isElsewhere which paths lie on another machine
 */
export function diskAt(
  roots: readonly string[],
  change: { name: (name: string) => string; bytes: (bytes: Buffer) => Buffer },
  isElsewhere: (path: string) => boolean = () => false,
): Disk {
  const disk: Disk = { inodes: [], roots: new Map(), namings: [], wet: new Set(), open: new Map(), answers: 0, isElsewhere };
  const known = new Map<string, number>();
  const load = (at: string): number => {
    const stat = fs.lstatSync(at, { bigint: true });
    const key = `${stat.dev}:${stat.ino}`;
    const there = known.get(key);
    if (there !== undefined) return there;
    const mode = Number(stat.mode) & 0o7777;
    const inode = stat.isDirectory()
      ? newInode("folder", mode)
      : stat.isSymbolicLink()
        ? newInode("link", mode, Buffer.from(fs.readlinkSync(at)))
        : newInode("file", mode, change.bytes(fs.readFileSync(at)));
    const number = disk.inodes.push(inode) - 1;
    known.set(key, number);
    if (stat.isDirectory()) for (const name of fs.readdirSync(at).sort()) inode.names.set(change.name(name), load(path.join(at, name)));
    inode.seen = new Map(inode.names);
    return number;
  };
  for (const root of roots) {
    const at = fs.existsSync(root) ? load(root) : disk.inodes.push(newInode("folder", 0o700)) - 1;
    disk.roots.set(root, at);
  }
  return disk;
}

/** Does a call on the disk, as a running process sees it. */
export function apply(disk: Disk, call: Call): void {
  switch (call.call) {
    case "answer":
      disk.answers += 1;
      return;
    case "open": {
      const there = find(disk, call.path);
      if (there === null && !call.creates) throw new Error(`opened, and not there: ${call.path}`);
      const inode = there ?? disk.inodes.push(newInode("file", call.mode)) - 1;
      if (there === null) give(disk, call.path, inode);
      if (call.truncates) put(disk, call, inode, Buffer.alloc(0));
      disk.open.set(call.file, { inode, at: 0, appends: call.appends });
      return;
    }
    case "write": {
      const file = opened(disk, call);
      const { now } = nodeOf(disk, file.inode);
      const at = call.at ?? (file.appends ? now.length : file.at);
      const bytes = Buffer.alloc(Math.max(now.length, at + call.bytes.length));
      now.copy(bytes);
      call.bytes.copy(bytes, at);
      put(disk, call, file.inode, bytes);
      if (call.at === null) file.at = at + call.bytes.length;
      return;
    }
    case "seek":
      opened(disk, call).at = call.at;
      return;
    case "read":
      opened(disk, call).at += call.length;
      return;
    case "resize":
      put(disk, call, opened(disk, call).inode, resized(nodeOf(disk, opened(disk, call).inode).now, call.size));
      return;
    case "truncate": {
      const inode = must(disk, call.path);
      put(disk, call, inode, resized(nodeOf(disk, inode).now, call.size));
      return;
    }
    case "flush":
      // Another machine's disk says nothing of this one.
      if (!disk.isElsewhere(call.path)) flush(disk, opened(disk, call).inode);
      return;
    case "mode":
      nodeOf(disk, must(disk, call.path)).mode = call.mode;
      return;
    case "mkdir":
      give(disk, call.path, disk.inodes.push(newInode("folder", call.mode)) - 1);
      return;
    case "symlink":
      give(disk, call.path, disk.inodes.push(newInode("link", 0o777, Buffer.from(call.target))) - 1);
      return;
    case "link":
      give(disk, call.path, must(disk, call.from));
      return;
    case "rename": {
      const inode = must(disk, call.from);
      // Two names of one file: the call does nothing.
      if (find(disk, call.path) === inode) return;
      give(disk, call.from, null, give(disk, call.path, inode));
      return;
    }
    case "unlink":
    case "rmdir":
      must(disk, call.path);
      give(disk, call.path, null);
  }
}

/** An inode by its number. */
export const nodeOf = (disk: Disk, inode: number): Inode => disk.inodes[inode] as Inode;

function resized(bytes: Buffer, size: number): Buffer {
  const made = Buffer.alloc(size);
  bytes.copy(made);
  return made;
}

function opened(disk: Disk, { file, path: at }: { file: number; path: string }): { inode: number; at: number; appends: boolean } {
  const found = disk.open.get(file);
  if (found === undefined) throw new Error(`not open: ${at}`);
  return found;
}

function put(disk: Disk, { path: at }: { path: string }, inode: number, bytes: Buffer): void {
  nodeOf(disk, inode).now = bytes;
  if (disk.isElsewhere(at)) nodeOf(disk, inode).sure = bytes;
  else disk.wet.add(inode);
}

/** Gives a name to an inode, or takes it away. */
function give(disk: Disk, at: string, inode: number | null, needs: Naming | null = null): Naming {
  const [folder, name] = [must(disk, path.dirname(at)), path.basename(at)];
  const isSure = disk.isElsewhere(at);
  const sure = { posix: isSure, ext4: isSure, apfs: isSure };
  const naming: Naming = { folder, name, inode, path: at, needs, sure, disposable: DISPOSABLE.test(at) };
  disk.namings.push(naming);
  setName(nodeOf(disk, folder).seen, name, inode);
  return naming;
}

/** Gives a name in a folder, or takes it away. */
export function setName(names: Map<string, number>, name: string, inode: number | null): void {
  if (inode === null) names.delete(name);
  else names.set(name, inode);
}

function flush(disk: Disk, inode: number): void {
  const node = nodeOf(disk, inode);
  node.sure = node.now;
  disk.wet.delete(inode);
  const last = disk.namings.findLastIndex((naming) => naming.folder === inode || naming.inode === inode);
  for (const [at, naming] of disk.namings.entries()) {
    naming.sure.ext4 = true;
    if (at <= last) naming.sure.apfs = true;
    if (naming.folder !== inode) continue;
    naming.sure.posix = true;
    // A rename is one step: the old name does not go without the new one.
    for (let need = naming.needs; need !== null; need = need.needs) need.sure.posix = true;
  }
}

/** The inode of a path, as a running process finds it; null where nothing is. */
function find(disk: Disk, at: string): number | null {
  const root = [...disk.roots].find(([root]) => at === root || at.startsWith(`${root}/`));
  if (root === undefined) return null;
  let inode: number | undefined = root[1];
  for (const name of at.slice(root[0].length).split("/").filter(Boolean)) {
    if (inode === undefined) return null;
    inode = nodeOf(disk, inode).seen.get(name);
  }
  return inode ?? null;
}

function must(disk: Disk, at: string): number {
  const inode = find(disk, at);
  if (inode === null) throw new Error(`not there: ${at}`);
  return inode;
}
