/** `relay trust` asks: on a terminal, where nobody said yet which commands, and some wait. */
import { type AnyOperation, createWorld, operations, perform } from "../../protocol/index.ts";
import type { Agreed, Common } from "../commands.ts";
import { canAsk, isAgreed } from "./is-agreed.ts";

/** What a person reads who said no. */
const NOTHING = "Nothing was allowed.";

/**
 * What `relay trust` is asked to accept, after a person saw it whole and said yes: exactly what was shown, by whole digests,
 * so that nothing that changes meanwhile comes along.
 * @returns the input as it is, where there is nobody to ask or nothing to ask about; null where the person said no
 */
export async function askedToTrust(_: AnyOperation, input: Record<string, unknown>, options: Common): Promise<Agreed | null> {
  const unasked = { input, seen: false };
  const said = ["accept", "all", "list", "revoke"].some((name) => input[name] !== undefined && input[name] !== false);
  if (!canAsk(options) || said) return unasked;
  const answer = await perform(createWorld({ home: options.home, part: options.part }), operations.trust, input);
  const agents = answer.agents ?? [];
  const waiting = [...answer.commands, ...agents].filter(({ trusted }) => !trusted);
  const moved = answer.moved;
  const count = moved === undefined ? waiting.length : moved.grants.length;
  if (count === 0) return unasked;
  if (!(await isAgreed("trust", answer, input, `Allow ${count === 1 ? "this" : `all ${count}`} on this machine?`, NOTHING))) return null;
  const accepted = moved === undefined ? { accept: waiting.map(({ digest }) => digest) } : { all: true };
  return { input: { ...input, ...accepted }, seen: false };
}

/** The same for `relay trust office`: what is trusted is the office that was shown, by its digest. */
export async function askedToTrustOffice(_: AnyOperation, input: Record<string, unknown>, options: Common): Promise<Agreed | null> {
  if (!canAsk(options) || input["show"] === true || input["digest"] !== undefined) return { input, seen: false };
  const world = createWorld({ home: options.home, part: options.part });
  const answer = await perform(world, operations.trust_office, { show: true });
  if (!answer.trusted && !(await isAgreed("trust_office", answer, input, "Trust this office on this machine?", NOTHING))) return null;
  return { input: { ...input, digest: answer.digest }, seen: false };
}
