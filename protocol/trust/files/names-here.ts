/**
 * The names that each part had, as this copy of the project saw it: what a person bound under one name goes on under another only where both
 * stand in one line here. The file of a home says who was renamed, and whoever may write it could make one part another that there was
 * already. spec/trust.md, "What this machine keeps".
 */
import type { Config } from "../../core/config/config.ts";
import { orElse, quietly } from "../../core/format/file-error.ts";
import type { World } from "../../core/world.ts";
import { exists, facts } from "../../store/read/facts.ts";
import { readText } from "../../store/read/read-file.ts";
import { place, publish } from "../../store/write/publish.ts";
import { findMachineStore, readMachine } from "./machine.ts";

/** A line for each part that was seen here: its names. */
const NAMES = "names";
/** The part that was main when the names were first noted, or that was made main here since. */
const MAIN = "main";
const MAIN_BYTES = 1_024;
/** A longer list takes no name any more, so that no push makes it say nothing. */
const NAMES_BYTES = 1_048_576;

type Parts = Pick<Config, "parts">["parts"];
type Lines = readonly (readonly string[])[];

/**
 * Adds the parts of a configuration to the lines. A part that is new goes onto the line that has all its former names that were seen here, where no part of now is;
 * else it begins one. Parts of one line that are there together again go apart.
 */
function withParts(lines: Lines, parts: Parts): Lines {
  const formerOf = (part: string): string[] => (parts.get(part)?.formerly ?? []).filter((name) => !parts.has(name));
  const now = lines.flatMap((line): string[][] => {
    const there = line.filter((name) => parts.has(name));
    return there.length < 2 ? [[...line]] : there.map((part) => [part, ...formerOf(part).filter((name) => line.includes(name))]);
  });
  const known = new Set(now.flat());
  for (const part of [...parts.keys()].filter((each) => !known.has(each))) {
    const former = formerOf(part);
    const seen = former.filter((name) => known.has(name));
    const own = now.find((line) => seen.length > 0 && seen.every((name) => line.includes(name)) && !line.some((name) => parts.has(name)));
    if (own === undefined) now.push([part, ...former.filter((name) => !known.has(name))]);
    else own.push(part);
  }
  return now;
}

const textOf = (lines: Lines): string => lines.map((line) => `${line.join(" ")}\n`).join("");

/** The lines that are kept; none where nothing is. @throws FileError; the errors of the disk */
function readLines(world: World): Lines {
  const store = findMachineStore(world);
  const text = (store === null ? null : readText(store, NAMES, NAMES_BYTES)) ?? "";
  return text.split("\n").flatMap((line) => (line === "" ? [] : [line.split(" ")]));
}

/**
 * Notes the parts that there are, and which is main, before another change makes one the other. What fails fails nobody: then no later rename
 * counts.
 * @param versions the parts of now, or of earlier versions, the oldest first
 */
export function noteNames(world: World, versions: readonly Parts[] = [world.home().config().parts]): void {
  quietly(() => {
    const store = findMachineStore(world);
    if (store !== null && !exists(store, MAIN)) publish(store, MAIN, `${world.home().config().main}\n`);
    const before = readLines(world);
    const [was, is] = [textOf(before), textOf(versions.reduce(withParts, before))];
    if (store !== null && is !== was && Buffer.byteLength(is) <= NAMES_BYTES) place(store, NAMES, is);
  });
}

/** Notes that a part was made main on this machine, where anything is kept for it. What fails fails nobody: the main worktree stays what it was. */
export function noteMain(world: World, part: string): void {
  quietly(() => {
    const store = findMachineStore(world);
    if (store !== null) place(store, MAIN, `${part}\n`);
  });
}

/** The part that this machine noted as main, by the name that it had then; main of now where nothing was noted. */
export function mainHere(world: World): string {
  const noted = orElse(null, () => readMachine(world, MAIN, MAIN_BYTES))?.trimEnd();
  return noted || world.home().config().main;
}

/** Those of a part's names that what was bound under them here goes on for: its own first. @param former its former names, the newest first */
export function namesBoundAs(world: World, part: string, former: readonly string[]): string[] {
  if (former.length === 0) return [part];
  return orElse([part], () => {
    const own = lineOf(world, part);
    return [part, ...former.filter((name) => own.has(name))];
  });
}

/** The lines by their names, as they were made of a configuration and of a file of a sign. */
const made = new WeakMap<Parts, { sign: string; lines: ReadonlyMap<string, ReadonlySet<string>> }>();
const NONE: ReadonlySet<string> = new Set();

/** The names of the line that a part is in; none where the list is full. */
function lineOf(world: World, part: string): ReadonlySet<string> {
  const { parts } = world.home().config();
  const store = findMachineStore(world);
  const fact = store === null ? null : facts(store, NAMES);
  const sign = fact === null ? "" : `${store?.root} ${fact.inode} ${fact.size} ${fact.modifiedMs}`;
  const before = made.get(parts);
  if (before?.sign === sign) return before.lines.get(part) ?? NONE;
  const all = withParts(readLines(world), parts);
  const lines = new Map<string, ReadonlySet<string>>();
  if (Buffer.byteLength(textOf(all)) <= NAMES_BYTES)
    for (const line of all.map((names) => new Set(names))) for (const name of line) lines.set(name, line);
  made.set(parts, { sign, lines });
  return lines.get(part) ?? NONE;
}
