/** What a part says itself that a call took: the `usage` of an event, in the names that programs and makers use. spec/usage.md, "Records". */
import { textAt } from "../../agents/hosts/agent-record.ts";
import { isCount, NO_TOKENS, type Tokens } from "../../agents/hosts/model-call.ts";
import { isObject } from "../../core/format/schema.ts";

/** The names of each count. `cachedInInput` and `reasoning` are parts of the input and of the output. */
const NAMES = {
  input: ["input", "inputtokens", "prompttokens"],
  cached: ["cached", "cacheread", "cachereadtokens", "cachereadinputtokens"],
  cachedInInput: ["cachedinputtokens", "cachedtokens"],
  written: ["written", "cachewrite", "cachewritetokens", "cachecreationtokens", "cachecreationinputtokens"],
  output: ["output", "outputtokens", "completiontokens"],
  reasoning: ["reasoning", "reasoningtokens", "reasoningoutputtokens"],
} as const;
type Name = keyof typeof NAMES;
/** Objects in which counts may stand. */
const WITHIN = ["usage", "tokens", "inputtokensdetails", "prompttokensdetails", "outputtokensdetails", "completiontokensdetails"];
/** What lies deeper is not read, and named as unknown. */
const DEEPEST = 8;

/** Sums of what stands beside them. */
const SUMS = ["total", "totaltokens"];

/**
 * Reads the usage of an event, flat (`{model, inputTokens, outputTokens}`) or nested (`{model, tokens: {input, output}}`); in names
 * neither case nor `_` counts. Input that was cached counts once, also where the input says it too.
 * @returns null where it says no count; `unknown` names counts that are none, and tokens under a name that is not known
 */
export function eventUsage(usage: Record<string, unknown>): { model?: string | undefined; tokens: Tokens; unknown?: string[] } | null {
  const counts: Partial<Record<Name, number>> = {};
  const unknown: string[] = [];
  let model: string | undefined;
  const read = (value: Record<string, unknown>, depth: number): void => {
    model ??= textAt(value, "model");
    for (const [key, given] of Object.entries(value)) {
      const plain = key.replaceAll("_", "").toLowerCase();
      if (isObject(given) && WITHIN.includes(plain)) {
        if (depth === DEEPEST) unknown.push(key.slice(0, 64));
        else read(given, depth + 1);
      }
      const name = (Object.keys(NAMES) as Name[]).find((each) => (NAMES[each] as readonly string[]).includes(plain));
      if (name !== undefined && isCount(given)) counts[name] ??= given;
      else if (name !== undefined || (typeof given === "number" && given !== 0 && plain.includes("token") && !SUMS.includes(plain)))
        unknown.push(key.slice(0, 64));
    }
  };
  read(usage, 1);
  if (Object.keys(counts).length === 0 && unknown.length === 0) return null;
  const { input: whole = 0, cachedInInput = 0, written = 0, output = 0 } = counts;
  if (cachedInInput > whole) unknown.push("cached");
  const cached = (counts.cached ?? 0) + Math.min(cachedInInput, whole);
  const tokens = {
    ...NO_TOKENS,
    input: whole - Math.min(cachedInInput, whole),
    cached,
    written,
    output,
    reasoning: Math.min(counts.reasoning ?? 0, output),
  };
  return { model, tokens, ...(unknown.length === 0 ? {} : { unknown: [...new Set(unknown)].slice(0, 16) }) };
}
