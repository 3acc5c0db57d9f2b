/** What somebody with push rights can make of a home's branch: any file, mode, name and history, without a working tree. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { cleanEnv, git } from "../../rig/scratch.ts";

/** One file of a branch. */
export interface Branched {
  path: string;
  mode: string;
  id: string;
}

/** How a commit is made. */
export interface CommitOptions {
  /** Revisions; the branch's tip unless given. None: a root, which has only what was written since. */
  parents?: readonly string[];
  /** Seconds since 1970, of author and committer. */
  at?: number;
  author?: string;
}

/** A branch of a bare repository in the hands of somebody who means harm. Nothing is pushed before `commit`. */
export interface Remote {
  /** Absolute path of the bare repository. */
  hub: string;
  /** The branch's ref in it. */
  ref: string;
  /** Shell command that leaves a trace: no clone may ever run it. */
  canary: string;
  /** Writes a file. Paths are those that git takes; for others see `literal`. */
  write(path: string, content: string | Uint8Array, mode?: "100644" | "100755"): void;
  /** Writes very many files of one folder, beside those that it has since the last commit: name → content. */
  fill(folder: string, files: ReadonlyMap<string, string>, mode?: "100644" | "120000"): void;
  /** Removes a file or a folder. */
  remove(...paths: string[]): void;
  move(from: string, to: string): void;
  /** A symbolic link. */
  link(path: string, target: string): void;
  /** A repository inside another. */
  submodule(path: string, commit?: string): void;
  mode(path: string, mode: "100644" | "100755"): void;
  /** Gives a path the content that another has on the branch, without writing it again. */
  same(path: string, as: string): void;
  /** Puts an entry with whatever name and mode into the tree, which git itself would refuse. It goes in with the next commit, after all else. */
  literal(names: readonly (string | Buffer)[], mode: string, content: string | Uint8Array, twice?: boolean): void;
  /** The files of the branch, as it was pushed last. */
  files(under?: string): Branched[];
  /** Paths alone; those that match. */
  paths(pattern: RegExp): string[];
  read(path: string): string;
  /** The name of a file's content. */
  idOf(path: string): string;
  /** The last commit that was pushed. */
  tip(): string;
  /** Pushes what was done since the last commit. Gives the commit's id. */
  commit(message?: string, options?: CommitOptions): string;
  /** Pushes what was done since the last commit, if there is anything. */
  commitRest(): void;
  /** The same as a commit without parents. */
  root(message?: string): string;
}

const LAWFUL = "relay: 1 message (web)";
/** After everything that an honest clone did. */
const LATER_S = Math.floor(Date.parse("2031-01-01") / 1_000);

/** Runs git with bytes on its stdin; gives what it printed. */
export const gitWith = (folder: string, input: string | Uint8Array, ...args: string[]): string =>
  execFileSync("git", args, { cwd: folder, input, env: cleanEnv(), encoding: "utf8", maxBuffer: 2 ** 28 }).trim();

/** Opens a branch of a bare repository. @param under a folder of the branch that all paths are in, with a slash; for homes that are files of the code */
export function remoteAt(hub: string, { branch = "relay", under = "", canary = "false" } = {}): Remote {
  const ref = `refs/heads/${branch}`;
  let steps: (string | Uint8Array)[] = [];
  let literals: (() => { names: Buffer[]; mode: string; id: string; twice: boolean })[] = [];
  const quoted = (path: string): string => `"${(under + path).replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"`;
  const inline = (mode: string, path: string, content: string | Uint8Array): void => {
    const bytes = Buffer.from(content);
    steps.push(`M ${mode} inline ${quoted(path)}\ndata ${bytes.length}\n`, bytes, "\n");
  };
  const remote: Remote = {
    hub,
    ref,
    canary,
    write: (path, content, mode = "100644") => inline(mode, path, content),
    fill(folder, files, mode = "100644") {
      const ids = blobsIn(hub, [...new Set(files.values())]);
      const there = remote.files(`${folder}/`).filter(({ path: at }) => !at.slice(folder.length + 1).includes("/"));
      const lines = [
        ...there.map(({ path: at, mode: was, id }) => `${was} blob ${id}\t${at.slice(folder.length + 1)}`),
        ...[...files].map(([name, content]) => `${mode} blob ${ids.get(content)}\t${name}`),
      ];
      steps.push(`M 040000 ${gitWith(hub, `${lines.join("\n")}\n`, "mktree")} ${quoted(folder)}\n`);
    },
    remove: (...paths) => {
      for (const path of paths) steps.push(`D ${quoted(path)}\n`);
    },
    move: (from, to) => void steps.push(`R ${quoted(from)} ${quoted(to)}\n`),
    link: (path, target) => inline("120000", path, target),
    submodule: (path, commit = "1234567890123456789012345678901234567890") => void steps.push(`M 160000 ${commit} ${quoted(path)}\n`),
    mode: (path, mode) => void steps.push(`M ${mode} ${remote.idOf(path)} ${quoted(path)}\n`),
    same: (path, as) => void steps.push(`M 100644 ${remote.idOf(as)} ${quoted(path)}\n`),
    literal: (names, mode, content, twice = false) =>
      void literals.push(() => ({
        names: [...under.split("/").filter((name) => name !== ""), ...names].map((name) => Buffer.from(name)),
        mode,
        id: /^(160000|0?40000)$/.test(mode) ? String(content) : gitWith(hub, content, "hash-object", "-w", "--stdin"),
        twice,
      })),
    files: (folder = "") =>
      git(hub, "ls-tree", "-r", "-z", ref, "--", ...(under + folder === "" ? [] : [under + folder]))
        .split("\0")
        .filter((line) => line !== "")
        .map((line) => {
          const [, mode = "", id = "", path = ""] = /^(\d+) \w+ (\w+)\t(.+)$/s.exec(line) ?? [];
          return { path: path.slice(under.length), mode, id };
        }),
    paths: (pattern) =>
      remote
        .files()
        .map(({ path }) => path)
        .filter((path) => pattern.test(path)),
    read: (path) => git(hub, "show", `${ref}:${under}${path}`),
    idOf: (path) => git(hub, "rev-parse", `${ref}:${under}${path}`).trim(),
    tip: () => git(hub, "rev-parse", ref).trim(),
    commit(message = LAWFUL, { parents, at = LATER_S, author = "web <web@example.com>" } = {}) {
      const [first, ...others] = parents ?? [ref];
      const lines = (names: readonly string[], word: string): string => names.map((name) => `${word} ${name}^{commit}\n`).join("");
      const head = `reset refs/heads/hostile\ncommit refs/heads/hostile\nmark :1\nauthor ${author} ${at} +0000\ncommitter ${author} ${at} +0000\n`;
      const begin = `${head}data ${Buffer.byteLength(message)}\n${message}\n${first === undefined ? "" : lines([first], "from")}${lines(others, "merge")}`;
      const text = Buffer.concat([begin, ...steps, "\nget-mark :1\n"].map((part) => Buffer.from(part)));
      let made = gitWith(hub, text, "fast-import", "--quiet", "--force");
      steps = [];
      if (literals.length > 0) {
        let tree = git(hub, "rev-parse", "hostile^{tree}").trim();
        for (const entry of literals.map((make) => make())) tree = withEntry(hub, tree, entry);
        literals = [];
        const odd = git(hub, "cat-file", "commit", made).replace(/^tree \w+/, `tree ${tree}`);
        made = gitWith(hub, odd, "hash-object", "-t", "commit", "-w", "--literally", "--stdin");
      }
      gitWith(hub, `update ${ref} ${made}\ndelete refs/heads/hostile\n`, "update-ref", "--stdin");
      return made;
    },
    commitRest() {
      if (steps.length > 0 || literals.length > 0) remote.commit();
    },
    root: (message) => remote.commit(message, { parents: [] }),
  };
  return remote;
}

/** Writes contents at once. @returns content → its name */
function blobsIn(hub: string, contents: readonly string[]): Map<string, string> {
  const marks = path.join(hub, "marks-of-the-rig");
  const steps = contents.map((content, at) => `blob\nmark :${at + 1}\ndata ${Buffer.byteLength(content)}\n${content}\n`);
  gitWith(hub, steps.join(""), "fast-import", "--quiet", `--export-marks=${marks}`);
  const lines = fs.readFileSync(marks, "utf8").trim().split("\n");
  fs.rmSync(marks);
  return new Map(
    lines.map((line) => {
      const [, mark = "", id = ""] = /^:(\d+) (\w+)$/.exec(line) ?? [];
      return [contents[Number(mark) - 1] as string, id];
    }),
  );
}

/** A tree with one more entry, written with whatever name is asked for. Folders on its way are made. */
function withEntry(
  hub: string,
  tree: string | null,
  entry: { names: readonly Buffer[]; mode: string; id: string; twice: boolean },
): string {
  const [name = Buffer.alloc(0), ...below] = entry.names;
  const there =
    tree === null ? [] : entriesOf(execFileSync("git", ["cat-file", "tree", tree], { cwd: hub, env: cleanEnv() }), tree.length / 2);
  const same = there.find((each) => each.name.equals(name));
  const folder = same?.mode === "40000" ? same.id : null;
  const made =
    below.length === 0
      ? { name, mode: entry.mode, id: entry.id }
      : { name, mode: "40000", id: withEntry(hub, folder, { ...entry, names: below }) };
  const all = [...there.filter((each) => each !== same || (below.length === 0 && entry.twice)), made];
  // Git's order: a folder as if its name ended with a slash.
  const key = (each: Entry): Buffer => Buffer.concat([each.name, Buffer.from(each.mode === "40000" ? "/" : "\0")]);
  all.sort((a, b) => Buffer.compare(key(a), key(b)));
  const bytes = all.map((each) => Buffer.concat([Buffer.from(`${each.mode} `), each.name, Buffer.from([0]), Buffer.from(each.id, "hex")]));
  return gitWith(hub, Buffer.concat(bytes), "hash-object", "-t", "tree", "-w", "--literally", "--stdin");
}

interface Entry {
  mode: string;
  name: Buffer;
  id: string;
}

function entriesOf(tree: Buffer, idBytes: number): Entry[] {
  const entries: Entry[] = [];
  for (let at = 0; at < tree.length; ) {
    const [space, zero] = [tree.indexOf(0x20, at), tree.indexOf(0, at)];
    entries.push({
      mode: tree.toString("utf8", at, space),
      name: tree.subarray(space + 1, zero),
      id: tree.toString("hex", zero + 1, zero + 1 + idBytes),
    });
    at = zero + 1 + idBytes;
  }
  return entries;
}
