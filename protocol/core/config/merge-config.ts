/** Merging `relay.yml` key by key; the comments of the leading side stay. spec/git.md, "Merge". */
import * as YAML from "yaml";
import { orElse } from "../format/file-error.ts";
import { readEditableYaml } from "../format/yaml.ts";
import { isSame, joinedSet } from "../noun/merge-fields.ts";
import { parseConfig } from "./config.ts";

/** A merged configuration; `isWhole` is false where a value of the other side gave way. */
export interface MergedConfig {
  text: string;
  isWhole: boolean;
}

type Values = Record<string, unknown>;
const isMap = (value: unknown): value is Values => typeof value === "object" && value !== null && !Array.isArray(value);
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every((item) => typeof item === "string");

/**
 * Merges two configurations: each key as the side has it that changed it; where both did, as the leading side has it.
 * @param lead the side that wins; its text, with its comments, is what the other's changes go into
 */
export function mergeConfig(base: string | null, lead: string, other: string): MergedConfig {
  try {
    // Only a home without a repository of its own says `in_tree`, and that is in no merge.
    if (parseConfig(lead).inTree !== parseConfig(other).inTree) throw new Error("one of the two is of another kind of home");
    const merged = withChanges(base, lead, other);
    parseConfig(merged.text);
    return merged;
  } catch {
    // One side cannot be read, or both together say what no configuration may say.
    return isConfig(lead) || !isConfig(other) ? { text: lead, isWhole: false } : { text: other, isWhole: false };
  }
}

const isConfig = (text: string): boolean => orElse(false, () => !parseConfig(text).inTree);

function withChanges(base: string | null, lead: string, other: string): MergedConfig {
  const [document, from] = [documentOf(lead), documentOf(other)];
  const state = { isWhole: true, isChanged: false };
  join(state, document, from, [], base === null ? {} : valuesOf(base), valuesOf(lead), valuesOf(other));
  keepMain(state, document);
  return { text: state.isChanged ? document.toString({ lineWidth: 0 }) : lead, isWhole: state.isWhole };
}

const documentOf = (text: string): YAML.Document => readEditableYaml(text).document;
function valuesOf(text: string): Values {
  const values: unknown = documentOf(text).toJS({ maxAliasCount: 100 });
  return isMap(values) ? values : {};
}

interface State {
  isWhole: boolean;
  isChanged: boolean;
}

/** Puts what the other side changed of a map into the leading side's document. */
function join(
  state: State,
  document: YAML.Document,
  from: YAML.Document,
  path: readonly string[],
  base: Values,
  lead: Values,
  other: Values,
): void {
  for (const key of new Set([...Object.keys(lead), ...Object.keys(other)])) {
    // A part may be called `constructor`, which every object has.
    const [was, mine, theirs] = [base, lead, other].map((side) => (Object.hasOwn(side, key) ? side[key] : undefined));
    const at = [...path, key];
    if (isSame(mine, theirs) || isSame(theirs, was)) continue;
    if (isMap(mine) && isMap(theirs)) join(state, document, from, at, isMap(was) ? was : {}, mine, theirs);
    else if (isTexts(mine) && isTexts(theirs)) set(state, document, at, joinedSet(isTexts(was) ? was : [], mine, theirs));
    else if (isSame(mine, was) && theirs === undefined) remove(state, document, at);
    else if (mine === undefined && (was === undefined || !isRenamed(path, key, lead)) && !hasTwin(key, lead))
      add(state, document, from, path, key, theirs);
    else if (isSame(mine, was)) set(state, document, at, theirs);
    else state.isWhole = false;
  }
}

const isRenamed = (path: readonly string[], key: string, parts: Values): boolean =>
  path.join() === "parts" &&
  Object.values(parts).some((part) => isMap(part) && isTexts(part["formerly"]) && part["formerly"].includes(key));
const hasTwin = (key: string, lead: Values): boolean =>
  Object.keys(lead).some((known) => known !== key && known.toLowerCase() === key.toLowerCase());

function set(state: State, document: YAML.Document, at: readonly string[], value: unknown): void {
  document.setIn(at, document.createNode(value, { flow: Array.isArray(value) }));
  state.isChanged = true;
}

function remove(state: State, document: YAML.Document, at: readonly string[]): void {
  document.deleteIn(at);
  state.isChanged = true;
}

/** Takes a key over as it is written on the other side, with its comments. */
function add(state: State, document: YAML.Document, from: YAML.Document, path: readonly string[], key: string, value: unknown): void {
  const [target, source] = [document.getIn(path, true), from.getIn(path, true)];
  const pair = YAML.isMap(source)
    ? source.items.find((item) => String(YAML.isScalar(item.key) ? item.key.value : item.key) === key)
    : undefined;
  if (YAML.isMap(target) && pair !== undefined) {
    target.items.push(pair);
    state.isChanged = true;
  } else set(state, document, [...path, key], value);
}

/** Main is a part: one that was renamed under its new name, one that the other side removed is a part again. */
function keepMain(state: State, document: YAML.Document): void {
  const values: unknown = document.toJS({ maxAliasCount: 100 });
  const main = isMap(values) ? values["main"] : undefined;
  const parts = isMap(values) && isMap(values["parts"]) ? values["parts"] : {};
  if (typeof main !== "string" || Object.hasOwn(parts, main) || main === "human") return;
  const now = Object.entries(parts).find(([, part]) => isMap(part) && isTexts(part["formerly"]) && part["formerly"].includes(main))?.[0];
  if (now === undefined) set(state, document, ["parts", main], {});
  else set(state, document, ["main"], now);
}
