/**
 * What the pages of one home are told: that something changed, with a number, and never what. The page asks again for what it
 * shows, so a hint that is lost loses nothing. What no file holds (who is writing, what a turn prints) is told beside it.
 */
import { randomBytes } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { Told } from "./told.ts";

/** A client that has so much to read yet, or owes a drain for so long, is dropped: it comes back and is told to look again. */
const MOST_BEHIND_BYTES = 262_144;
const MOST_BEHIND_MS = 10_000;
/** A stream that is silent for longer may be cut by what is between. */
const BEAT_MS = 15_000;
/** One for each browser profile that looks. */
export const MOST_CLIENTS = 64;
const RETRY_MS = 300;
/** Lines of what a turn printed last that a page is told when it opens, and so many turns. */
const KEPT_LINES = 40;
const KEPT_TURNS = 50;

interface Client {
  response: ServerResponse;
  /** Since when the client owes a drain, in milliseconds of the steady clock; null while it reads. */
  behindSinceMs: number | null;
}

const toldEvent = (lines: readonly Told[]): string => `event: told\ndata: ${JSON.stringify(lines)}\n\n`;

export class Stream {
  /** Tells the numbers of this server from those of an earlier one. */
  readonly #start = `s${randomBytes(6).toString("hex")}`;
  readonly #clients = new Set<Client>();
  /** Last lines that turns printed, by conversation. */
  readonly #printed = new Map<unknown, Told[]>();
  #revision = 0;
  readonly #beat = setInterval(() => this.#toAll(": beat\n\n"), BEAT_MS).unref();

  get size(): number {
    return this.#clients.size;
  }

  /** Begins to tell a client. @param lastId the last id that it heard; it is told to look again unless that is the newest */
  add(response: ServerResponse, lastId: string | undefined): void {
    const client: Client = { response, behindSinceMs: null };
    this.#clients.add(client);
    response.on("drain", () => {
      client.behindSinceMs = null;
    });
    response.on("error", () => {});
    response.on("close", () => this.#clients.delete(client));
    const isNew = lastId !== this.#id();
    const before = lastId === undefined ? [...this.#printed.values()].flat() : [];
    this.#write(client, `retry: ${RETRY_MS}\n\n${isNew ? this.#event(["all"]) : ""}${before.length > 0 ? toldEvent(before) : ""}`);
  }

  /** Tells every client that parts of the home changed. @param areas the folders of the home in which something did */
  hint(areas: readonly string[]): void {
    this.#revision += 1;
    this.#toAll(this.#event(areas));
  }

  /** Tells every client what the local feed told. */
  tell(lines: readonly Told[]): void {
    this.keep(lines);
    if (lines.length > 0) this.#toAll(toldEvent(lines));
  }

  /** Keeps what turns printed for clients that come. */
  keep(lines: readonly Told[]): void {
    for (const line of lines.filter(({ type }) => type === "office:stream_data")) {
      const { dispatch, turn } = line;
      const before = this.#printed.get(dispatch) ?? [];
      this.#printed.delete(dispatch);
      this.#printed.set(dispatch, [...before.filter((each) => each["turn"] === turn), line].slice(-KEPT_LINES));
      for (const [oldest] of [...this.#printed].slice(0, -KEPT_TURNS)) this.#printed.delete(oldest);
    }
  }

  close(): void {
    clearInterval(this.#beat);
    for (const { response } of this.#clients) response.destroy();
  }

  #id(): string {
    return `${this.#start}.${this.#revision}`;
  }

  #event(areas: readonly string[]): string {
    return `id: ${this.#id()}\ndata: ${JSON.stringify({ areas })}\n\n`;
  }

  #toAll(text: string): void {
    for (const client of this.#clients) this.#write(client, text);
  }

  #write(client: Client, text: string): void {
    const { response } = client;
    const nowMs = performance.now();
    const isSlow = client.behindSinceMs !== null && nowMs - client.behindSinceMs > MOST_BEHIND_MS;
    const waiting = response.writableLength + (response.socket?.writableLength ?? 0);
    if (isSlow || waiting > MOST_BEHIND_BYTES) {
      this.#clients.delete(client);
      response.destroy();
      return;
    }
    if (!response.write(text)) client.behindSinceMs ??= nowMs;
  }
}
