/** What of a configuration that came by a push may count. spec/git.md, "Guard". */
import { type Config, editConfig, parseConfig } from "./config.ts";

/** The configuration of a home with a repository of its own; null of a text that no such home can take. */
export function ownConfig(text: string | null): Config | null {
  try {
    const config = text === null ? null : parseConfig(text);
    return config?.inTree === true ? null : config;
  } catch {
    return null;
  }
}

/** What is kept of a configuration in whose place another came: one that cannot be taken is not, and a format never goes back. */
export function guardConfig(before: string, now: string): "before" | "now" | { text: string } {
  const [was, is] = [ownConfig(before), ownConfig(now)];
  if (was === null) return "now";
  if (is === null) return "before";
  return is.format < was.format ? { text: editConfig(now, { kind: "format", format: was.format }) } : "now";
}
