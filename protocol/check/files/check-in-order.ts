/** Checks the texts of a home, and what only all of them together can tell. spec/check.md, "Check". */
import { type Config, renamedParts, type SummaryRules } from "../../core/config/config.ts";
import type { EventsFile } from "../../core/event/event.ts";
import { append } from "../../core/format/append.ts";
import type { FileError } from "../../core/format/file-error.ts";
import { type Finding, finding } from "../../core/format/finding.ts";
import { lineOfKey } from "../../core/format/frontmatter.ts";
import { isSealed, type MessageLocation, messageId, threadId } from "../../core/format/id.ts";
import { listedPackages } from "../../core/package.ts";
import { type Message, messagePath } from "../../mail/nouns/message.ts";
import { mayHold, readPath, unreadPath } from "../../mail/nouns/part.ts";
import type { ParsedFile } from "../../nouns.ts";
import { sha256 } from "../../store/digest.ts";
import { Ids } from "../nouns/check-files.ts";
import { checkContent } from "../nouns/check-references.ts";
import { checkFileRules, checkRecipients, checkSessionRules, checkThreadRules } from "../nouns/check-rules.ts";
import { checkSession, type SessionFiles } from "../nouns/check-session.ts";
import { knownTask } from "../nouns/check-task.ts";
import { checkMail } from "../nouns/check-thread.ts";
import type { Listing, Reading } from "./check-list.ts";
import { firstOf, readFile } from "./check-text.ts";
import type { ClaimFacts } from "./claim-facts.ts";

const PAST_CLAIM = "Nothing: a later record of the chain counts";

/** Takes the texts of a home one after the other, and checks a session once all of its files were seen. */
export class CheckInOrder {
  readonly #listing: Listing;
  readonly #config: Config | null;
  readonly #rules: SummaryRules;
  readonly #around: ClaimFacts;
  readonly #findings: Finding[];
  readonly #warnings: Finding[];
  readonly #guests = new Set<string>();
  readonly #ids = new Ids();
  #events = { day: "", ids: new Ids() };
  readonly #checks = listedPackages().flatMap(({ checkFiles }) => checkFiles?.() ?? []);
  #session: SessionFiles | null = null;
  readonly #copies = new Map<string, { path: string; digest: string }[]>();
  readonly #closed = new Set<SessionFiles>();
  #renamed: Map<string, string> | null = null;
  /** Threads of reviews. */
  readonly #reviews = new Set<string>();
  /** The first message of the thread that is read now. */
  #first: Message | null = null;

  constructor(listing: Listing, config: Config | null, rules: SummaryRules, around: ClaimFacts, findings: Finding[], warnings: Finding[]) {
    this.#listing = listing;
    this.#rules = rules;
    this.#config = config;
    this.#around = around;
    this.#findings = findings;
    this.#warnings = warnings;
  }

  /** One file, in the order of the paths. An error stands for a text that could not be had. */
  take(reading: Reading, text: string | FileError): void {
    const { file, place } = reading;
    this.#enterSession("session" in place && place.kind !== "team" ? place.session : null);
    const { parsed, findings } = readFile(reading, text, this.#checks);
    const note = { severity: "note", remedy: PAST_CLAIM } as const;
    const isPast = this.#isPast(reading);
    for (const each of findings) {
      if (isPast) this.#warnings.push({ ...each, ...note });
      else (each.severity === "note" ? this.#warnings : this.#findings).push(each);
    }
    this.#refer(reading, parsed, typeof text === "string" ? text : "");
    this.#check(reading, parsed);
    if (parsed !== null) this.#note(parsed, file.path, text as string);
  }

  #enterSession(session: string | null): void {
    if (this.#session !== null && this.#session.session !== session) this.#close(this.#session);
    this.#session = session === null ? null : (this.#listing.sessions.get(session) ?? null);
  }

  /** Checks what only all files together can tell. Call it once, after the last file. */
  finish(): void {
    for (const reading of this.#listing.tooLarge) {
      this.#refer(reading, null, "");
      this.#check(reading, null);
    }
    for (const each of this.#checks) append(this.#findings, each.finish?.() ?? []);
    if (this.#session !== null) this.#close(this.#session);
    // Sessions of which nothing was to be read.
    for (const files of this.#listing.sessions.values()) if (!this.#closed.has(files)) this.#close(files);
  }

  #close(files: SessionFiles): void {
    const isKnown = this.#config === null ? null : (agent: string) => this.#isMember(agent) || this.#formerly().has(agent);
    append(this.#findings, checkSession(files, this.#rules, { ...this.#around, isKnown }));
    this.#tell(checkSessionRules(files.session, files, sha256, this.#nameNow));
    this.#closed.add(files);
    files.tasks.clear();
    files.claims.clear();
    files.reviews.clear();
    files.results.clear();
    files.artifacts.clear();
    files.summary = null;
  }

  readonly #isMember = (name: string): boolean => this.#config?.parts.has(name) === true || this.#guests.has(name);
  readonly #nameNow = (name: string): string => (this.#isMember(name) ? name : (this.#formerly().get(name) ?? name));
  readonly #isThere = (path: string): boolean => this.#listing.files.has(path);

  /** What breaks a rule for certain, and what may not. */
  #tell(found: readonly Finding[]): void {
    for (const each of found) (each.code === "doubtful" ? this.#warnings : this.#findings).push(each);
  }

  /** Who holds a task is said by the last record of its chain: a broken one before it is in nobody's way, and stays for ever. */
  #isPast({ place }: Reading): boolean {
    return place.kind === "claim" && place.fence < (this.#listing.sessions.get(place.session)?.fences.get(place.task) ?? 0);
  }

  /** Former name → name now. All guests are known when it is first asked for: inboxes come before sessions and threads. */
  #formerly(): Map<string, string> {
    this.#renamed ??= this.#config === null ? new Map<string, string>() : renamedParts(this.#config.parts, this.#isMember);
    return this.#renamed;
  }

  /** What a file refers to and the home has not; of a chain of claims the last one tells it. */
  #refer(reading: Reading, parsed: ParsedFile | null, source: string): void {
    const { file, place } = reading;
    if (!this.#isPast(reading)) append(this.#findings, this.#listing.references.dangling(file.path, place, parsed?.value ?? null, source));
  }

  #check({ file: { path }, place }: Reading, parsed: ParsedFile | null): void {
    for (const each of this.#checks) append(this.#warnings, each.take(path, place, parsed));
  }

  #note(parsed: ParsedFile, path: string, source: string): void {
    const files = this.#session;
    this.#tell(checkFileRules(parsed, path, source, sha256));
    switch (parsed.kind) {
      case "unread":
      case "acked":
        this.#noteCopy(parsed.place.key, path, source);
        break;
      case "message":
        this.#noteMail(parsed.place.key, source, parsed.value);
        if (parsed.place.key.n === 1) this.#first = parsed.value;
        break;
      case "thread":
        this.#noteThread(parsed, path, source);
        break;
      case "guest":
        this.#guests.add(parsed.value.part);
        break;
      case "events":
        this.#noteEvents(path, parsed.value);
        break;
      case "summary":
        if (files !== null) files.summary = { summary: parsed.value, source };
        break;
      case "claim":
        if (files !== null && (files.claims.get(parsed.value.task)?.fence ?? 0) < parsed.value.fence)
          files.claims.set(parsed.value.task, parsed.value);
        break;
      case "artifact":
        append(this.#findings, checkContent(path, parsed.value, this.#isThere));
        append(this.#findings, this.#ids.add(`${files?.session}/${parsed.value.id}`, path, lineOfKey(source, "id")));
        files?.artifacts.set(parsed.value.id, parsed.value);
        break;
      case "task":
        files?.tasks.set(parsed.value.id, knownTask(parsed.value, source));
        append(this.#findings, this.#ids.add(parsed.value.id, path, lineOfKey(source, "id")));
        break;
      case "result":
        files?.results.set(parsed.place.review, parsed.value);
        break;
      case "review":
        files?.reviews.set(parsed.value.id, parsed.value);
        if (parsed.value.thread !== undefined) this.#reviews.add(parsed.value.thread);
        append(this.#findings, this.#ids.add(parsed.value.id, path, lineOfKey(source, "id")));
        break;
      default:
        break;
    }
  }

  /** A copy of a message, which its name does not prove: inboxes come before threads, so it is compared when that is read. */
  #noteCopy(location: MessageLocation, path: string, source: string): void {
    if (isSealed(location.token)) return;
    const id = messageId(location);
    this.#copies.set(id, [...(this.#copies.get(id) ?? []), { path, digest: sha256(source) }]);
  }

  /** What lies in inboxes of a message that was read in its thread. @param source its text; null where its name proves it, and that of each copy */
  #noteMail(location: MessageLocation, source: string, message: Message): void {
    const { to } = message;
    this.#compareCopies(location, source);
    this.#noteUnread(location, to);
    append(this.#findings, checkMail(location, to, this.#isMember, this.#formerly(), this.#isThere));
    if (this.#config === null) return;
    // Somebody who was removed has an inbox.
    const [id, { day }] = [messageId(location), location];
    const isKnown = (name: string): boolean =>
      this.#isMember(name) || this.#formerly().has(name) || [unreadPath(name, id), readPath(name, id, day)].some(this.#isThere);
    this.#tell(checkRecipients(messagePath(location), message, isKnown));
  }

  /** A thread's own file comes after its messages. */
  #noteThread({ place: { key }, value }: Extract<ParsedFile, { kind: "thread" }>, path: string, source: string): void {
    const id = threadId(key);
    const { keys = [], forgotten = [] } = this.#listing.threads.get(id) ?? {};
    const first = this.#first?.thread === id ? this.#first : null;
    const unread = keys.flatMap((each) =>
      (this.#listing.inboxes.get(messageId(each)) ?? []).map((part) => ({ part: this.#nameNow(part), id: messageId(each), n: each.n })),
    );
    const numbers = [...keys, ...forgotten].map(({ n }) => n);
    this.#tell(checkThreadRules(path, value, source, { first, isReview: this.#reviews.has(id), numbers, unread }, this.#nameNow));
  }

  #compareCopies(location: MessageLocation, source: string): void {
    const id = messageId(location);
    const copies = this.#copies.get(id) ?? [];
    const digest = copies.length === 0 ? "" : sha256(source);
    for (const copy of copies)
      if (copy.digest !== digest)
        this.#findings.push(finding("differing_mail", { path: copy.path }, "a different text", `the text of ${messagePath(location)}`));
    this.#copies.delete(id);
  }

  #noteUnread(location: MessageLocation, to: readonly string[]): void {
    const id = messageId(location);
    const { parts } = this.#config ?? {};
    if (parts === undefined) return;
    for (const part of this.#listing.inboxes.get(id) ?? [])
      if (!mayHold(part, to, parts, this.#isMember))
        this.#findings.push(finding("not_addressed", { path: unreadPath(part, id) }, `it is to ${to.join(", ")}`, `to ${part}`));
    for (const part of this.#listing.acks.get(id) ?? [])
      if (!mayHold(part, to, parts, this.#isMember))
        this.#warnings.push(finding("doubtful", { path: readPath(part, id, location.day) }, `it is to ${to.join(", ")}`, `to ${part}`));
  }

  #noteEvents(path: string, { ids }: EventsFile): void {
    const day = path.slice(0, path.lastIndexOf("/"));
    // Ids hold their day, so those of another day are other ids.
    if (this.#events.day !== day) this.#events = { day, ids: new Ids() };
    const known = this.#events.ids;
    const twice = ids.flatMap(({ line, id }) => known.add(id, path, line));
    append(this.#findings, firstOf(twice, "ids that are used twice"));
  }
}
