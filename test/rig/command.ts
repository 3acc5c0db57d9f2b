/**
 * The built command, run in the test's own process: a process of its own takes longer to start than most commands take to run.
 * All that is the process's is given to the command: its arguments, environment, folder, streams, handlers and exit. Each run
 * begins with the pack as it is loaded, so nothing of a run before is remembered.
 */
import childProcess from "node:child_process";
import { EventEmitter, once } from "node:events";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { Readable, Writable } from "node:stream";
import timers from "node:timers/promises";
import { promisify } from "node:util";
import vm from "node:vm";
import { begin, openPack, type Pack, type Piece, type PieceFunction } from "../../cli/start/pack.ts";
import { builtFile } from "./built.ts";

/** The pack and its folder; the command is built when it is first run. */
const pack = (): string => builtFile("command.pack");
const dist = (): string => path.dirname(pack());

let opened: Pack | undefined;
const compiled = new Map<string, vm.Script>();
/** A piece of the command as a function of what a process gives it. */
function functionOf(opened: Pack, piece: Piece): PieceFunction {
  const script = compiled.get(piece.name) ?? new vm.Script(opened.textOf(piece), { filename: `${pack()}/${piece.name}` });
  compiled.set(piece.name, script);
  return script.runInThisContext() as PieceFunction;
}

/** What a run gets. */
interface Given {
  cwd: string;
  args: readonly string[];
  env: Record<string, string>;
  input: string;
  /** What it waits by where it only lets time go by; the clock where it is left out. */
  pause?: ((ms: number) => Promise<unknown>) | undefined;
}

/** What a run gives. */
interface Ran {
  code: number;
  stdout: string;
  stderr: string;
  /** The names of the pieces that it read, and how many of the modules in them it evaluated. */
  pieces: string[];
  modules: number;
}

/** Runs the command to its end. */
export async function runCommand(given: Given): Promise<Ran> {
  const pieces: string[] = [];
  const evaluated: unknown[] = [];
  const [stdout, stderr] = [collector(), collector()];
  const children = new Set<childProcess.ChildProcess>();
  const code = await new Promise<number>((end) => {
    opened ??= openPack(pack());
    const code = opened;
    const required = createRequire(pack());
    const own = ownProcess(given, stdout.stream, stderr.stream, end);
    const modules: Record<string, unknown> = {
      process: own,
      fs: ownFiles(given, stdout.stream),
      path: { ...path, resolve: (...words: string[]) => path.resolve(given.cwd, ...words) },
      os: { ...os, homedir: () => given.env["HOME"] ?? os.homedir(), tmpdir: () => given.env["TMPDIR"] ?? "/tmp" },
      child_process: ownChildren(given, children),
      ...(given.pause === undefined ? {} : { "timers/promises": { ...timers, setTimeout: given.pause } }),
    };
    const take = (name: string): unknown => modules[name.replace(/^node:/, "")] ?? required(name);
    own["getBuiltinModule"] = take;
    const read = (piece: Piece): PieceFunction => {
      pieces.push(piece.name);
      return functionOf(code, piece);
    };
    begin(code, read, [take, dist(), own], evaluated);
  });
  // A process ends no earlier than what it waits for.
  for (const child of children) if (child.exitCode === null && child.signalCode === null) await once(child, "close");
  const modules = Object.keys(evaluated).length;
  return { code, stdout: stdout.text(), stderr: stderr.text(), pieces, modules };
}

function collector(): { stream: Writable; text: () => string } {
  const parts: Buffer[] = [];
  const stream = new Writable({
    write(part: Buffer, _encoding, done) {
      parts.push(part);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(parts).toString("utf8") };
}

/** The process as the command sees it. @param end is called with the exit code once it is known */
function ownProcess(
  { cwd, args, env, input }: Given,
  stdout: Writable,
  stderr: Writable,
  end: (code: number) => void,
): Record<string, unknown> {
  const handlers = new EventEmitter();
  const stdin = Readable.from(input === "" ? [] : [Buffer.from(input)], { objectMode: false });
  const listen = Object.fromEntries(
    (["on", "once", "off", "addListener", "removeListener", "removeAllListeners", "emit", "listeners", "listenerCount"] as const).map(
      (name) => [name, handlers[name].bind(handlers)],
    ),
  );
  const values = {
    ...listen,
    argv: [process.execPath, path.join(dist(), "relay.cjs"), ...args],
    env: { ...env },
    ppid: process.pid,
    stdin,
    stdout,
    stderr,
    cwd: () => cwd,
    exit: (code: number) => end(code),
  };
  const own = Object.create(process) as Record<string, unknown>;
  for (const [name, value] of Object.entries(values)) Object.defineProperty(own, name, { value, writable: true, configurable: true });
  Object.defineProperty(own, "exitCode", { set: end, get: () => undefined });
  return own;
}

/** Calls of the disk that are given what a person typed: a path may be relative. */
const TYPED = ["accessSync", "existsSync", "lstatSync", "openSync", "readdirSync", "readFileSync", "realpathSync", "statSync"] as const;

/** Node's module of files, where what is relative begins at the run's folder. */
function ownFiles({ cwd }: Given, stdout: Writable): Record<string, unknown> {
  const real = fs as unknown as Record<string, (...given: unknown[]) => unknown>;
  const within = (name: string): unknown => {
    const call = real[name] as (...given: unknown[]) => unknown;
    return Object.assign(
      (at: unknown, ...rest: unknown[]) => call(typeof at === "string" && !path.isAbsolute(at) ? path.join(cwd, at) : at, ...rest),
      call,
    );
  };
  // What the command writes to its output goes to the run's.
  const writeSync = (to: number, bytes: Buffer, ...rest: unknown[]): unknown => {
    if (to !== 1) return real["writeSync"]?.(to, bytes, ...rest);
    stdout.write(bytes.subarray(rest[0] as number));
    return bytes.length - (rest[0] as number);
  };
  return { ...fs, ...Object.fromEntries(TYPED.map((name) => [name, within(name)])), writeSync };
}

type Start = (...given: unknown[]) => childProcess.ChildProcess;

/** Node's module of children, whose children get the run's environment and folder where the command says none. */
function ownChildren({ env, cwd }: Given, children: Set<childProcess.ChildProcess>): Record<string, unknown> {
  const within = (given: unknown[]): unknown[] => {
    const at = given.findIndex((each) => typeof each === "object" && each !== null && !Array.isArray(each));
    const options = at === -1 ? {} : (given[at] as { env?: unknown; cwd?: unknown });
    const whole = { ...options, env: options.env ?? env, cwd: options.cwd ?? cwd };
    if (at !== -1) return given.with(at, whole);
    const before = given.findIndex((each, index) => index > 0 && !Array.isArray(each));
    return before === -1 ? [...given, whole] : given.toSpliced(before, 0, whole);
  };
  const started = (child: childProcess.ChildProcess): childProcess.ChildProcess => {
    const { unref } = child;
    children.add(child);
    child.unref = () => {
      children.delete(child);
      unref.call(child);
    };
    return child;
  };
  const real = childProcess as unknown as Record<string, Start>;
  const same = (name: string): Start => real[name] as Start;
  const found: Record<string, unknown> = { ...childProcess };
  for (const name of ["spawn", "execFile", "exec", "fork"]) found[name] = (...given: unknown[]) => started(same(name)(...within(given)));
  for (const name of ["spawnSync", "execFileSync", "execSync"]) found[name] = (...given: unknown[]) => same(name)(...within(given));
  for (const name of ["execFile", "exec"] as const) {
    const whole = promisify(childProcess[name]) as unknown as (...given: unknown[]) => unknown;
    Object.defineProperty(found[name], promisify.custom, { value: (...given: unknown[]) => whole(...within(given)) });
  }
  return found;
}
