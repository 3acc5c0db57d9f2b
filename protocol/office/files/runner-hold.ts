/**
 * Which process is the runner of a home: known by its process identity, and by no time. One that is suspended is not overtaken, and one
 * that was killed is followed at once. spec/office.md, "Runner".
 */
import { orElse } from "../../core/format/file-error.ts";
import type { World } from "../../core/world.ts";
import { withLock } from "../../store/lock.ts";
import { lifeOf, thisProcess } from "../../store/process.ts";
import { ageMs, exists } from "../../store/read/facts.ts";
import { readText } from "../../store/read/read-file.ts";
import type { Store } from "../../store/root.ts";
import { removeFile } from "../../store/write/move-file.ts";
import { publish } from "../../store/write/publish.ts";
import { touch } from "../../store/write/touch.ts";
import { inOffice, OFFICE, officeToWrite } from "./office-folder.ts";

/** Holds who the runner of a home is, as `thisProcess` writes it. */
export const RUNNER_PATH = `${OFFICE}/runner`;
const RUNNER_BYTES = 4_096;
/** A runner in another container, or of a machine's last start, cannot be seen; one that lives renews its file more often than this. */
const UNSEEN_MS = 30_000;

const holderOf = (store: Store): string | null =>
  orElse(null, () => inOffice(store, null, (office) => readText(office, RUNNER_PATH, RUNNER_BYTES)?.trim() ?? null));

/** Whether the runner of a home lives, or may live. */
export function isRunnerThere(store: Store): boolean {
  const holder = holderOf(store);
  if (holder === null) return false;
  const life = lifeOf(holder);
  return (
    life === "alive" || (life === "unknown" && inOffice(store, false, (office) => (ageMs(office, RUNNER_PATH) ?? UNSEEN_MS) < UNSEEN_MS))
  );
}

/** Whether the runner of a home was killed: one that ends by itself gives its hold back. */
export const isRunnerLost = (store: Store): boolean =>
  inOffice(store, false, (office) => exists(office, RUNNER_PATH)) && !isRunnerThere(store);

/** This process as the runner. */
export interface RunnerHold {
  /** Says that it goes on. @returns whether it is the runner still */
  renew(): boolean;
  /** Gives it back. */
  release(): void;
}

/** Makes this process the runner of its home. @returns null where another one is */
export async function holdRunner(world: World): Promise<RunnerHold | null> {
  const { store } = world.home();
  const office = officeToWrite(store);
  const isMine = (): boolean => holderOf(store) === thisProcess();
  const isTaken = await withLock(office, RUNNER_PATH, () => {
    if (isRunnerThere(store)) return false;
    removeFile(office, RUNNER_PATH);
    return publish(office, RUNNER_PATH, `${thisProcess()}\n`) === "created";
  });
  if (!isTaken) return null;
  return {
    renew: () => isMine() && touch(office, RUNNER_PATH, world.now()),
    release() {
      if (isMine()) removeFile(office, RUNNER_PATH);
    },
  };
}
