/** The ways to tell a person on this machine, kept in the user's state folder, where no push can add one. spec/waking.md, "Telling a person". */
import { NEWS, type News, type NewsKind, type Notify, nameFor, parseNotify } from "../../core/event/notify.ts";
import { orElse, quietly, readOr } from "../../core/format/file-error.ts";
import type { World } from "../../core/world.ts";
import { sha256 } from "../../store/digest.ts";
import { exists, facts } from "../../store/read/facts.ts";
import { names } from "../../store/read/list-folder.ts";
import { readText } from "../../store/read/read-file.ts";
import type { Store } from "../../store/root.ts";
import { removeFile, removeForGood } from "../../store/write/move-file.ts";
import { place } from "../../store/write/publish.ts";
import { requireVisible } from "../../trust/files/grants.ts";
import { findMachineStore, machineStore } from "../../trust/files/machine.ts";
import { noteOnMachine } from "../../trust/files/machine-notes.ts";

const FOLDER = "notify";
const NOTIFY_BYTES = 65_536;
const pathOf = (name: string): string => `${FOLDER}/${name}.json`;
/** Where it is kept what a notify was told of. */
export const notifiedFolder = (name: string): string => `notified/${name}`;
const resultPath = (name: string): string => `${notifiedFolder(name)}/last.json`;

/** Everybody who is told here, by name; what cannot be read tells nobody. */
export function notifies(world: World): Notify[] {
  const store = findMachineStore(world);
  return store === null ? [] : notifiesIn(store);
}

/** The same, of a place. */
export function notifiesIn(store: Store): Notify[] {
  return names(store, FOLDER)
    .flatMap((file) => {
      const found = readNotify(store, file);
      return found === null || `${found.name}.json` !== file ? [] : [found];
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

const readNotify = (store: Store, file: string): Notify | null =>
  readOr(null, () => parseNotify(readText(store, `${FOLDER}/${file}`, NOTIFY_BYTES) ?? ""));

/** Changes when a notify is added or removed; null where there are none. */
export function notifySign(world: World): string | null {
  const store = findMachineStore(world);
  const fact = store === null ? null : facts(store, FOLDER);
  return fact === null ? null : `${fact.inode} ${fact.modifiedMs}`;
}

/** What stands for what a notify runs or calls, in the notes of what was allowed here. */
export const notifyDigest = ({ name, command, url }: Notify): string => sha256(JSON.stringify(["notify", name, command ?? url]));
/** What a notify runs, or where it calls, as words. */
export const wordsOf = ({ command, url = "" }: Notify): string[] => command?.argv ?? ["POST", url];

/** What is to be kept of a new one. */
interface NewNotify {
  /** Without one it gets one that nobody has. */
  name?: string | undefined;
  on?: readonly NewsKind[] | undefined;
  argv?: string[] | undefined;
  cwd: string;
  url?: string | undefined;
}

/**
 * Lets a person be told from now on. Whoever calls it was asked to by a person at this machine.
 * @returns what is kept; `replaced` where one of that name was there
 * @throws Refusal `no_state_folder`; `invalid_argument` for a command that a person cannot see whole
 */
export function addNotify(world: World, { name: given, on = NEWS, argv, cwd, url }: NewNotify): { notify: Notify; replaced: boolean } {
  requireVisible(argv ?? [url ?? ""]);
  const store = machineStore(world);
  const name = given ?? freeName(store, nameFor(argv, url));
  const replaced = exists(store, pathOf(name));
  const notify: Notify = {
    version: 1,
    name,
    on: NEWS.filter((kind) => on.includes(kind)),
    addedAt: new Date(world.now()).toISOString(),
    ...(argv === undefined ? { url: url as string } : { command: { argv, cwd } }),
  };
  place(store, pathOf(name), `${JSON.stringify(notify, null, 2)}\n`);
  noteOnMachine(world, store, { parts: [], digest: notifyDigest(notify), subject: `granted: notify ${name}`, argv: wordsOf(notify) });
  return { notify, replaced };
}

function freeName(store: Store, wanted: string): string {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? wanted : `${wanted}-${number}`;
    if (!exists(store, pathOf(name))) return name;
  }
}

/** Tells a person no more. @returns false where there was no such notify */
export function removeNotify(world: World, name: string): boolean {
  const store = findMachineStore(world);
  const found = store === null ? null : readNotify(store, `${name}.json`);
  if (store === null || !removeForGood(store, pathOf(name))) return false;
  removeFile(store, resultPath(name));
  const digest = found === null ? sha256(name) : notifyDigest(found);
  noteOnMachine(world, store, { parts: [], digest, subject: `revoked: notify ${name}`, argv: found === null ? [] : wordsOf(found) });
  return true;
}

/** How it went the last time. `at` is ISO 8601. */
interface NotifyResult {
  at: string;
  ok: boolean;
  event: string;
  /** Why it failed, or how it ended. */
  detail: string;
}

/** Keeps how it went. What fails here fails nobody. */
export function keepResult(world: World, { name }: Notify, { kind }: News, ok: boolean, detail: string): void {
  const result: NotifyResult = { at: new Date(world.now()).toISOString(), ok, event: kind, detail };
  // Where the disk is full, or the folder is gone, nobody can be told.
  quietly(() => place({ ...machineStore(world), durable: false }, resultPath(name), `${JSON.stringify(result)}\n`));
}

/** How it went the last time; null where nothing was sent yet. */
export function lastResult(world: World, name: string): NotifyResult | null {
  const store = findMachineStore(world);
  return orElse(null, () =>
    store === null ? null : (JSON.parse(readText(store, resultPath(name), NOTIFY_BYTES) ?? "null") as NotifyResult | null),
  );
}

/** Those whose last try failed. */
export const failingNotifies = (world: World): (NotifyResult & { name: string })[] =>
  notifies(world).flatMap(({ name }) => {
    const result = lastResult(world, name);
    return result === null || result.ok ? [] : [{ name, ...result }];
  });
