/** Resources: an inbox, a thread and the roster, and word when they change. spec/agents.md, "MCP". */

import { escapedJson } from "../protocol/core/format/hidden.ts";
import { parseThreadId } from "../protocol/core/format/id.ts";
import { refuse } from "../protocol/core/refusal.ts";
import { type AnyOperation, asViewer, operations, perform, type World } from "../protocol/index.ts";
import { requireMembers } from "../protocol/mail/files/members.ts";
import { resolveThread } from "../protocol/mail/files/threads.ts";
import { threadFolder } from "../protocol/mail/nouns/message.ts";
import { inboxNew, presenceFolder } from "../protocol/mail/nouns/part.ts";
import { facts } from "../protocol/store/read/facts.ts";
import { absolute } from "../protocol/store/root.ts";
import { type Watch, watchFolders } from "../protocol/store/watch.ts";
import { bounded, continued } from "./bound-answer.ts";
import type { ResourceListing } from "./sdk.ts";

const ROSTER = "relay://roster";
const INBOX = "relay://inbox/";
const THREAD = "relay://thread/";

/** A resource: the operation whose answer it is, and the folders of the home that change with it. */
interface Resource {
  operation: AnyOperation;
  input: Record<string, unknown>;
  folders: string[];
}

/** What `resources/list` names: the roster, and the inbox of the caller. */
export function resourceListings(part: string | null): ResourceListing[] {
  const roster = { uri: ROSTER, name: "roster", description: "Every part, who is online, how much is unread" };
  const own = { uri: `${INBOX}${part}`, name: `inbox of ${part}`, description: "Unread messages, newest first" };
  return part === null ? [roster] : [roster, own];
}

/** What `resources/templates/list` names. */
export const resourceTemplates: ResourceListing[] = [
  { uri: `${INBOX}{+part}`, name: "inbox", description: "A part's unread messages, newest first" },
  { uri: `${THREAD}{id}`, name: "thread", description: "A thread with its messages and receipts" },
];

/** What a URI names. @throws Refusal `invalid_argument`, `unknown_part`, `bad_part`, `unknown_thread` */
function locate(world: World, uri: string): Resource {
  if (uri === ROSTER) return { operation: operations.roster, input: {}, folders: [presenceFolder(""), "inbox"] };
  if (uri.startsWith(INBOX)) {
    const part = uri.slice(INBOX.length);
    requireMembers(world, [part]);
    return { operation: operations.inbox, input: { agent_id: part }, folders: [inboxNew(part)] };
  }
  if (uri.startsWith(THREAD)) {
    const threadId = uri.slice(THREAD.length);
    const location = parseThreadId(threadId) ?? resolveThread(world.home(), threadId);
    return { operation: operations.show, input: { threadId }, folders: [threadFolder(location)] };
  }
  const expected = `${ROSTER}, ${INBOX}PART or ${THREAD}ID`;
  throw refuse("invalid_argument", { argument: "uri", expected, given: uri, example: `${INBOX}web` });
}

/** The folders of a resource; none while the resource does not exist, such as the inbox of a removed part. */
function foldersOf(world: World, uri: string): string[] {
  try {
    return locate(world, uri).folders;
  } catch {
    return [];
  }
}

/** The folders of a resource as they are now: inode and time of the last change of each. */
function signOf(world: World, uri: string): string {
  try {
    return foldersOf(world, uri)
      .map((folder) => facts(world.home().store, folder))
      .map((fact) => (fact === null ? "" : `${fact.inode} ${fact.modifiedMs}`))
      .join(" ");
  } catch {
    return "";
  }
}

/**
 * The text of a resource, as its operation answers it, and no longer than the answer of a tool. Anyone may read it, and reading it marks nothing as seen.
 * @throws Refusal
 */
export async function readResource(world: World, uri: string): Promise<string> {
  const { operation, input } = locate(world, uri);
  const answer = await perform(asViewer(world), operation, input);
  return escapedJson(JSON.stringify(bounded(answer, continued({}), false, operation.command)));
}

/** So many resources one client may watch: each is answered anew when something changes. */
const SUBSCRIPTIONS = 100;
/** So many answers are made anew each time though their folders did not change: receipts and presence change elsewhere. */
const COMPARED = 10;

/** A resource that a client watches: its last answer, and its folders as they were then. */
interface Watched {
  answer: string;
  folders: string;
}

/** Keeps watch over what clients subscribed to, and calls back when the answer changed. */
export class Subscriptions {
  readonly #known = new Map<string, Watched>();
  readonly #world: () => World;
  readonly #changed: (uri: string) => void;
  #watch: Promise<Watch> | null = null;
  #closed = false;

  constructor(world: () => World, changed: (uri: string) => void) {
    this.#world = world;
    this.#changed = changed;
  }

  /** @throws Refusal when there is no such resource, or `too_many_subscriptions` */
  async add(uri: string): Promise<void> {
    const world = this.#world();
    if (!this.#known.has(uri) && this.#known.size >= SUBSCRIPTIONS) throw refuse("too_many_subscriptions", { most: SUBSCRIPTIONS });
    const before = this.#known.get(uri);
    const sign = signOf(world, uri);
    // Its place is reserved before the first await, so that many at once do not exceed the limit.
    this.#known.set(uri, before ?? { answer: "", folders: "" });
    try {
      this.#known.set(uri, { answer: await readResource(world, uri), folders: sign });
    } catch (error) {
      if (before === undefined) this.#known.delete(uri);
      throw error;
    }
    if (this.#closed) return;
    this.#watch ??= watchFolders([], () => this.#compare());
    await this.#rearm();
  }

  async remove(uri: string): Promise<void> {
    this.#known.delete(uri);
    await (this.#known.size === 0 ? this.#stop() : this.#rearm());
  }

  /** Watches the folders of all that is subscribed to now. */
  async #rearm(): Promise<void> {
    const watch = await this.#watch;
    const world = this.#world();
    watch?.rearm([...this.#known.keys()].flatMap((uri) => foldersOf(world, uri).map((folder) => absolute(world.home().store, folder))));
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#stop();
  }

  async #stop(): Promise<void> {
    const watch = this.#watch;
    this.#watch = null;
    await (await watch)?.close();
  }

  /** Files are the truth: after any event the answers are compared. Those whose folders changed come first, then a few others in turn. */
  async #compare(): Promise<void> {
    let others = COMPARED;
    for (const [uri, before] of [...this.#known]) {
      const folders = signOf(this.#world(), uri);
      if (folders === before.folders) {
        if (others === 0) continue;
        others -= 1;
      }
      const answer = await readResource(this.#world(), uri).catch((error: Error) => error.message);
      if (!this.#known.delete(uri)) continue;
      // Last in turn now.
      this.#known.set(uri, { answer, folders });
      if (answer !== before.answer) this.#changed(uri);
    }
  }
}
