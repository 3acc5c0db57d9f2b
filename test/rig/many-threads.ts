/** A home of many threads, written straight in the layout with its order of arrival, and what a listing of its folders says of them. */
import fs from "node:fs";
import path from "node:path";
import { put } from "./scratch.ts";
import { type Sealed, seal } from "./sealing.ts";

const DAY_MS = 86_400_000;
const FIRST_MS = Date.parse("2026-01-01T00:00:00Z");
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

/** The id of a thread by its number: twenty begin each day. */
export function threadNumbered(number: number): string {
  const day = new Date(FIRST_MS + Math.floor(number / 20) * DAY_MS).toISOString().slice(0, 10).replaceAll("-", "");
  const random = Array.from({ length: 8 }, (_, place) => ALPHABET[Math.floor(number / 32 ** (7 - place)) % 32]).join("");
  return `t-${day}-${random}`;
}

/** A message of such a thread. @param n its number in the thread @param minutes after the thread's day began */
export function messageOf(number: number, n: number, minutes: number, body = "Words."): Sealed {
  const at = new Date(FIRST_MS + Math.floor(number / 20) * DAY_MS + minutes * 60_000).toISOString();
  return seal({ from: "web", to: ["api"], n, at, body, subject: `Thread ${number}`, thread: threadNumbered(number) });
}

/** The second message of such a thread. @param minutes from now on */
export const messageSoon = (number: number, minutes: number): Sealed =>
  messageOf(number, 2, (Date.now() - FIRST_MS - Math.floor(number / 20) * DAY_MS) / 60_000 + minutes);

/** Writes so many threads of one message each. @param home the `.relay` folder */
export function putThreads(home: string, threads: number): void {
  const ids: string[] = [];
  for (let number = 0; number < threads; number += 1) {
    const message = messageOf(number, 1, number % 20, `Words of ${number}, as of all.`);
    put(path.join(home, message.path), message.text);
    ids.push(message.id);
  }
  put(path.join(home, "local/arrivals"), `${ids.join("\n")}\n`);
}

/** Every thread that has messages, the one written to last first: by the names of all files. */
export function listedThreads(home: string): string[] {
  const newest = new Map<string, string>();
  for (const name of fs.readdirSync(path.join(home, "threads"), { recursive: true }) as string[]) {
    const [, thread, token] = /(t-[^/]*)\/\d+-([0-9a-z]+)\.md$/.exec(name) ?? [];
    if (thread !== undefined && token !== undefined && token > (newest.get(thread) ?? "")) newest.set(thread, token);
  }
  return [...newest].sort(([, a], [, b]) => (a < b ? 1 : -1)).map(([thread]) => thread);
}
