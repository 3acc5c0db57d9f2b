/** The settings that differ between two texts of `relay.yml`, for notices of a push and for undoing it. spec/trust.md, "What a push did". */
import { escapedJson, seen } from "../format/hidden.ts";
import { plainOf, readYaml } from "../format/yaml.ts";

/** One setting; undefined where a text has none. `key` is its path in the file. */
export interface SettingChange {
  key: readonly string[];
  was: unknown;
  is: unknown;
}

/** What is told one by one, as parts; and what every format has. */
const APART: ReadonlySet<string> = new Set(["parts", "main"]);
const VALUE_CHARACTERS = 40;
const KEY_CHARACTERS = 60;
/** So many are named; a push can change any number. */
const NAMED = 5;

/** The settings that differ, but for parts and main. @throws FileError where one of the texts is no YAML */
export const settingChanges = (before: string, after: string): SettingChange[] =>
  changesOf(plainOf(readYaml(before)), plainOf(readYaml(after)));

/** The settings that differ between two plain values, but for parts and main. */
export function changesOf(before: unknown, after: unknown): SettingChange[] {
  const [was, is] = [leavesOf(before, []), leavesOf(after, [])];
  const keys = new Set([...was.keys(), ...is.keys()]);
  return [...keys].flatMap((name) => {
    const [old, now] = [was.get(name), is.get(name)];
    return JSON.stringify(old?.value) === JSON.stringify(now?.value)
      ? []
      : [{ key: (now ?? old)?.key as string[], was: old?.value, is: now?.value }];
  });
}

type Leaves = Map<string, { key: string[]; value: unknown }>;

function leavesOf(value: unknown, key: string[]): Leaves {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return new Map([[JSON.stringify(key), { key, value }]]);
  const entries = Object.entries(value).filter(([name]) => key.length > 0 || !APART.has(name));
  return new Map(entries.flatMap(([name, each]) => [...leavesOf(each, [...key, name])]));
}

const nameOf = ({ key }: SettingChange): string => clipped(seen(key.join(".")).replace(/\s+/g, " "), KEY_CHARACTERS);
const joined = (words: readonly string[]): string =>
  [...words.slice(0, NAMED), ...(words.length > NAMED ? [`and ${words.length - NAMED} more`] : [])].join(", ");

/** The names of settings, bounded and without what a terminal would not show. */
export const settingNames = (changes: readonly SettingChange[]): string => joined(changes.map(nameOf));

/** In words, bounded and without what a terminal would not show: `loop.per_minute: 20 → 1, durability: unset → "process"`. */
export const settingWords = (changes: readonly SettingChange[]): string =>
  joined(changes.map((change) => `${nameOf(change)}: ${valueWords(change.was)} → ${valueWords(change.is)}`));

const valueWords = (value: unknown): string =>
  value === undefined ? "unset" : clipped(escapedJson(JSON.stringify(value) ?? "null"), VALUE_CHARACTERS);
const clipped = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most).toWellFormed()}…`);
