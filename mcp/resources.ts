/** Resources: an inbox, a thread and the roster, and word when they change. SPEC.md, "MCP". */
import path from "node:path";
import { asViewer, operations, perform, type Watch, type World, watchFolders } from "../protocol/index.ts";
import type { ResourceListing } from "./sdk.ts";

const ROSTER = "relay://roster";
const INBOX = "relay://inbox/";
const THREAD = "relay://thread/";

/** What `resources/list` names: the roster, and the inbox of who asks. */
export function resourceListings(part: string | null): ResourceListing[] {
  const roster = { uri: ROSTER, name: "roster", description: "Every part, who is online, how much is unread" };
  return part === null
    ? [roster]
    : [roster, { uri: `${INBOX}${part}`, name: `inbox of ${part}`, description: "Unread messages, newest first" }];
}

/** What `resources/templates/list` names. */
export const resourceTemplates: ResourceListing[] = [
  { uri: `${INBOX}{+part}`, name: "inbox", description: "A part's unread messages, newest first" },
  { uri: `${THREAD}{id}`, name: "thread", description: "A thread with its messages and receipts" },
];

/** The text of a resource, as the operation of the same name answers it; null when there is none. */
export async function readResource(world: World, uri: string): Promise<string | null> {
  const answer = await answerOf(world, uri);
  return answer === null ? null : JSON.stringify(answer);
}

/** Anyone may look into an inbox as a resource; it counts as seen by nobody. */
async function answerOf(world: World, uri: string): Promise<Record<string, unknown> | null> {
  try {
    if (uri === ROSTER) return await perform(world, operations.roster, {});
    if (uri.startsWith(THREAD)) return await perform(world, operations.show, { threadId: decodeURIComponent(uri.slice(THREAD.length)) });
    if (uri.startsWith(INBOX))
      return await perform(asViewer(world), operations.inbox, { agent_id: decodeURIComponent(uri.slice(INBOX.length)) });
  } catch {
    return null;
  }
  return null;
}

/** Keeps watch over what clients subscribed to, and calls back when the answer changed. */
export class Subscriptions {
  readonly #known = new Map<string, string | null>();
  #watch: Watch | null = null;
  readonly #world: () => World;
  readonly #changed: (uri: string) => void;

  constructor(world: () => World, changed: (uri: string) => void) {
    this.#world = world;
    this.#changed = changed;
  }

  async add(uri: string): Promise<void> {
    this.#known.set(uri, await readResource(this.#world(), uri));
    const folders = this.#folders(uri);
    if (this.#watch === null) this.#watch = await watchFolders(folders, () => this.#look());
    else this.#watch.rearm(folders);
  }

  async remove(uri: string): Promise<void> {
    this.#known.delete(uri);
    if (this.#known.size === 0) await this.close();
  }

  async close(): Promise<void> {
    const watch = this.#watch;
    this.#watch = null;
    await watch?.close();
  }

  /** Files are the truth: whatever rang, the answers are compared. */
  async #look(): Promise<void> {
    for (const [uri, before] of [...this.#known]) {
      const now = await readResource(this.#world(), uri);
      if (now === before || !this.#known.has(uri)) continue;
      this.#known.set(uri, now);
      this.#changed(uri);
    }
  }

  #folders(uri: string): string[] {
    const { root } = this.#world().home().store;
    if (uri.startsWith(INBOX)) return [path.join(root, "inbox", decodeURIComponent(uri.slice(INBOX.length)), "new")];
    const thread = /^t-(\d{4})(\d\d)(\d\d)-/.exec(uri.slice(THREAD.length));
    if (uri.startsWith(THREAD) && thread !== null)
      return [path.join(root, "threads", `${thread[1]}-${thread[2]}-${thread[3]}`, uri.slice(THREAD.length))];
    return [path.join(root, "run", "presence")];
  }
}
