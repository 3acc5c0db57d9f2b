/**
 * The settings of `relay.yml` that count on a machine: who there is as the file says it, all else as a person accepted it there.
 * spec/trust.md, "Settings".
 */
import { orElse } from "../format/file-error.ts";
import { type Config, configFrom, type Settings } from "./config.ts";
import { changesOf, type SettingChange } from "./setting-changes.ts";

/** The settings of who there is, and of the kind of home. */
const WHO: ReadonlySet<string> = new Set(["format", "project", "main", "parts", "groups", "in_tree"]);

/** Settings beside who there is, as `relay.yml` has them. */
export type OwnSettings = Readonly<Record<string, unknown>>;

const split = (settings: Settings, isWho: boolean): OwnSettings =>
  Object.fromEntries(Object.entries(settings).filter(([name]) => WHO.has(name) === isWho));

/** The settings of a file beside who there is. */
export const ownSettings = (said: Settings): OwnSettings => split(said, false);

/** The settings that differ in what they do: a value that is written out and the same by default are one. */
const effectOf = ({ durable, record, sync, summaries, wake, claims, loop, health, usage, task }: Config): string =>
  JSON.stringify([durable, record, sync, summaries, wake, claims, loop, health, usage, task]);

/**
 * The configuration that counts, and the settings of the file that do not.
 * @param said the settings of the file
 * @param whole the configuration that they are
 * @param accepted what a person accepted on this machine; where it is not valid, the defaults count
 */
export function countingConfig(said: Settings, whole: Config, accepted: OwnSettings): { config: Config; held: SettingChange[] } {
  const own = ownSettings(said);
  if (JSON.stringify(own) === JSON.stringify(accepted)) return { config: whole, held: [] };
  const who = split(said, true);
  const config = orElse(null, () => configFrom({ ...accepted, ...who })) ?? configFrom(who);
  return { config, held: effectOf(config) === effectOf(whole) ? [] : changesOf(accepted, own) };
}
