/** How a part is rung on this machine. Lies in `local/`, which is in no git: nobody can send it. SPEC.md, "The ladder". */
import { HUMAN } from "../objects/part.ts";
import { RUNGS, type RungName } from "../objects/wake.ts";
import { place } from "../store/files.ts";
import { ContentError, exists, readText } from "../store/read.ts";
import type { World } from "../world.ts";
import { formerNamesOf } from "./parts.ts";

/** What a person can choose for a part. */
export const DELIVERIES = ["auto", ...RUNGS, "none"] as const;
export type Deliver = (typeof DELIVERIES)[number];

/** What is known on this machine of how to ring a part. */
export interface Delivery {
  /** `auto`: every rung that is there, in the order of the ladder. `none`: nobody rings it. */
  deliver: Deliver;
  /** Where its terminal is; what stands in it is the tmux rung's own. */
  tmux?: Record<string, unknown> | undefined;
  /** The user's own command: a program and its arguments, and how long it may take, in seconds. */
  exec?: { argv: string[]; timeout_s?: number | undefined } | undefined;
}

const DELIVERY_BYTES = 65_536;

/** Where it is kept. */
export const deliveryPath = (part: string): string => `local/deliver/${part}.json`;

/** How a part is rung here. `human` is rung only where somebody chose how. @throws ContentError when the file cannot be read */
export function deliveryOf(world: World, part: string): Delivery {
  const { store } = world.home();
  // Who was renamed is rung as before, until somebody chooses anew.
  const names = [part, ...formerNamesOf(world, part).reverse()];
  const path = deliveryPath(names.find((name) => exists(store, deliveryPath(name))) ?? part);
  const source = readText(store, path, DELIVERY_BYTES);
  if (source === null) return { deliver: part === HUMAN ? "none" : "auto" };
  try {
    const found = JSON.parse(source) as Delivery;
    if (!DELIVERIES.includes(found.deliver)) throw new Error("deliver");
    if (found.exec !== undefined && !isCommand(found.exec)) throw new Error("exec");
    if (found.tmux !== undefined && !isTerminal(found.tmux)) throw new Error("tmux");
    return found;
  } catch {
    throw new ContentError(path, "expected what `relay part deliver` writes");
  }
}

const areWords = (value: unknown): boolean => Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === "string");

const isCommand = ({ argv, timeout_s: limit }: { argv: unknown; timeout_s?: unknown }): boolean =>
  areWords(argv) && (limit === undefined || (typeof limit === "number" && limit > 0));

/** Whether what is kept of a terminal is words, but for the command, which is a list of them. */
const isTerminal = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  Object.entries(value).every(([name, each]) => (name === "argv" ? areWords(each) : typeof each === "string"));

/** Keeps how a part is rung here. */
export function setDelivery(world: World, part: string, delivery: Delivery): void {
  place(world.home().store, deliveryPath(part), `${JSON.stringify(delivery, null, 2)}\n`);
}

/** The rungs that may be tried for a part, in the order of the ladder. */
export function ladderOf({ deliver, exec }: Delivery): RungName[] {
  if (deliver === "none") return [];
  // A command runs only where somebody wrote one down on this machine.
  return deliver === "auto" ? RUNGS.filter((rung) => rung !== "exec" || exec !== undefined) : [deliver];
}
