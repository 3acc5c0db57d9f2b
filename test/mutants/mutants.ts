/**
 * Faults that a good engineer could make, each of which some test must find: `npm run test:mutants` plants one after the other, so that
 * nobody makes the tests faster by making them weaker.
 */

/** One fault. */
export interface Mutant {
  name: string;
  /** The promise that it breaks. */
  breaks: string;
  /** A text that stands once in all sources of the product, wherever that is; blanks and line breaks count as one blank. */
  find: string;
  /** The fault, in its place. */
  replace: string;
  /** The test files that must find it, the cheapest first. */
  tests: readonly string[];
}

/** Every fault: the store, the merge, claims, wakes, what git brings, refusals, MCP, and the page. */
export const MUTANTS: readonly Mutant[] = [
  // The store.
  {
    name: "a name is taken twice",
    breaks: "Of two processes that create one file exactly one succeeds, and the other's file stays as it is.",
    find: "fs.linkSync(from, to)",
    replace: "fs.renameSync(from, to)",
    tests: ["test/store/chain.test.ts"],
  },
  {
    name: "a cleared number is used again",
    breaks: "A writer that slept while others added and cleared numbers takes none of those.",
    find: "last >= n + (chain.kept as number) / 2",
    replace: "last >= n + (chain.kept as number) * 2",
    tests: ["test/store/chain.test.ts"],
  },
  {
    name: "a lock is kept by nobody",
    breaks: "A lock whose holder could not be written down is free again.",
    find: "quietly(release); throw error;",
    replace: "throw error;",
    tests: ["test/store/store-edges.test.ts"],
  },
  {
    name: "a saved edit is overwritten",
    breaks: "What a person saved in a file after a killed change of it stays.",
    find: "let isAsRead = signOf(now?.text ?? null) === base;",
    replace: "let isAsRead = true;",
    tests: ["test/core/held.test.ts"],
  },
  {
    name: "another's file is removed",
    breaks: "A file that another process wrote under the name of one that is removed is there afterwards.",
    find: "if (!isRemoved) linkInto(store, absolute(store, aside), target);",
    replace: "",
    tests: ["test/store/chain.test.ts"],
  },
  {
    name: "a revision of a shell is not read",
    breaks: "A change that a program committed with a line break at the end of its revision is put in place.",
    find: String.raw`(\w+)\r?\n?$/`,
    replace: String.raw`(\w+)$/`,
    tests: ["test/core/held.test.ts"],
  },
  {
    name: "a file is named before its bytes are flushed",
    breaks: "What was answered is whole after a loss of power.",
    find: "aside = absolute(store, target); } if (isLasting(store, target)) fs.fsyncSync(descriptor);",
    replace: "aside = absolute(store, target); }",
    tests: ["test/torture/crash-states.test.ts"],
  },
  // The merge.
  {
    name: "a removed member comes back",
    breaks: "What one clone took out of a list is not in the merged list.",
    find: "left.has(item) && right.has(item)",
    replace: "left.has(item) || right.has(item)",
    tests: ["test/sync/merge-kinds.test.ts", "test/sync/merge.test.ts"],
  },
  {
    name: "the shorter chain wins",
    breaks: "Of two chains of claims that part at a number the longer one keeps its numbers.",
    find: "return length > otherLength;",
    replace: "return length < otherLength;",
    tests: ["test/sync/merge-kinds.test.ts"],
  },
  {
    name: "a status goes back",
    breaks: "Of two statuses that two clones gave a task the further one counts.",
    find: "list.indexOf(one as T) > list.indexOf(other as T)",
    replace: "list.indexOf(one as T) < list.indexOf(other as T)",
    tests: ["test/sync/merge-kinds.test.ts"],
  },
  {
    name: "the sides of a merge are not the same",
    breaks: "Both clones come to the same bytes, whichever of them merges.",
    find: "ordered(ours, theirs).map(versionOf)",
    replace: "[ours, theirs].map(versionOf)",
    tests: ["test/sync/merge-kinds.test.ts", "test/sync/merge.test.ts"],
  },
  {
    name: "who gives way is lost",
    breaks: "A text that gives way in a merge lies beside the one that counts.",
    find: "outcomeOf(found.text, [one, other])], ...beside]",
    replace: "outcomeOf(found.text, [one, other])]]",
    tests: ["test/sync/merge-kinds.test.ts", "test/sync/merge.test.ts"],
  },
  {
    name: "of a merge only the first parent is compared",
    breaks: "No merge hides what it deletes behind the order of its parents.",
    find: '"--diff-merges=separate"',
    replace: '"--diff-merges=first-parent"',
    tests: ["test/hostile/git/history.test.ts"],
  },
  // Claims and the board.
  {
    name: "a lease lasts an instant too long",
    breaks: "A claim is held until its lease is over, and from that instant on can be taken.",
    find: "return nowMs < until ?",
    replace: "return nowMs <= until ?",
    tests: ["test/board/board-laws.test.ts"],
  },
  {
    name: "an old fence is accepted",
    breaks: "Whoever lost a claim may change the task no more.",
    find: "believed === null || believed === hold.fence",
    replace: "believed === null || believed <= hold.fence",
    tests: ["test/board/board.test.ts"],
  },
  {
    name: "an unknown dependency counts as done",
    breaks: "A task that waits for one that is not there cannot be claimed.",
    find: "task.dependsOn.filter((id) => !isFinished(statusOf(id)))",
    replace: 'task.dependsOn.filter((id) => !isFinished(statusOf(id) ?? "done"))',
    tests: ["test/board/board-files.test.ts"],
  },
  {
    name: "a claim is applied twice",
    breaks: "A task's file is made to say what its last record says once.",
    find: "if (record === null || record.fence <= task.fence) return null;",
    replace: "if (record === null || record.fence < task.fence) return null;",
    tests: ["test/board/board-files.test.ts"],
  },
  {
    name: "a closed connection keeps its claims",
    breaks: "Nobody renews a claim whose client went away while it was made.",
    find: "renewing.set(connection, null);",
    replace: "renewing.delete(connection);",
    tests: ["test/mcp/connection.test.ts"],
  },
  {
    name: "who is handed a task is not told",
    breaks: "Whoever is given a task that another held has mail about it.",
    find: '{ kind: "claim", agent: assignee, by: agent, status',
    replace: '{ kind: "claim", agent: assignee, status',
    tests: ["test/board/board-rules.test.ts"],
  },
  // Wakes.
  {
    name: "one wake too many",
    breaks: "The guaranteed wakes of a part are as many as the policy says.",
    find: "if (ofPart.length < policy.partMinimum)",
    replace: "if (ofPart.length <= policy.partMinimum)",
    tests: ["test/wake/wake.test.ts"],
  },
  {
    name: "a lease of the future never ends",
    breaks: "A lease that was taken by a clock hours ahead is over.",
    find: "nowMs >= held + policy.leaseMs || held > nowMs + CLOCK_SLACK_MS",
    replace: "nowMs >= held + policy.leaseMs",
    tests: ["test/wake/wake.test.ts"],
  },
  {
    name: "a doorbell is rung twice",
    breaks: "A wake that was committed is finished in a terminal alone, where it shows how far it came.",
    find: '(state: WakeState): boolean => state.kind === "typed" && !state.reported && state.rung === "tmux"',
    replace: '(state: WakeState): boolean => state.kind === "typed" && !state.reported',
    tests: ["test/wake/wake.test.ts"],
  },
  {
    name: "a half-typed line is taken for a hint",
    breaks: "Nothing is typed into a line that a person began.",
    find: "rest.slice(1, written.length).every(",
    replace: "rest.slice(1, written.length).some(",
    tests: ["test/screens/screens.test.ts"],
  },
  {
    name: "a wake that reached nobody is paid for",
    breaks: "A wake of which nothing was delivered does not count against the budget.",
    find: 'if (committed && moved.moved && moved.last.state.kind === "owed") refund(world, wakeId);',
    replace: "",
    tests: ["test/wake/pager-rest.test.ts"],
  },
  // What git brings: the guard and trust.
  {
    name: "a clone that met two texts at once keeps the one that it has",
    breaks: "Of two texts of a file that is written once, a clone keeps its own only if it had it before the other came.",
    find: "?? Number.POSITIVE_INFINITY) > at",
    replace: "?? Number.POSITIVE_INFINITY) >= at",
    tests: ["test/sync/arrivals.test.ts"],
  },
  {
    name: "a pushed claim takes the place of one that stands",
    breaks: "A record of a claim gives way only to a surer one.",
    find: "surer > 0 ||",
    replace: "surer >= 0 ||",
    tests: ["test/sync/guard-claims.test.ts"],
  },
  {
    name: "a name with unseen characters passes",
    breaks: "A file whose name some disks read as one of git's never lies in a home.",
    find: '.replace(UNSEEN, "")',
    replace: "",
    tests: ["test/core/arrival.test.ts"],
  },
  {
    name: "a file of the office goes unnoticed",
    breaks: "An office that lacks a file that was trusted is not trusted.",
    find: "[...new Set([...Object.keys(was), ...Object.keys(is)])].filter((path) => was[path] !== is[path])",
    replace: "Object.keys(is).filter((path) => was[path] !== is[path])",
    tests: ["test/office/trust.test.ts"],
  },
  {
    name: "a server believes its environment",
    breaks: "What starts a server, which may be a file of the project, grants no command.",
    find: "if (world.connection.lasting) return [];",
    replace: "",
    tests: ["test/hostile/settings/grants.test.ts"],
  },
  {
    name: "the token of a turn that ended is one",
    breaks: "A token says which turn calls only while that turn runs.",
    find: " && files.ends.every((each) => each.turn !== turn);",
    replace: ";",
    tests: ["test/office/turns.test.ts"],
  },
  // Refusals and the command line.
  {
    name: "a refusal ends with another exit code",
    breaks: "Each code of a refusal has the exit code of the table.",
    find: "busy: entry(EXIT.disk,",
    replace: "busy: entry(EXIT.refused,",
    tests: ["test/pages/spec.test.ts"],
  },
  {
    name: "a tool's words at the command line",
    breaks: "A refusal speaks of the command that was typed, and not of a tool.",
    find: "on: (_tools, commands) => commands,",
    replace: "on: (tools) => tools,",
    tests: ["test/pages/refusals.test.ts"],
  },
  {
    name: "a misspelt argument is dropped",
    breaks: "An argument that nobody knows is refused with the nearest, and never passed over.",
    find: 'if (match === undefined) throw refuse("unknown_argument", { argument: name, nearest: nearest(name, known), known });',
    replace: "if (match === undefined) continue;",
    tests: ["test/mail/messages.test.ts"],
  },
  // MCP.
  {
    name: "a client that is gone is watched for",
    breaks: "Of a client that closed its connection no watch is left.",
    find: "this.#closed = true; await this.#stop();",
    replace: "this.#closed = true;",
    tests: ["test/store/watch.test.ts"],
  },
  {
    name: "what came meanwhile is acked",
    breaks: "An answer acks what was shown of its thread, and nothing that came since.",
    find: "const seen = mine.filter((id) => isSeen(world, part, id));",
    replace: "const seen = mine;",
    tests: ["test/mcp/brief.test.ts"],
  },
  {
    name: "null is refused as arguments",
    breaks: "A client that has no arguments for a tool may write null.",
    find: "...(args === null || args === undefined ? {} : {",
    replace: "...(args === undefined ? {} : {",
    tests: ["test/mcp/server.test.ts"],
  },
  {
    name: "the first message is answered twice",
    breaks: "A client gets one answer to its first message.",
    find: "isAnswerTo(message, answered)) { answered = null; return; }",
    replace: "isAnswerTo(message, answered)) { answered = null; }",
    tests: ["test/mcp/server.test.ts"],
  },
  // The page.
  {
    name: "a link runs a script",
    breaks: "A link in an agent's text leads to the web or to mail, and nowhere else.",
    find: String.raw`/^(https?:\/\/|mailto:)/i.test(address)`,
    replace: String.raw`/(https?:\/\/|mailto:)/i.test(address)`,
    tests: ["test/dashboard/reader.test.ts"],
  },
  {
    name: "a form of another site may write",
    breaks: "A write is JSON, which no form of another site can send.",
    find: 'headers["content-type"] !== "application/json"',
    replace: 'headers["content-type"]?.includes("application/json") !== true',
    tests: ["test/dashboard/attacks.test.ts"],
  },
  {
    name: "older rows vanish",
    breaks: "A list loses no row between its first page and the older ones.",
    find: "if (isWhole || (at === -1 && !pages.older.some((row) => keyOf(row) === last)))",
    replace: "if (isWhole || at === -1)",
    tests: ["test/dashboard/pages.test.ts"],
  },
];
