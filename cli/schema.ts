/** The published schema of `relay.yml`; `templates/relay.schema.json` is what this prints, and a test says so. */
import * as z from "zod/mini";
import { ConfigSchema } from "../protocol/index.ts";

/** The JSON schema (draft 2020-12) of `relay.yml`. */
export function configSchema(): Record<string, unknown> {
  return {
    title: "relay.yml",
    description: "Configuration of a Relay home, format 1",
    ...(z.toJSONSchema(ConfigSchema) as Record<string, unknown>),
  };
}
