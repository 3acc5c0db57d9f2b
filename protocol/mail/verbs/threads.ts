import * as z from "zod/mini";
import { cursor, flag, LIMITS, limit, line, maybe } from "../../core/format/schema.ts";
import type { Faults as FaultList } from "../../core/home/broken-files.ts";
import { defineOperation } from "../../core/operation.ts";
import { pacer } from "../../core/pacer.ts";
import { cursorAfter, readCursor } from "../../core/paginate.ts";
import { Faults } from "../../core/shapes.ts";
import { withFaults } from "../../core/with-faults.ts";
import { names } from "../../store/read/list-folder.ts";
import type { Store } from "../../store/root.ts";
import { removals } from "../asks.ts";
import { meantPart } from "../files/guests.ts";
import { unreadIds } from "../files/inbox-files.ts";
import { namesOf } from "../files/members.ts";
import { newestThreads, threadsOfMessages } from "../files/recent-threads.ts";
import { lastField, ThreadBrief, threadBrief } from "../files/thread-brief.ts";
import { spokenIn, threadDays } from "../files/threads.ts";
import { THREAD_STATUSES } from "../nouns/thread.ts";

/** Very few threads may fit: where not all of them do, so many are looked at for a page, and the cursor goes on. */
const MOST_LOOKED = 400;
const OLDER = `${MOST_LOOKED} threads were looked at; older ones are not. Go on with the cursor.`;

/** Lists threads, the one written to last first. */
export const threads = defineOperation({
  name: "threads",
  tool: "room",
  summary: "List threads; the one with the latest message comes first",
  when: "List threads; q: text in the subject.",
  effect: "read",
  identity: "optional",
  input: () => ({
    status: maybe(z.enum([...THREAD_STATUSES, "archived"])),
    part: maybe(z.string().check(z.describe("a participant"))),
    from: maybe(z.string().check(z.describe("only where this part wrote"))),
    tag: maybe(line(LIMITS.tag, "a tag")),
    q: maybe(line(LIMITS.query, "text in the subject")),
    unread: flag("only with mail that you have not read"),
    previews: flag("with the beginning of the newest message"),
    limit: limit(),
    cursor: cursor(),
  }),
  unlisted: ["tag", "from", "unread", "previews", "limit"],
  output: () => ({ threads: z.array(ThreadBrief), cursor: z.nullable(z.string()), warning: maybe(z.string()), problems: Faults }),
  example: { status: "open", limit: 30 },
  async run(world, input, { part }) {
    const { store } = world.home();
    const meant = input.part === undefined ? undefined : meantPart(world, input.part);
    const writer = input.from === undefined ? undefined : meantPart(world, input.from);
    const names = writer === undefined ? null : new Set(namesOf(world, writer.part));
    const warning = meant?.warning ?? writer?.warning;
    const warned = warning === undefined ? {} : { warning };
    const ofPart = (count: number) => (warning === undefined && count < input.limit ? { warning: OLDER } : warned);
    const problems: FaultList = world.past === undefined ? [] : strangersIn(store);
    if (input.status === "archived") {
      const wanted = { ...input, part: meant?.part, status: undefined };
      const page = removals().archivedPage(world, { ...input, names, most: MOST_LOOKED }, (brief) => fits(brief, wanted), problems);
      return withFaults({ ...page, ...(page.cursor === null ? warned : ofPart(page.threads.length)) }, problems);
    }
    const wanted = { ...input, part: meant?.part };
    const isOfAll = names === null && [input.status, input.part, input.tag, input.q].every((filter) => filter === undefined);
    const unread = part === "" ? [] : unreadIds(store, part);
    const found: z.infer<typeof ThreadBrief>[] = [];
    let last: string | null = null;
    let looked = 0;
    // Files are read only until the page is full.
    const pace = pacer(world, "threads");
    const after = input.cursor === undefined ? undefined : readCursor(input.cursor);
    for (const listed of input.unread === true ? threadsOfMessages(store, unread, after) : newestThreads(store, after)) {
      const turn = pace();
      if (turn !== null) await turn;
      if (listed === null) continue;
      const { newest, thread, keys } = listed;
      if (found.length === input.limit || looked === MOST_LOOKED)
        return withFaults({ threads: found, cursor: cursorAfter(last as string), ...ofPart(found.length) }, problems);
      const brief = threadBrief(world, thread, keys, unread, problems);
      if (!isOfAll) [looked, last] = [looked + 1, newest];
      if (brief === null || !fits(brief, wanted)) continue;
      if (names !== null && !spokenIn(store, keys, problems).some(({ from }) => names.has(from))) continue;
      found.push(input.previews === true ? { ...brief, ...lastField(world, keys, problems) } : brief);
      last = newest;
    }
    return withFaults({ threads: found, cursor: null, ...warned }, problems);
  },
});

/** The problem of a commit whose folder `threads` has files, but no day of threads; none of any other commit. */
function strangersIn(store: Store): FaultList {
  const isStrange = names(store, "threads").length > 0 && threadDays(store).length === 0;
  const problem = "no name in it is a day such as 2026-01-31, so Relay reads no thread in it; `relay check` with the commit says more";
  return isStrange ? [{ path: "threads", problem }] : [];
}

function fits(
  brief: z.infer<typeof ThreadBrief>,
  input: {
    status?: string | undefined;
    part?: string | undefined;
    tag?: string | undefined;
    q?: string | undefined;
    unread?: boolean | undefined;
  },
): boolean {
  if (input.unread === true && brief.unread === 0) return false;
  if (input.status !== undefined && brief.status !== input.status) return false;
  if (input.part !== undefined && !brief.participants.includes(input.part)) return false;
  if (input.tag !== undefined && brief.tags?.includes(input.tag) !== true) return false;
  return input.q === undefined || brief.subject.toLowerCase().includes(input.q.toLowerCase());
}
