/** Files that a person accepted on this machine, each with exactly its bytes: Relay writes them to the disk, though its layout does not know them. spec/git.md, "What is checked out". */
import { sha256 } from "../store/digest.ts";
import { names } from "../store/read/list-folder.ts";
import { readText } from "../store/read/read-file.ts";
import { place } from "../store/write/publish.ts";
import type { World } from "../world.ts";
import { findMachineStore, machineStore } from "./machine.ts";

const FOLDER = "accepted";
const SEAL_BYTES = 4_096;

/** The files that were accepted: path → SHA-256 of the bytes. */
export function acceptedFiles(world: World): Map<string, string> {
  const store = findMachineStore(world);
  const accepted = new Map<string, string>();
  if (store === null) return accepted;
  for (const name of names(store, FOLDER)) {
    try {
      const { path, digest } = JSON.parse(readText(store, `${FOLDER}/${name}`, SEAL_BYTES) ?? "{}") as { path?: unknown; digest?: unknown };
      if (typeof path === "string" && typeof digest === "string" && name === nameOf(path)) accepted.set(path, digest);
    } catch {
      // What cannot be read accepts nothing.
    }
  }
  return accepted;
}

/** Accepts a file with the bytes that it has. @throws Refusal `no_state_folder` */
export function acceptFile(world: World, path: string, bytes: Uint8Array): void {
  place(machineStore(world), `${FOLDER}/${nameOf(path)}`, `${JSON.stringify({ path, digest: sha256(bytes) })}\n`);
}

const nameOf = (path: string): string => `${sha256(path)}.json`;
