/**
 * What this machine keeps for this copy of the project: in the user's state folder, never in the project or the home, so
 * that nothing that arrives can bring it along; and only where nobody else can write that folder. spec/trust.md, "What this machine keeps".
 */
import fs from "node:fs";
import path from "node:path";
import { orElse } from "../../core/format/file-error.ts";
import { mustRead } from "../../core/home/broken-files.ts";
import { codeRepository } from "../../core/home/find-home.ts";
import { refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { createWhole, ensureFolder, makeOwn, notOwn, realAsFarAsThere } from "../../store/beside/own-folder.ts";
import { randomBytes, sha256 } from "../../store/digest.ts";
import { diskRefusal } from "../../store/disk-refusal.ts";
import { names } from "../../store/read/list-folder.ts";
import { readPlain } from "../../store/read/plain-file.ts";
import { readText } from "../../store/read/read-file.ts";
import { passOver, unreadable } from "../../store/read/unreadable.ts";
import { errorCode, type Outside, openStore, type Store, storeAt } from "../../store/root.ts";
import { publish } from "../../store/write/publish.ts";
import { stateFolder } from "./state-folder.ts";

/** Ties the state folder's entries to one copy of a project: a clone has none, and nobody can send one. */
const PLACE_ID = "relay-place";
/** What a place says of itself. */
const PLACE = "place.json";
const PLACE_BYTES = 65_536;

/** One copy of a project: where it lies, and what only this copy has. */
export interface Place {
  /** Absolute real path of git's common directory; outside of git, and for a home at an unusual place, of the home. */
  path: string;
  /** The device, the inode and the birth of that directory: another one at the same path is another copy, also where it got a freed inode. */
  disk: string;
  /** The file that holds the id of this copy. */
  idFile: string;
  /** 32 hexadecimal characters; null where nothing was kept for this copy yet. */
  id: string | null;
}

/**
 * The folder in which this machine keeps what belongs to this copy of the project; made, if need be, with its id.
 * @returns a store whose root is `<state>/relay/places/<id>`, which only this user may write
 * @throws Refusal `no_state_folder`; `no_home` where the home was moved away; those of a disk
 */
export function machineStore(world: World): Store {
  const there = findMachineStore(world);
  if (there !== null) return there;
  const { folder, problem } = stateFolder(world);
  if (folder === null) throw refuse("no_state_folder", { folder: null, reason: problem as string });
  try {
    const place = placeOf(world);
    const id = place.id ?? makePlaceId(place);
    const at = placeFolder(folder, place, id);
    makeOwn([folder, path.dirname(at), at]);
    const wrong = notTrusted(folder, at);
    if (wrong !== null) throw refuse("no_state_folder", { folder, reason: wrong });
    const store = openStore(at);
    publish(store, PLACE, `${JSON.stringify({ version: 1, path: place.path, token: id })}\n`);
    return store;
  } catch (error) {
    if (["EACCES", "EPERM", "EROFS"].includes(errorCode(error) ?? ""))
      throw refuse("no_state_folder", { folder, reason: (error as Error).message });
    throw diskRefusal(error, null);
  }
}

/**
 * Reads a file that this machine keeps for this copy of the project. Makes nothing.
 * @param target path in the store of `machineStore`
 * @param maxBytes the longest that it may be
 * @returns its text; null where there is none, nothing was ever kept here, or the folder may not be trusted
 * @throws Refusal `malformed_file` for a file that is no text of that length
 */
export function readMachine(world: World, target: string, maxBytes: number): string | null {
  const store = findMachineStore(world);
  if (store === null) return null;
  return mustRead(path.join(store.root, target), () => readText(store, target, maxBytes));
}

/** The store of `machineStore`, where it is there and may be trusted; else null. Makes nothing. */
export function findMachineStore(world: World): Store | null {
  const { ofCall } = world.home();
  // A call asks for each part how it is rung, of which there may be very many.
  if (ofCall === undefined) return openMachineStore(world);
  ofCall.machine ??= openMachineStore(world);
  return ofCall.machine;
}

/** The folder of `machineStore` for the home of a world, as its store has it. */
export const outsideOf = (world: World): Outside => ({ find: () => findMachineStore(world), make: () => machineStore(world) });

/** Where a place really lies, by its path, with the inode that its folder had: a server asks with each call. */
const realPlaces = new Map<string, { inode: number; root: string }>();

/** As `findMachineStore`. Who only reads is served as where nothing was ever kept, and told of the folder that may not be read. */
function openMachineStore(world: World): Store | null {
  try {
    return openPlace(world);
  } catch (error) {
    passOver(world.home().store, faultOfMachine(world)?.path ?? stateFolder(world).folder ?? "", error);
    return null;
  }
}

/** The first of the folders that lead to what this machine keeps that is there and may not be read, and why; null where all may. */
export function faultOfMachine(world: World): { path: string; problem: string } | null {
  const { folder } = stateFolder(world);
  if (folder === null) return null;
  const place = placeOf(world);
  const at = place.id === null ? [] : [path.join(folder, "places"), placeFolder(folder, place, place.id)];
  for (const each of [path.dirname(folder), folder, ...at])
    try {
      fs.accessSync(each, fs.constants.R_OK | fs.constants.X_OK);
    } catch (error) {
      const problem = unreadable(error);
      if (problem !== null) return { path: each, problem };
    }
  return null;
}

function openPlace(world: World): Store | null {
  const { folder } = stateFolder(world);
  if (folder === null) return null;
  const place = placeOf(world);
  if (place.id === null) return null;
  const at = placeFolder(folder, place, place.id);
  const there = fs.lstatSync(at, { throwIfNoEntry: false });
  if (notTrusted(folder, at, there) !== null) return null;
  const inode = there?.ino;
  const known = realPlaces.get(at);
  if (inode !== undefined && known?.inode === inode) return storeAt(known.root);
  if (inode === undefined || !fs.existsSync(path.join(at, PLACE))) return null;
  const store = openStore(at);
  realPlaces.set(at, { inode, root: store.root });
  return store;
}

/** The other places that this machine knows of which have this copy's id: where it lay before it was moved. */
export function formerPlaces(world: World): { store: Store; path: string }[] {
  const { folder } = stateFolder(world);
  const here = placeOf(world);
  if (folder === null || here.id === null || notOwn(folder) !== null || !fs.existsSync(path.join(folder, "places"))) return [];
  const places = openStore(path.join(folder, "places"));
  return names(places, ".").flatMap((name) => {
    const at = path.join(places.root, name);
    if (notTrusted(folder, at) !== null) return [];
    const store = openStore(at);
    const said = JSON.parse(readText(store, PLACE, PLACE_BYTES) ?? "{}") as { path?: unknown; token?: unknown };
    return said.token === here.id && typeof said.path === "string" && said.path !== here.path ? [{ store, path: said.path }] : [];
  });
}

/** The name of a place's folder, by its id and where it lies, of which it is the digest. */
const placeNames = new Map<string, string>();

function placeFolder(folder: string, { path: at, disk }: Pick<Place, "path" | "disk">, id: string): string {
  const key = `${id} ${disk} ${at}`;
  const known = placeNames.get(key);
  const name = known ?? sha256(JSON.stringify([at, disk, id])).slice(0, 32);
  if (known === undefined) placeNames.set(key, name);
  return path.join(folder, "places", name);
}

/** This copy of the project, as the files around the home show it. */
function placeOf(world: World): Place {
  const { root } = world.home().store;
  const known = placesFound.get(root) ?? findPlace(root, world.past !== undefined);
  placesFound.set(root, known);
  return { ...known, id: readPlaceId(known.idFile) };
}

function findPlace(root: string, isPast: boolean): Omit<Place, "id"> {
  const code = codeRepository(path.dirname(root));
  const canonical = code === null ? null : realAsFarAsThere(code.home);
  // An earlier record is read inside of the home that it is a record of.
  const usual = canonical === root || (isPast && root.startsWith(`${canonical}${path.sep}run${path.sep}`));
  const idFile = code === null ? path.join(root, "local", PLACE_ID) : path.join(code.commonDir, PLACE_ID);
  const at = code !== null && usual ? code.commonDir : root;
  const there = fs.statSync(at, { bigint: true, throwIfNoEntry: false });
  return { path: at, disk: there === undefined ? "" : `${there.dev}:${there.ino}:${there.birthtimeNs}`, idFile };
}

/** The ids that were read, by file, with what the file was: an id is written once. */
const idsRead = new Map<string, { sign: string; id: string }>();

function readPlaceId(file: string): string | null {
  return orElse(null, () => {
    const stat = fs.lstatSync(file, { throwIfNoEntry: false });
    // A link could lead to the id of another copy.
    if (stat === undefined || !stat.isFile()) return null;
    const sign = `${stat.dev} ${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}`;
    const known = idsRead.get(file);
    if (known?.sign === sign) return known.id;
    const id = /^([0-9a-f]{32})\n$/.exec(readPlain(file).toString("latin1"))?.[1] ?? null;
    if (id !== null) idsRead.set(file, { sign, id });
    return id;
  });
}

/** Makes the id of a place; of several who do so at once, one wins. */
function makePlaceId({ path: at, idFile }: Place): string {
  const id = Buffer.from(randomBytes(16)).toString("hex");
  const folder = path.dirname(idFile);
  const isInHome = folder === path.join(at, "local");
  // The home may be moved away while something runs for it: no other is made in its place.
  if (isInHome && !fs.existsSync(at)) throw refuse("no_home", { looked: at });
  ensureFolder(folder);
  // In a home, a link would lead the id out of this copy, into somebody's folder.
  if (isInHome && !fs.lstatSync(folder).isDirectory())
    throw refuse("no_state_folder", { folder: null, reason: `${folder} is a link; remove it` });
  if (createWhole(idFile, `${id}\n`)) return id;
  const there = readPlaceId(idFile);
  if (there !== null) return there;
  throw refuse("no_state_folder", { folder: null, reason: `${idFile} exists and has no id of Relay's. Remove it` });
}

/** What is wrong with the folders that lead to a place; null where this user alone may write in them. @param there as `notOwn` takes it */
export const notTrusted = (folder: string, at: string, there?: fs.Stats): string | null =>
  notOwn(folder) ?? notOwn(path.dirname(at)) ?? notOwn(at, there);

/** Where each home lies, by its root: looked up once, because it does not change while a process has it open. */
const placesFound = new Map<string, Omit<Place, "id">>();
