/** Settings that are most likely misspelt. SPEC.md, "relay.yml". */
import type * as z from "zod/mini";
import { lineOf, plainOf, readYaml } from "../format/yaml.ts";
import { nearest } from "../names.ts";
import { homeConfigSchema } from "./config-schema.ts";

/** The schema behind what makes one optional. */
function plainSchema(schema: z.core.$ZodType): { shape?: Record<string, z.core.$ZodType>; valueType?: z.core.$ZodType } {
  const def = schema._zod.def as { innerType?: z.core.$ZodType; getter?: () => z.core.$ZodType };
  const inner = def.innerType ?? def.getter?.();
  return inner === undefined ? (def as ReturnType<typeof plainSchema>) : plainSchema(inner);
}

/**
 * Settings within a known one that this version does not know, and that are nearly one that it does: most likely
 * misspelt. What is at the top, or like nothing, may be a later version's.
 */
export function misspelt(source: string): { setting: string; near: string; line: number | undefined }[] {
  const read = readYaml(source);
  const faults: ReturnType<typeof misspelt> = [];
  const walk = (value: unknown, schema: z.core.$ZodType, path: readonly string[]): void => {
    if (typeof value !== "object" || value === null) return;
    const { shape, valueType } = plainSchema(schema);
    for (const [key, each] of Object.entries(value)) {
      const known = shape !== undefined && Object.hasOwn(shape, key) ? shape[key] : valueType;
      if (known !== undefined) walk(each, known, [...path, key]);
      else if (shape !== undefined && path.length > 0) {
        const [near] = nearest(key, Object.keys(shape));
        const at = [...path, key];
        if (near !== undefined) faults.push({ setting: at.join("."), near: [...path, near].join("."), line: lineOf(read, at) });
      }
    }
  };
  walk(plainOf(read), homeConfigSchema(), []);
  return faults;
}
