/**
 * The calls of the disk that a command makes, whole and in their order, recorded by strace: what is needed to say what a disk may hold
 * when the power is cut between two of them. Git's calls are among them, where the command starts git.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { relayFile } from "../processes.ts";
import { cleanEnv, scratch } from "../scratch.ts";

/** One call that changed the disk, or flushed a part of it. `file` is one opening of a file or folder. */
export type Call =
  | { call: "open"; file: number; path: string; creates: boolean; truncates: boolean; appends: boolean; mode: number }
  | { call: "write"; file: number; path: string; at: number | null; bytes: Buffer }
  | { call: "seek"; file: number; path: string; at: number }
  | { call: "read"; file: number; path: string; length: number }
  | { call: "truncate"; path: string; size: number }
  | { call: "resize"; file: number; path: string; size: number }
  | { call: "flush"; file: number; path: string }
  | { call: "mode"; path: string; mode: number }
  | { call: "mkdir"; path: string; mode: number }
  | { call: "link" | "rename"; from: string; path: string }
  | { call: "symlink"; target: string; path: string }
  | { call: "unlink" | "rmdir"; path: string }
  | { call: "answer"; path: string; text: string };

const FILES = "open,openat,creat,close,dup,dup2,dup3,fcntl";
const CONTENTS =
  "lseek,read,readv,write,pwrite64,writev,pwritev,pwritev2,truncate,ftruncate,copy_file_range,sendfile,fsync,fdatasync,sync_file_range";
const NAMES = "link,linkat,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,rmdir,symlink,symlinkat";
const OTHERS = "chmod,fchmod,fchmodat,chdir,fchdir,clone,clone3,fork,vfork,execve";
const TRACED = [FILES, CONTENTS, NAMES, OTHERS].join(",").split(",");

/** What this system gives a new file of its rights, whatever was asked for. */
const UMASK = 0o022;

/** Git as it is by itself: it flushes what it flushes for everybody. */
const gitConfig = (): string => {
  const file = path.join(scratch(), "gitconfig");
  fs.writeFileSync(file, "[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n");
  return file;
};

/**
 * Runs a command of Relay to its end, and gives its calls below some folders.
 * @param roots absolute paths; a call that names nothing below them is none
 * @param more of its environment
 * @throws where it did not succeed
 */
export async function record(
  args: readonly string[],
  cwd: string,
  roots: readonly string[],
  more: Record<string, string> = {},
): Promise<Call[]> {
  const log = path.join(scratch(), "strace");
  // What was read is not wanted, only how much: git reads on in the pack that it writes the end of.
  const told = ["-xx", "-s", "16777216", "-e", "raw=read,readv"];
  const tracing = ["-f", "--seccomp-bpf", ...told, "-o", log, "-e", `trace=${TRACED.map((name) => `?${name}`).join(",")}`];
  const env = cleanEnv({ UV_THREADPOOL_SIZE: "1", GIT_CONFIG_GLOBAL: gitConfig(), GIT_TEST_FSYNC: "1", RELAY_NO_RUNNER: "1", ...more });
  const child = spawn("strace", [...tracing, process.execPath, relayFile(), ...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const said = { out: "", error: "" };
  child.stdout.setEncoding("utf8").on("data", (text) => (said.out += text));
  child.stderr.setEncoding("utf8").on("data", (text) => (said.error += text));
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${said.out}${said.error}`);
  return read(fs.readFileSync(log, "latin1"), cwd, roots);
}

/** What a process has open, and where it is. Its threads share it. */
interface Table {
  cwd: string;
  files: Map<number, { file: number; path: string }>;
}

/** The calls in a log of strace. */
function read(log: string, cwd: string, roots: readonly string[]): Call[] {
  const calls: Call[] = [];
  const tables = new Map<string, Table>();
  const begun = new Map<string, string>();
  /** The openings for reading and writing both: a read says where the next write goes. */
  const both = new Set<number>();
  let opened = 0;
  let first = "";

  const tableOf = (pid: string): Table => {
    const known = tables.get(pid);
    if (known !== undefined) return known;
    // A child may be heard of before the call that made it has returned.
    const parent = [...begun].find(([, call]) => /^(clone3?|v?fork)\(/.test(call));
    return adopt(pid, tables.get(parent?.[0] ?? first), parent?.[1].includes("CLONE_FILES") === true);
  };
  const adopt = (pid: string, parent: Table | undefined, shared: boolean): Table => {
    const table = shared && parent !== undefined ? parent : { cwd: parent?.cwd ?? cwd, files: new Map(parent?.files) };
    tables.set(pid, table);
    return table;
  };

  /** Whoever reads the first words of an answer may take it for given. */
  const answer = (text: string): void => {
    const begun = calls.find((call) => call.call === "answer");
    if (begun === undefined) calls.push({ call: "answer", path: "", text });
    else begun.text += text;
  };

  const take = (pid: string, name: string, given: string, result: number): void => {
    const table = tableOf(pid);
    const words = given.split(", ");
    const texts = [...given.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, hex]) => bytesOf(hex as string));
    const isOurs = (at: string): boolean => roots.some((root) => at === root || at.startsWith(`${root}/`));
    const descriptor = Number(/^\d+/.exec(given)?.[0] ?? -1);
    const open = table.files.get(descriptor);
    // Libraries of the system open some names below the descriptor of a folder.
    const from = (name === "openat" ? open?.path : undefined) ?? table.cwd;
    // What is in a folder that is held open is named by its descriptor.
    const plain = (text: string): string =>
      text.replace(/^\/proc\/self\/fd\/(\d+)(?=\/)/, (own, held: string) => table.files.get(Number(held))?.path ?? own);
    const placed = texts.map((text) => path.resolve(from, plain(text.toString("utf8"))));
    const [one = "", two = ""] = placed;
    const modeIn = (word: string | undefined): number => Number.parseInt(word ?? "0", 8);
    const add = (call: Call): void => void ((isOurs(call.path) || ("from" in call && isOurs(call.from))) && calls.push(call));
    switch (name) {
      case "clone":
      case "clone3":
      case "fork":
      case "vfork":
        if (!tables.has(String(result))) adopt(String(result), table, given.includes("CLONE_FILES"));
        return;
      case "chdir":
        table.cwd = one;
        return;
      case "fchdir":
        throw new Error("a process went to a folder by its descriptor");
      case "open":
      case "openat":
      case "creat": {
        opened += 1;
        table.files.set(result, { file: opened, path: one });
        if (given.includes("O_RDWR")) both.add(opened);
        const creates = given.includes("O_CREAT");
        const mode = creates ? modeIn(words.at(-1)) & ~UMASK : 0;
        add({
          call: "open",
          file: opened,
          path: one,
          creates,
          truncates: given.includes("O_TRUNC"),
          appends: given.includes("O_APPEND"),
          mode,
        });
        return;
      }
      case "close":
        table.files.delete(descriptor);
        return;
      case "dup":
      case "dup2":
      case "dup3":
        if (open === undefined) table.files.delete(result);
        else table.files.set(result, open);
        return;
      case "fcntl":
        if (given.includes("F_DUPFD") && open !== undefined) table.files.set(result, open);
        return;
      case "write":
      case "writev":
      case "pwrite64":
      case "pwritev": {
        const bytes = Buffer.concat(texts).subarray(0, result);
        if (open !== undefined)
          add({ call: "write", ...open, at: name.startsWith("p") ? Number(words.at(-1)) : null, bytes: Buffer.from(bytes) });
        else if (descriptor === 1 && pid === first) answer(bytes.toString("utf8"));
        return;
      }
      case "read":
      case "readv": {
        const file = table.files.get(Number(words[0]));
        if (file !== undefined && both.has(file.file)) add({ call: "read", ...file, length: result });
        return;
      }
      case "lseek":
        if (open !== undefined) add({ call: "seek", ...open, at: result });
        return;
      case "truncate":
        add({ call: "truncate", path: one, size: Number(words.at(-1)) });
        return;
      case "ftruncate":
        if (open !== undefined) add({ call: "resize", ...open, size: Number(words.at(-1)) });
        return;
      case "fsync":
      case "fdatasync":
        if (open !== undefined) add({ call: "flush", ...open });
        return;
      case "link":
      case "linkat":
        add({ call: "link", from: one, path: two });
        return;
      case "rename":
      case "renameat":
      case "renameat2":
        add({ call: "rename", from: one, path: two });
        return;
      case "unlink":
        add({ call: "unlink", path: one });
        return;
      case "unlinkat":
        add({ call: given.includes("AT_REMOVEDIR") ? "rmdir" : "unlink", path: one });
        return;
      case "rmdir":
        add({ call: "rmdir", path: one });
        return;
      case "mkdir":
      case "mkdirat":
        add({ call: "mkdir", path: one, mode: modeIn(words.at(-1)) & ~UMASK });
        return;
      case "symlink":
      case "symlinkat":
        add({ call: "symlink", target: (texts[0] as Buffer).toString("utf8"), path: two });
        return;
      case "chmod":
      case "fchmodat":
        add({ call: "mode", path: one, mode: modeIn(/0[0-7]+/.exec(words.slice(1).join(" "))?.[0]) });
        return;
      case "fchmod":
        if (open !== undefined) add({ call: "mode", path: open.path, mode: modeIn(words.at(-1)) });
        return;
      case "execve":
        return;
      default:
        if (open !== undefined && isOurs(open.path)) throw new Error(`the recorder does not know ${name}`);
    }
  };

  for (const line of log.split("\n")) {
    const [, pid = "", rest = ""] = /^(\d+) +(.*)$/.exec(line) ?? [];
    if (first === "") first = pid;
    if (rest.endsWith("<unfinished ...>")) {
      begun.set(pid, rest.slice(0, -"<unfinished ...>".length).trimEnd());
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest);
    const whole = resumed === null ? rest : `${begun.get(pid) ?? ""}${resumed[1]}`;
    if (resumed !== null) begun.delete(pid);
    const [, name = "", given = "", result = ""] = /^(\w+)\((.*)\) += (0x[\da-f]+|-?\d+)/.exec(whole) ?? [];
    if (name !== "" && Number(result) >= 0) take(pid, name, given, Number(result));
  }
  return calls;
}

const bytesOf = (hex: string): Buffer => Buffer.from(hex.replaceAll("\\x", ""), "hex");
