/** A project that was moved: the permissions of its old place, and how they move with it. spec/trust.md, "What this machine keeps". */
import fs from "node:fs";
import path from "node:path";
import { orElse } from "../../core/format/file-error.ts";
import type { World } from "../../core/world.ts";
import { removeFolder } from "../../store/beside/beside.ts";
import { bringAlong } from "../../store/beside/own-folder.ts";
import { sha256 } from "../../store/digest.ts";
import { entries } from "../../store/read/list-folder.ts";
import { readText } from "../../store/read/read-file.ts";
import type { Store } from "../../store/root.ts";
import { formerPlaces, machineStore } from "../../trust/files/machine.ts";
import { noteOnMachine } from "../../trust/files/machine-notes.ts";
import type { RungName } from "../nouns/wake-state.ts";
import { METHOD_BYTES, type WakeMethod } from "./who-rings.ts";

/** Another place of the same copy of a project. */
export interface MovedPlace {
  /** What this machine keeps for it. */
  store: Store;
  /** The earlier folder. */
  path: string;
}

/** The earlier folder of this copy of the project; null where this machine knows of none. */
export function movedPlace(world: World): MovedPlace | null {
  // What is still there was copied, not moved: nobody ever opened the copy.
  return formerPlaces(world).find((each) => !fs.existsSync(each.path)) ?? null;
}

/** Takes what was allowed at an old place over to this one; what was allowed here meanwhile stays as it is. */
export function carryOver(world: World, { store: old, path: from }: MovedPlace): void {
  const store = machineStore(world);
  bringAlong(old.root, store.root);
  removeFolder(old.root);
  noteOnMachine(world, store, { parts: [], digest: sha256(from), subject: `moved from ${from}` });
}

/** What a place lets be run or started for its parts. */
export function wakeMethodsIn(
  store: Store,
): { digest: string; purpose: "deliver" | "start"; who: string; moment: RungName | null; argv: string[] }[] {
  const walk = (folder: string): string[] =>
    entries(store, folder).flatMap(({ name, kind }) => (kind === "folder" ? walk(`${folder}/${name}`) : [`${folder}/${name}`]));
  return walk("deliver").flatMap((at) => {
    const who = path.posix.relative("deliver", at).replace(/\.json$/, "");
    return orElse([], () => {
      const { exec, tmux } = JSON.parse(readText(store, at, METHOD_BYTES) ?? "{}") as WakeMethod;
      const entry = (purpose: "deliver" | "start", moment: RungName, argv: unknown) =>
        Array.isArray(argv) ? [{ digest: sha256(JSON.stringify([purpose, who, argv])), purpose, who, moment, argv: argv as string[] }] : [];
      return [...entry("deliver", "exec", exec?.argv), ...entry("start", "tmux", tmux?.["argv"])];
    });
  });
}
