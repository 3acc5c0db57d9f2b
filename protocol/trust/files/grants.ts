/**
 * The commands that may run here: whole values in the user's state folder, made by a person at this machine. A file of the project or
 * the home is no grant, however it came. spec/trust.md, "Grants".
 */

import { readOr } from "../../core/format/file-error.ts";
import { hiddenIn } from "../../core/format/hidden.ts";
import { refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { sha256 } from "../../store/digest.ts";
import { entries, names } from "../../store/read/list-folder.ts";
import { readText } from "../../store/read/read-file.ts";
import type { Store } from "../../store/root.ts";
import { removeForGood } from "../../store/write/move-file.ts";
import { publish } from "../../store/write/publish.ts";
import { formatGrant, type Grant, parseGrant } from "../nouns/grant.ts";
import { findMachineStore, machineStore } from "./machine.ts";
import { noteOnMachine } from "./machine-notes.ts";

const GRANT_BYTES = 65_536;

/** What stands for a grant: the SHA-256 of its text. The same in every copy of a project, so that a workflow can name it. */
export const digestOf = (grant: Grant): string => sha256(formatGrant(grant));

const grantPath = (digest: string): string => `grants/${digest}.json`;

/**
 * The program and arguments that were granted for what wants to run; null where nothing was. What it gives is what was
 * read: whoever runs it runs exactly that, and reads nothing again.
 */
export function granted(world: World, wanted: Grant): readonly string[] | null {
  if (wanted.argv.some((word) => hiddenIn(word) !== null)) return null;
  const digest = digestOf(wanted);
  const store = findMachineStore(world);
  const found = store === null ? null : grantAt(store, digest);
  if (found !== null) return found.argv;
  return ofEnvironment(world).includes(digest) ? wanted.argv : null;
}

/**
 * The digests that a workflow names in `RELAY_GRANTS`. Not in a server: what starts it may be a file of the project, with
 * variables of its own.
 */
function ofEnvironment(world: World): string[] {
  if (world.connection.lasting) return [];
  return (world.env["RELAY_GRANTS"] ?? "").split(",").map((digest) => digest.trim().toLowerCase());
}

function grantAt(store: Store, digest: string): Grant | null {
  const text = readOr(null, () => readText(store, grantPath(digest), GRANT_BYTES));
  const grant = text === null ? null : parseGrant(text);
  return grant !== null && digestOf(grant) === digest ? grant : null;
}

/** Grants what a person saw. @throws Refusal `invalid_argument` for what a person cannot see whole; `no_state_folder` */
export function allowCommand(world: World, wanted: Grant): void {
  requireVisible(wanted.argv);
  const store = machineStore(world);
  if (publish(store, grantPath(digestOf(wanted)), `${formatGrant(wanted)}\n`) === "exists") return;
  noteOnMachine(world, store, {
    parts: [wanted.agent],
    digest: digestOf(wanted),
    subject: `granted: hook ${wanted.moment} of ${wanted.agent}`,
    argv: wanted.argv,
  });
}

/** Refuses words with characters that a person would not see. @throws Refusal `invalid_argument` */
export function requireVisible(argv: readonly string[]): void {
  for (const word of argv) {
    const hidden = hiddenIn(word);
    if (hidden === null) continue;
    const expected = `words without hidden characters; this one has ${hidden}`;
    throw refuse("invalid_argument", { argument: "argv", expected, given: word, example: null });
  }
}

/** Takes a grant back. @returns false when there was none */
export function revokeCommand(world: World, digest: string): boolean {
  const store = findMachineStore(world);
  const found = store === null ? null : grantAt(store, digest);
  if (store === null || found === null || !removeForGood(store, grantPath(digest))) return false;
  noteOnMachine(world, store, {
    parts: [found.agent],
    digest,
    subject: `revoked: hook ${found.moment} of ${found.agent}`,
    argv: found.argv,
  });
  return true;
}

/** Every grant of a place. */
export function grantsIn(store: Store): Grant[] {
  return names(store, "grants")
    .sort()
    .flatMap((name) => grantAt(store, name.replace(/\.json$/, "")) ?? []);
}

/** Files of the home that an earlier version took for trust, or that somebody put there; none is believed. Paths in the home. */
export function neverBelieved(store: Store): string[] {
  const walk = (folder: string, depth: number): string[] =>
    entries(store, folder).flatMap(({ name, kind }) => {
      const at = `${folder}/${name}`;
      return kind === "folder" ? (depth < 3 ? walk(at, depth + 1) : []) : [at];
    });
  return ["local/trust", "local/deliver", "local/office", "run/office"].flatMap((folder) => walk(folder, 0)).sort();
}
