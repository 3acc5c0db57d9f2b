/**
 * Settings that a machine was told and no push may loosen, nor tighten so far that a team can neither talk nor be woken: such a
 * value counts once somebody here accepts it. spec/trust.md, "Settings only tighten".
 */

import { orElse } from "../format/file-error.ts";
import { isObject } from "../usage/agent-record.ts";
import { pricesFrom } from "../usage/prices.ts";
import { type WakePolicy, wakePolicy } from "../wake/wake-policy.ts";
import { type Config, LOOP, QUIET_MINUTES, USAGE_RULES } from "./config.ts";

/** A setting's value, as `relay.yml` could say it. */
export type SettingValue = string | number | boolean | null;

interface Setting {
  of(config: Config): SettingValue;
  /** The configuration with another value; the one given stays as it is. */
  with(config: Config, value: SettingValue): Config;
  /** Whether a value lets more happen, or keeps less safe, than the one that counts here. */
  isLooser(is: SettingValue, was: SettingValue): boolean;
  /** The tightest value that a push may set, in the unit of the policy; absent where none keeps anybody from talking. */
  tightest?: number | undefined;
}

const higher = (is: SettingValue, was: SettingValue): boolean => (is as number) > (was as number);
const lower = (is: SettingValue, was: SettingValue): boolean => (is as number) < (was as number);
const other = (is: SettingValue, was: SettingValue): boolean => is !== was;
const only =
  (loose: SettingValue) =>
  (is: SettingValue, was: SettingValue): boolean =>
    is === loose && was !== loose;

type Group = "record" | "sync" | "loop" | "health" | "usage" | "wake";

const within = <G extends Group>(group: G, key: keyof Config[G], isLooser: Setting["isLooser"], tightest?: number): Setting => ({
  of: (config) => config[group][key] as SettingValue,
  with: (config, value) => ({ ...config, [group]: { ...config[group], [key]: value } }),
  isLooser,
  tightest,
});
const wakes = (key: keyof WakePolicy, isLooser: Setting["isLooser"], tightest?: number): Setting => within("wake", key, isLooser, tightest);

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** By the name that people know each by. Spans are in milliseconds where the policy has them so. */
const SETTINGS: Readonly<Record<string, Setting>> = {
  durability: { of: ({ durable }) => durable, with: (config, value) => ({ ...config, durable: value === true }), isLooser: only(false) },
  claims: {
    of: ({ claims }) => claims,
    with: (config, value) => ({ ...config, claims: value as Config["claims"] }),
    isLooser: only("local"),
  },
  "record.auto": within("record", "auto", only(false)),
  "record.debounce_s": within("record", "debounceS", higher, 1),
  // Whether mail goes by itself, and where it goes, is never for others to say.
  "sync.remote": within("sync", "remote", other),
  "sync.auto": within("sync", "auto", other),
  "sync.every_s": within("sync", "everyS", other),
  "loop.identical": within("loop", "identical", higher, 2),
  "loop.per_minute": within("loop", "perMinute", higher, 5),
  "loop.exchange": within("loop", "exchange", higher, 10),
  // A longer quiet hides who is stuck, a shorter one has this machine send mail and tell people all the time.
  "health.quiet_minutes": within("health", "quietMinutes", other),
  // A lower limit stops work here, a higher one spends money, and whatever changes what calls cost does either.
  "usage.warn_usd": within("usage", "warnUsd", other),
  "usage.stop_usd": within("usage", "stopUsd", other),
  "usage.per": within("usage", "per", other),
  "usage.billing": within("usage", "billing", other),
  "usage.prices": {
    of: ({ usage }) => (usage.prices.length === 0 ? null : JSON.stringify(usage.prices)),
    with: (config, value) => ({
      ...config,
      usage: { ...config.usage, prices: pricesFrom(value === null ? [] : JSON.parse(String(value))) },
    }),
    isLooser: other,
  },
  "wake.streaming": wakes("streaming", only("type")),
  "wake.budget.per_hour": wakes("perHour", higher, 5),
  "wake.budget.home_minimum": wakes("homeMinimum", higher, 1),
  "wake.budget.part_minimum": wakes("partMinimum", higher, 1),
  "wake.budget.urgent": wakes("urgent", higher, 1),
  "wake.cooldown.wakes": wakes("cooldownWakes", higher, 2),
  "wake.cooldown.within_s": wakes("cooldownMs", lower, HOUR_MS),
  "wake.lease_s": wakes("leaseMs", lower, 10 * MINUTE_MS),
  "wake.refire_s": wakes("refireMs", lower, HOUR_MS),
  "wake.again_s": wakes("againMs", lower, 10 * MINUTE_MS),
  "wake.debounce_s": wakes("debounceMs", lower, MINUTE_MS),
  "wake.quiet_s": wakes("quietMs", lower, MINUTE_MS),
  "wake.streaming_wait_s": wakes("streamingWaitMs", lower, 30 * MINUTE_MS),
  "wake.waiter_grace_s": wakes("waiterGraceMs", lower, 30 * SECOND_MS),
  "wake.channel_grace_s": wakes("channelGraceMs", lower, 5 * MINUTE_MS),
  "wake.retry_s": wakes("retryMs", lower, 30 * MINUTE_MS),
};

/** What came and does not count, by setting: the value that came, and the one that counts in its place. */
export type HeldSettings = Readonly<Record<string, { arrived: SettingValue; counts: SettingValue }>>;
/** Values that somebody on this machine accepted, by setting. */
export type AcceptedSettings = Readonly<Record<string, SettingValue>>;

/** Whether a push may not set a value: one that is looser than what counts, or tighter, and beyond the tightest of the setting. */
const isBarred = ({ isLooser, tightest }: Setting, is: SettingValue, was: SettingValue): boolean =>
  isLooser(is, was) || (tightest !== undefined && isLooser(tightest, is) && isLooser(was, is));

/**
 * The settings that came and may not count here by themselves, because they are looser, or far tighter, than those that do.
 * @param was the configuration that counts
 * @param is the configuration that comes in its place
 * @param accepted what was accepted here before: as loose, or as tight, as that is no news
 */
export function barredSettings(was: Config, is: Config, accepted: AcceptedSettings): HeldSettings {
  const held: Record<string, { arrived: SettingValue; counts: SettingValue }> = {};
  for (const [name, setting] of Object.entries(SETTINGS)) {
    const [counts, arrived] = [setting.of(was), setting.of(is)];
    const known = Object.hasOwn(accepted, name) ? accepted[name] : undefined;
    if (isBarred(setting, arrived, counts) && (known === undefined || isBarred(setting, arrived, known as SettingValue)))
      held[name] = { arrived, counts };
  }
  return held;
}

/** What is held by its text. @returns null of a text that says no such thing */
export function readHeld(text: string): HeldSettings | null {
  const isValue = (value: unknown): boolean => value === null || ["string", "number", "boolean"].includes(typeof value);
  const isHeld = (value: unknown): boolean =>
    isObject(value) && ["arrived", "counts"].every((key) => Object.hasOwn(value, key) && isValue(value[key]));
  return orElse(null, () => {
    const held: unknown = JSON.parse(text);
    return isObject(held) && Object.values(held).every(isHeld) ? (held as HeldSettings) : null;
  });
}

/** What does not count where nobody can read what is held: whatever is looser, or far tighter, than where nobody said anything. */
export const heldAtFirst = (config: Config): HeldSettings => barredSettings(withDefaults(config), config, {});

/** The configuration with what does not count as it was, and the names of those; a value that a hand gave since counts. */
export function withHeld(config: Config, held: HeldSettings): { config: Config; names: string[] } {
  const names = Object.keys(SETTINGS).filter((name) => Object.hasOwn(held, name) && SETTINGS[name]?.of(config) === held[name]?.arrived);
  return {
    config: names.reduce((now, name) => (SETTINGS[name] as Setting).with(now, (held[name] as { counts: SettingValue }).counts), config),
    names,
  };
}

/** The values that a configuration has, by setting. */
export const settingsOf = (config: Config, names: readonly string[]): AcceptedSettings =>
  Object.fromEntries(names.map((name) => [name, SETTINGS[name]?.of(config) ?? null]));

/** What counted before pushes made it tighter, by setting: the loosest value that did, and the one that counts since. */
export type TightenedSettings = Readonly<Record<string, { was: SettingValue; is: SettingValue }>>;

/** The values that counted here before pushes made them tighter, of those that nobody here has changed since. */
export function countedBefore(config: Config, tightened: TightenedSettings): AcceptedSettings {
  const names = Object.keys(SETTINGS).filter((name) => Object.hasOwn(tightened, name));
  return Object.fromEntries(
    names.flatMap((name) => {
      const { was, is } = tightened[name] as TightenedSettings[string];
      return SETTINGS[name]?.of(config) === is ? [[name, was]] : [];
    }),
  );
}

/** What is to be known of tightened settings after another configuration came to count. @param before the values that `countedBefore` gave */
export function tightenedSettings(was: Config, is: Config, before: AcceptedSettings): TightenedSettings {
  return Object.fromEntries(
    Object.entries(SETTINGS).flatMap(([name, { of, isLooser }]) => {
      const [old, now] = [of(was), of(is)];
      const known = Object.hasOwn(before, name) ? (before[name] as SettingValue) : old;
      const loosest = isLooser(old, known) ? old : known;
      return isLooser(loosest, now) ? [[name, { was: loosest, is: now }]] : [];
    }),
  );
}

/** The same configuration with every setting as it is where nobody said anything. */
export function withDefaults(config: Config): Config {
  return {
    ...config,
    durable: true,
    claims: "local",
    record: { auto: !config.inTree, debounceS: 10 },
    sync: { remote: null, auto: false, everyS: 60 },
    loop: LOOP,
    health: { quietMinutes: QUIET_MINUTES },
    usage: USAGE_RULES,
    wake: wakePolicy(),
  };
}
