/** The settings of a pushed configuration that may be in force. spec/git.md, "Guard". */
import { type Config, parseConfig } from "./config.ts";

/** The configuration of a home with a repository of its own; null of a text that no such home can take. */
export function ownConfig(text: string | null): Config | null {
  try {
    const config = text === null ? null : parseConfig(text);
    return config?.inTree === true ? null : config;
  } catch {
    return null;
  }
}
