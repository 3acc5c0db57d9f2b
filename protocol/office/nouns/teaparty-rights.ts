/**
 * The tools that an agent of TeaParty may use, as a list: what a list of tools cannot say takes the whole tool away, so that nothing that
 * is imported gains rights. spec/office.md, "Importing".
 */
import { CLAUDE_TOOLS } from "../../agents/hosts/claude.ts";

/** What one place says of tools. */
export interface Rights {
  /** Null where it allows all. */
  allow: readonly string[] | null;
  deny: readonly string[];
}

/** What tools only read. */
const READING = ["Read", "Glob", "Grep", "LS", "WebFetch", "WebSearch", "TodoWrite"];
/** Modes in which an agent changes nothing. */
const READ_ONLY_MODES: ReadonlySet<string> = new Set(["plan", "readonly", "read-only"]);

/** Whether a field says that an agent changes nothing. */
export const isReadingMode = (key: string, value: unknown): boolean =>
  key === "permissionMode" && READ_ONLY_MODES.has(String(value).toLowerCase());

/** Tools that change files: a rule for `Edit` means all of them. */
const EDITING: readonly string[] = ["edit", "multiedit", "notebookedit", "write"];

type Values = Record<string, unknown>;
const isMap = (value: unknown): value is Values => typeof value === "object" && value !== null && !Array.isArray(value);

/** A list of rules; null where nothing is said. One that cannot be understood is empty. */
const rulesOf = (value: unknown): string[] | null => {
  if (value === undefined || value === null) return null;
  const all = typeof value === "string" ? value.split(/,(?![^(]*\))/) : Array.isArray(value) ? value : [];
  return all.filter((each): each is string => typeof each === "string").map((rule) => rule.trim());
};

/** What front matter, or a file of settings, says of tools. */
export function rightsIn(values: Values): Rights {
  const permissions = isMap(values["permissions"]) ? values["permissions"] : {};
  const isUnclear = values["permissions"] !== undefined && values["permissions"] !== null && !isMap(values["permissions"]);
  const modes = [values["permissionMode"], permissions["defaultMode"], permissions["mode"]].map((mode) => String(mode).toLowerCase());
  const lists = [rulesOf(values["tools"] ?? values["allowedTools"]), rulesOf(permissions["allow"]), isUnclear ? [] : null];
  if (modes.some((mode) => READ_ONLY_MODES.has(mode))) lists.push(READING);
  const allow = lists.reduce((one, other) => both(one, other), null);
  const deny = [values["disallowedTools"], permissions["deny"], permissions["ask"]].flatMap((list) => rulesOf(list) ?? []);
  return { allow, deny };
}

/** What both of two lists allow. */
function both(one: readonly string[] | null, other: readonly string[] | null): string[] | null {
  if (one === null || other === null) return one === null ? (other === null ? null : [...other]) : [...one];
  return one
    .filter((rule) => other.includes(rule) || other.includes(toolOf(rule)))
    .concat(other.filter((rule) => one.includes(toolOf(rule)) && !one.includes(rule)));
}

const toolOf = (rule: string): string => rule.replace(/\(.*$/s, "").trim();

/**
 * The tools that several places allow together.
 * @returns null where none says anything; `lost` names rules that stand for a part of a tool, which is not given
 */
export function toolsOf(places: readonly Rights[]): { tools: string[] | null; lost: string[] } {
  const allow = places.map((place) => place.allow).reduce((one, other) => both(one, other), null);
  const deny = places.flatMap((place) => place.deny);
  if (allow === null && deny.length === 0) return { tools: null, lost: [] };
  const isPart = (rule: string): boolean => rule !== toolOf(rule) && !/\(\s*\*?\s*\)$/.test(rule);
  const named = deny.map((rule) => toolOf(rule).toLowerCase());
  const denied = new Set([...named, ...(named.includes("edit") ? EDITING : [])]);
  const whole = (allow ?? CLAUDE_TOOLS).filter((rule) => !isPart(rule)).map(toolOf);
  const tools = [...new Set(whole)].filter((tool) => tool !== "" && tool !== "*" && !denied.has(tool.toLowerCase()) && !denied.has("*"));
  const parts = [...(allow ?? []), ...deny].filter(isPart);
  return { tools, lost: [...new Set(parts)].filter((rule) => !tools.includes(toolOf(rule))) };
}
