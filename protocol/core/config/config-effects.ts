/** What a push did to parts and settings. spec/trust.md, "What a push did". */
import type { Edited, Effects } from "../noun/noun-effects.ts";
import { type Config, parseConfig } from "./config.ts";
import { CONFIG_PATH } from "./config-schema.ts";
import { type SettingChange, settingChanges, settingWords } from "./setting-changes.ts";

type ConfigDid =
  | { kind: "added" | "removed"; part: string }
  | { kind: "renamed" | "main"; part: string; to: string }
  | { kind: "settings"; settings: readonly SettingChange[] }
  | Edited;

/** Of the configuration: each part that came, went or has another name, who is main, and the settings. */
export const configEffects: Effects<unknown, ConfigDid> = {
  reads: "changed",
  of({ before, after }) {
    if (before === null) return [];
    const [parts, settings] = [partEffects(parseConfig(before), parseConfig(after)), settingChanges(before, after)];
    if (settings.length > 0) return [...parts, { kind: "settings", settings }];
    return parts.length > 0 ? parts : [{ kind: "edited" }];
  },
  words(did) {
    switch (did.kind) {
      case "added":
      case "removed":
        return `${did.kind} part ${did.part}`;
      case "renamed":
        return `renamed part ${did.part} to ${did.to}`;
      case "main":
        return `made ${did.to} the main part instead of ${did.part}`;
      case "settings":
        return `changed ${CONFIG_PATH}: ${settingWords(did.settings)}`;
    }
  },
  isDoneTo: (did, part) => ("to" in did && did.to === part) || ("part" in did && did.kind !== "added" && did.part === part),
};

function partEffects(was: Config, is: Config): ConfigDid[] {
  const renamed = new Map([...was.parts.keys()].flatMap((part) => heir(part, is.parts)));
  const gone = [...was.parts.keys()].filter((part) => !is.parts.has(part));
  const come = [...is.parts.keys()].filter((part) => !was.parts.has(part) && ![...renamed.values()].includes(part));
  const main: ConfigDid[] =
    was.main === is.main || renamed.get(was.main) === is.main ? [] : [{ kind: "main", part: was.main, to: is.main }];
  return [
    ...gone.map((part): ConfigDid => {
      const to = renamed.get(part);
      return to === undefined ? { kind: "removed", part } : { kind: "renamed", part, to };
    }),
    ...come.map((part): ConfigDid => ({ kind: "added", part })),
    ...main,
  ];
}

function heir(part: string, parts: ReadonlyMap<string, { formerly: readonly string[] }>): [string, string][] {
  if (parts.has(part)) return [];
  return [...parts].flatMap(([to, { formerly }]): [string, string][] => (formerly.includes(part) ? [[part, to]] : [])).slice(0, 1);
}
