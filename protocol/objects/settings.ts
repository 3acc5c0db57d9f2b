/** Settings that a machine was told and no push may loosen: what is looser counts once somebody here accepts it. SPEC.md, "Settings only tighten". */
import { type Config, LOOP } from "./config.ts";
import { type WakePolicy, wakePolicy } from "./wake-policy.ts";

/** A setting's value, as `relay.yml` could say it. */
export type SettingValue = string | number | boolean | null;

interface Setting {
  of(config: Config): SettingValue;
  /** The configuration with another value; the one given stays as it is. */
  with(config: Config, value: SettingValue): Config;
  /** Whether a value lets more happen, or keeps less safe, than the one that counts here. */
  isLooser(is: SettingValue, was: SettingValue): boolean;
}

const higher = (is: SettingValue, was: SettingValue): boolean => (is as number) > (was as number);
const lower = (is: SettingValue, was: SettingValue): boolean => (is as number) < (was as number);
const other = (is: SettingValue, was: SettingValue): boolean => is !== was;
const only =
  (loose: SettingValue) =>
  (is: SettingValue, was: SettingValue): boolean =>
    is === loose && was !== loose;

const wakes = <K extends keyof WakePolicy>(key: K, isLooser: Setting["isLooser"]): Setting => ({
  of: ({ wake }) => wake[key],
  with: (config, value) => ({ ...config, wake: { ...config.wake, [key]: value } }),
  isLooser,
});
const within = (group: "record" | "sync" | "loop", key: string, isLooser: Setting["isLooser"]): Setting => ({
  of: (config) => (config[group] as unknown as Record<string, SettingValue>)[key] as SettingValue,
  with: (config, value) => ({ ...config, [group]: { ...config[group], [key]: value } }),
  isLooser,
});

/** By the name that people know each by. Spans are in milliseconds where the policy has them so. */
const SETTINGS: Readonly<Record<string, Setting>> = {
  durability: { of: ({ durable }) => durable, with: (config, value) => ({ ...config, durable: value === true }), isLooser: only(false) },
  claims: {
    of: ({ claims }) => claims,
    with: (config, value) => ({ ...config, claims: value as Config["claims"] }),
    isLooser: only("local"),
  },
  "record.auto": within("record", "auto", only(false)),
  "record.debounce_s": within("record", "debounceS", higher),
  // Whether mail goes by itself, and where it goes, is never for others to say.
  "sync.remote": within("sync", "remote", other),
  "sync.auto": within("sync", "auto", other),
  "sync.every_s": within("sync", "everyS", other),
  "loop.identical": within("loop", "identical", higher),
  "loop.per_minute": within("loop", "perMinute", higher),
  "loop.exchange": within("loop", "exchange", higher),
  "wake.streaming": wakes("streaming", only("type")),
  "wake.budget.per_hour": wakes("perHour", higher),
  "wake.budget.home_minimum": wakes("homeMinimum", higher),
  "wake.budget.part_minimum": wakes("partMinimum", higher),
  "wake.budget.urgent": wakes("urgent", higher),
  "wake.cooldown.wakes": wakes("cooldownWakes", higher),
  "wake.cooldown.within_s": wakes("cooldownMs", lower),
  "wake.lease_s": wakes("leaseMs", lower),
  "wake.refire_s": wakes("refireMs", lower),
  "wake.again_s": wakes("againMs", lower),
  "wake.debounce_s": wakes("debounceMs", lower),
  "wake.quiet_s": wakes("quietMs", lower),
  "wake.streaming_wait_s": wakes("streamingWaitMs", lower),
  "wake.waiter_grace_s": wakes("waiterGraceMs", lower),
  "wake.channel_grace_s": wakes("channelGraceMs", lower),
  "wake.retry_s": wakes("retryMs", lower),
};

/** What came and does not count, by setting: the value that came, and the one that counts in its place. */
export type HeldSettings = Readonly<Record<string, { arrived: SettingValue; counts: SettingValue }>>;
/** Values that somebody on this machine accepted, by setting. */
export type AcceptedSettings = Readonly<Record<string, SettingValue>>;

/**
 * The settings that came and are looser than those that count here.
 * @param was the configuration that counts
 * @param is the configuration that comes in its place
 * @param accepted what was accepted here before: as loose as that is no news
 */
export function loosened(was: Config, is: Config, accepted: AcceptedSettings): HeldSettings {
  const held: Record<string, { arrived: SettingValue; counts: SettingValue }> = {};
  for (const [name, setting] of Object.entries(SETTINGS)) {
    const [counts, arrived] = [setting.of(was), setting.of(is)];
    const known = Object.hasOwn(accepted, name) ? accepted[name] : undefined;
    if (setting.isLooser(arrived, counts) && (known === undefined || setting.isLooser(arrived, known as SettingValue)))
      held[name] = { arrived, counts };
  }
  return held;
}

/** The configuration with what does not count as it was, and the names of those; a value that a hand gave since counts. */
export function withHeld(config: Config, held: HeldSettings): { config: Config; names: string[] } {
  const names = Object.keys(SETTINGS).filter((name) => Object.hasOwn(held, name) && SETTINGS[name]?.of(config) === held[name]?.arrived);
  return {
    config: names.reduce((now, name) => (SETTINGS[name] as Setting).with(now, (held[name] as { counts: SettingValue }).counts), config),
    names,
  };
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
    wake: wakePolicy(),
  };
}
