/** Settings that came and do not count here until somebody accepts them, kept on this machine. spec/trust.md, "Settings only tighten". */
import { type Config, ownConfig } from "../objects/config/config.ts";
import { CONFIG_PATH } from "../objects/config/config-schema.ts";
import {
  type AcceptedSettings,
  barredSettings,
  countedBefore,
  heldAtFirst,
  readHeld,
  settingsOf,
  type TightenedSettings,
  tightenedSettings,
  withDefaults,
  withHeld,
} from "../objects/config/settings.ts";
import { orElse, quietly, readOr } from "../objects/format/file-error.ts";
import { readText } from "../store/read/read-file.ts";
import type { Store } from "../store/root.ts";
import { removeForGood } from "../store/write/move-file.ts";
import { place } from "../store/write/publish.ts";
import { touch } from "../store/write/touch.ts";
import type { World } from "../world.ts";
import { machineStore, readMachine } from "./machine.ts";

/** They keep a setting as it was, so they lie in the home; what lets one change lies in the user's state folder. */
export const HELD = "local/config/held.json";
const ACCEPTED = "config.json";
const TIGHTENED = "config-tightened.json";
/** More than values of a `relay.yml` take that are quoted twice. */
const BYTES = 1_048_576;

function parsed<T extends object>(text: string | null): T {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    return (typeof value === "object" && value !== null && !Array.isArray(value) ? value : {}) as T;
  } catch {
    return {} as T;
  }
}

/**
 * The configuration that counts, of the one that the file says, and the settings whose values in the file do not. Where nobody can read
 * what is held, as little counts as on a new clone.
 * @throws Refusal `outside_home`; the errors of the disk
 */
export function counting(store: Store, said: Config): { config: Config; held: AcceptedSettings } {
  const text = readOr("", () => readText(store, HELD, BYTES));
  if (text === null) return { config: said, held: {} };
  const held = readHeld(text);
  const known = held === null ? null : orElse(null, () => withHeld(said, held));
  const { config, names } = known ?? withHeld(said, heldAtFirst(said));
  return { config, held: settingsOf(said, names) };
}

/**
 * Notes which settings of a configuration that comes, or that comes back, do not count by themselves, because they are looser or far
 * tighter; called before it lies on the disk. What a push made tighter may be again what it was, as long as nobody here changed it since.
 * @param text what comes; a configuration that cannot be taken is not checked out
 * @param was the configuration that counts; null where there is none yet
 */
export function holdSettings(world: World, text: string | null, was: Config | null): void {
  const is = ownConfig(text);
  if (is === null) return;
  const { store } = world.home();
  const counts = was ?? withDefaults(is);
  const tightened = parsed<TightenedSettings>(readMachine(world, TIGHTENED, BYTES));
  const before = was === null ? {} : countedBefore(was, tightened);
  const barred = barredSettings(counts, is, parsed<AcceptedSettings>(readMachine(world, ACCEPTED, BYTES)));
  const known = barredSettings(counts, is, before);
  const held = Object.fromEntries(Object.entries(barred).filter(([name]) => Object.hasOwn(known, name)));
  if (Object.keys(held).length > 0) place(store, HELD, `${JSON.stringify(held)}\n`);
  else removeForGood(store, HELD);
  if (was !== null) keepTightened(world, tightened, tightenedSettings(was, withHeld(is, held).config, before));
}

/** Keeps what counted before pushes made it tighter, where that is news. */
function keepTightened(world: World, was: TightenedSettings, is: TightenedSettings): void {
  if (JSON.stringify(was) === JSON.stringify(is)) return;
  // Where nothing can be kept, what is taken back counts once it is accepted.
  quietly(() => place(machineStore(world), TIGHTENED, `${JSON.stringify(is)}\n`));
}

/** Lets what came count from now on. @param accepted the values that do not count now @throws Refusal `no_state_folder` */
export function acceptSettings(world: World, accepted: AcceptedSettings): void {
  const { store } = world.home();
  const before = parsed<AcceptedSettings>(readMachine(world, ACCEPTED, BYTES));
  place(machineStore(world), ACCEPTED, `${JSON.stringify({ ...before, ...accepted })}\n`);
  removeForGood(store, HELD);
  // Whoever has read the file already reads it again.
  touch(store, CONFIG_PATH, Date.now());
}
