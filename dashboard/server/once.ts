/**
 * Links that open a page once, within a minute. The command line of a browser is read by every user of the machine, so neither the token of
 * a page nor its path stands in it: a link for one has what only somebody with the token can make. spec/commands.md, "Dashboard".
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** So long such a link opens the page, in milliseconds. */
const OPENS_MS = 60_000;
const PASS = /^([0-9a-z]{1,11})-([0-9a-f]{32})-([0-9a-f]{64})$/;

const signed = (token: string, what: string): string => createHmac("sha256", token).update(what).digest("hex");

/** A link to the server that opens the same page once. @param link one with the token of the page @param now milliseconds since 1970 */
export function onceLink(link: string, now: number): string {
  const { origin, searchParams } = new URL(link);
  const what = `${now.toString(36)}-${randomBytes(16).toString("hex")}`;
  return `${origin}/?once=${what}-${signed(searchParams.get("token") ?? "", what)}`;
}

/** The links of this kind that one server was asked for. */
export class OnceLinks {
  /** Until when each counts as used, in milliseconds since 1970. */
  readonly #used = new Map<string, number>();

  /** Takes a link: whether it opens the page of a token, for the first time. @param pass the value of `once` */
  take(pass: string, token: string, now: number): boolean {
    const [, time = "", nonce = "", sign = ""] = PASS.exec(pass) ?? [];
    if (sign === "" || !timingSafeEqual(Buffer.from(sign), Buffer.from(signed(token, `${time}-${nonce}`)))) return false;
    const age = now - Number.parseInt(time, 36);
    if (Math.abs(age) > OPENS_MS || this.#used.has(nonce)) return false;
    for (const [other, until] of this.#used) if (until < now) this.#used.delete(other);
    this.#used.set(nonce, now + 2 * OPENS_MS);
    return true;
  }
}
