/**
 * The closed catalogue of refusals: one entry a code, the same on every surface.
 * Each sentence says what is wrong, what was expected, what was given, and what to do. spec/commands.md, "Error codes".
 */

import { pathWord, placeWords, shellWord } from "./objects/format/shell-word.ts";

/** Exit codes of the command line, by kind of refusal. spec/commands.md, "Exit codes". */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  refused: 4,
  noHome: 5,
  disk: 6,
  format: 7,
  timeout: 8,
  offline: 9,
  noRemote: 10,
  remote: 11,
  login: 12,
  interrupted: 130,
} as const;

const quote = (value: unknown): string => JSON.stringify(value) ?? "nothing";
const where = (urls: readonly string[]): string => (urls.length === 0 ? "" : ` (${urls.join(", ")})`);
const nearestHint = (nearest: readonly string[]): string => (nearest.length === 0 ? "" : ` Nearest: ${nearest.join(", ")}.`);

interface ArgumentFault {
  argument: string;
  expected: string;
  given: unknown;
  example: unknown;
}

/** A file that is there but not as SPEC.md says it must be. */
export interface FileFault {
  /** Path inside the home, with `/`. */
  path: string;
  /** Line counted from 1, where it is known. */
  line?: number | undefined;
  problem: string;
}

/** What people call all parts. */
const EVERYBODY = /^@?(?:all|everyone|everybody|team|any|anyone)$/i;

const entry = <D>(exit: number, say: (data: D) => string) => ({ exit, say });

/** What removes files of one machine that the code tracks; what it does not track stays. @param home the name of the home's folder */
export const removeTracked = (home: string): string =>
  `git rm -r --force --ignore-unmatch -- ${["outbox", "local", "run"].map((folder) => pathWord(`${home}/${folder}`)).join(" ")}`;

/** Code → exit code and sentence. */
export const REFUSALS = {
  invalid_argument: entry(
    EXIT.usage,
    (d: ArgumentFault) =>
      `${d.argument}: expected ${d.expected}, given ${quote(d.given)}.${d.example === undefined || d.example === null ? "" : ` Example: ${d.argument} = ${quote(d.example)}`}`,
  ),
  unknown_argument: entry(
    EXIT.usage,
    (d: { argument: string; nearest: string[]; known: string[] }) =>
      `unknown argument ${quote(d.argument)}.${nearestHint(d.nearest)} Known: ${d.known.join(", ")}`,
  ),
  usage: entry(EXIT.usage, (d: { problem: string; help: string }) => `${d.problem} ${d.help}`),
  who_are_you: entry(
    EXIT.usage,
    (d: { operation: string; parts: string[] }) =>
      `${d.operation} needs to know which part you are, and nobody said so. Parts: ${d.parts.join(", ")}. ` +
      "Pass yours as agent_id (if you do not know it, ask your user)",
  ),
  bound_elsewhere: entry(
    EXIT.refused,
    (d: { boundTo: string; given: string }) =>
      `this connection is bound to part ${quote(d.boundTo)}; agent_id ${quote(d.given)} is someone else. ` +
      `Leave agent_id out, or start another connection with --part ${shellWord(d.given)}`,
  ),
  bad_part: entry(
    EXIT.usage,
    (d: { given: unknown; problem: string }) =>
      `${quote(d.given)} is not a part id: ${d.problem}. ` +
      `Expected one to three segments of letters, digits, "_" and "-" (1 to 64 characters, first a letter or digit) joined by "/". Example: "web" or "shop/api/tests"`,
  ),
  unknown_part: entry(
    EXIT.notFound,
    (d: { given: string[]; nearest: string[] }) =>
      `no such part: ${d.given.map(quote).join(", ")}.${nearestHint(d.nearest)} ` +
      (d.given.some((name) => EVERYBODY.test(name)) ? 'Everybody is "*". ' : "") +
      `The roster lists every part; a new one is made by \`relay part add ${placeWords([d.given[0] ?? "web"])}\``,
  ),
  too_many_subscriptions: entry(
    EXIT.refused,
    (d: { most: number }) =>
      `a client may watch ${d.most} resources at once. Unsubscribe from one first; \`inbox\` and \`threads\` show all`,
  ),
  unknown_thread: entry(
    EXIT.notFound,
    (d: { given: string }) =>
      `no thread ${quote(d.given)}. Expected an id such as "t-20260131-k3f9x2ab", or a unique piece (3 characters or more) of one, or of one of its messages; \`threads\` lists them`,
  ),
  archived_thread: entry(
    EXIT.refused,
    (d: { threadId: string }) =>
      `thread ${d.threadId} is archived; nothing was written. \`relay show ${d.threadId}\` reads it; \`relay archive ${d.threadId} --undo\` brings it back`,
  ),
  thread_not_closed: entry(
    EXIT.refused,
    (d: { threadId: string }) =>
      `thread ${d.threadId} is not closed, so it is not archived. Close it first (\`relay close ${d.threadId}\`)`,
  ),
  thread_unread: entry(
    EXIT.refused,
    (d: { threadId: string; parts: string[] }) =>
      `thread ${d.threadId} has mail that ${d.parts.join(", ")} did not read, so it is not archived. They ack it first (\`relay ack --thread ${d.threadId}\`)`,
  ),
  not_archivable: entry(
    EXIT.refused,
    (d: { threadId: string; path: string; problem: string }) =>
      `thread ${d.threadId} cannot be archived, and stays as it is: ${d.path}: ${d.problem}. \`relay doctor\` says what to do about files`,
  ),
  unknown_message: entry(
    EXIT.notFound,
    (d: { given: string[] }) =>
      `no message ${d.given.map(quote).join(", ")} in your inbox. Expected a messageId as \`inbox\` shows it, or a unique piece of one; a whole thread is acked by its threadId`,
  ),
  ambiguous_id: entry(
    EXIT.usage,
    (d: { given: string; candidates: string[]; count: number }) =>
      `${quote(d.given)} fits ${d.count} ids: ${d.candidates.join(", ")}${d.count > d.candidates.length ? ", …" : ""}. Give a longer piece`,
  ),
  not_your_message: entry(
    EXIT.refused,
    (d: { part: string; given: string[] }) =>
      `${d.given.join(", ")}: not addressed to ${quote(d.part)}, so ${d.part} cannot ack. Only the parts in its "to" can`,
  ),
  to_self: entry(
    EXIT.refused,
    (d: { part: string }) =>
      `you are ${quote(d.part)}, and a message to yourself is refused; nothing was sent. Leave ${d.part} out of those it goes to`,
  ),
  to_nobody: entry(EXIT.refused, (d: { reason: string }) => `no recipient is left: ${d.reason}. \`relay roster\` lists every part`),
  loop: entry(
    EXIT.refused,
    (d: { part: string; rule: "identical" | "per_minute" | "exchange"; most: number; seconds: number; other?: string }) =>
      `${
        {
          identical: `${d.part} has sent exactly this ${d.most} times within ${d.seconds} seconds`,
          per_minute: `${d.part} has sent ${d.most} messages within ${d.seconds} seconds`,
          exchange: `${d.part} and ${d.other} have sent each other ${d.most} messages within ${d.seconds / 60} minutes, and nobody else anything`,
        }[d.rule]
      }: it looks like a loop, so nothing was sent. Stop and see what you want to come of it; \`wait\` for an answer, or ask a person (to: ["human"], needsHuman). The limits are \`loop:\` in relay.yml`,
  ),
  thread_closed: entry(
    EXIT.refused,
    (d: { threadId: string; status: string }) =>
      `thread ${d.threadId} is ${d.status}; nothing was written. Open it again (close with status "open"; \`relay reopen ${d.threadId}\`), or send a new message`,
  ),
  thread_full: entry(
    EXIT.refused,
    (d: { threadId: string; number: number }) =>
      `thread ${d.threadId} has a message with the number ${d.number}, the highest there is, so it takes no more; nothing was written. Begin another thread with send`,
  ),
  not_participant: entry(
    EXIT.refused,
    (d: { part: string; threadId: string; participants: string[] }) =>
      `${quote(d.part)} takes no part in ${d.threadId}; only its participants (${d.participants.join(", ")}), main and human may change its status`,
  ),
  part_exists: entry(EXIT.refused, (d: { given: string; existing: string }) =>
    d.given === d.existing
      ? `part ${quote(d.given)} exists already`
      : `${quote(d.given)} differs from the existing part ${quote(d.existing)} only in case, whole or up to a "/"; ids must differ in more than that`,
  ),
  part_has_mail: entry(
    EXIT.refused,
    (d: { part: string; unread: number }) =>
      `part ${quote(d.part)} has ${d.unread} unread message(s); ack them first, or remove it with --force (the messages stay in their threads)`,
  ),
  part_protected: entry(EXIT.refused, (d: { part: string; reason: string }) => `part ${quote(d.part)} cannot be changed so: ${d.reason}`),
  bad_session: entry(EXIT.usage, (d: { given: string; existing?: string }) =>
    d.existing === undefined
      ? `${quote(d.given)} is not a session id. Expected 1 to 128 letters, digits, "_" and "-", and no name of a device on Windows. Example: "2026-01-31-001-K3F9"`
      : `${quote(d.given)} differs from the existing session ${quote(d.existing)} only in case; ids must differ in more than that`,
  ),
  unknown_session: entry(EXIT.notFound, (d: { given: string }) =>
    d.given === "" ? "no session is open; `relay session list` shows those that ended" : "session not found",
  ),
  session_ended: entry(
    EXIT.refused,
    (d: { session_id: string; ended_at: string; ended_by: string }) =>
      `session ${d.session_id} ended at ${d.ended_at}, by ${d.ended_by}, so nothing is begun in it; nothing was written. ` +
      `Leave the session out to work in the one that is open, or go on with this one: start_session with it, or \`relay session reopen ${d.session_id}\``,
  ),
  tasks_in_progress: entry(
    EXIT.refused,
    (d: { sessionId: string; tasks: { id: string; title: string; assignee: string | null }[] }) =>
      `session ${d.sessionId} has ${d.tasks.length} task(s) in progress: ${d.tasks
        .slice(0, 5)
        .map(({ id, title, assignee }) => `${id} (${title}${assignee === null ? "" : `, ${assignee}`})`)
        .join("; ")}. Finish or release them, or end it all the same with force (--force)`,
  ),
  unknown_task: entry(EXIT.notFound, (_d: { given: string; session_id?: string; advice?: string }) => "task not found"),
  unknown_dependencies: entry(
    EXIT.notFound,
    (d: { missing: string[] }) =>
      `depends_on contains unknown task IDs: ${d.missing.map((id) => (id.trim() === "" ? quote(id) : id)).join(", ")}`,
  ),
  unknown_parent_task: entry(EXIT.notFound, (_d: { given: string }) => "parent task not found"),
  derived_too_deep: entry(EXIT.refused, (d: { most: number }) => `max derived task depth exceeded (${d.most})`),
  too_many_derived: entry(EXIT.refused, (d: { most: number }) => `max derived siblings exceeded (${d.most})`),
  nothing_to_update: entry(EXIT.usage, (_d: { known: string[] }) => "No valid fields to update"),
  not_your_task: entry(
    EXIT.refused,
    (_d: { assignee: string | null; createdBy: string; advice?: string }) => "permission denied: not the task assignee or creator",
  ),
  stale_fence: entry(
    EXIT.refused,
    (d: { given: number; fence: number; holder: string | null }) =>
      `${d.given === d.fence ? `the claim with fence ${d.given} is not yours` : `the claim with fence ${d.given} is over: the task's fence is ${d.fence} now`}` +
      `${d.holder === null ? "" : `, held by ${quote(d.holder)}`}. Nothing was written. Stop working on it, or claim it again`,
  ),
  unmet_dependencies: entry(EXIT.refused, (d: { unmet: string[] }) => `Unmet dependencies: ${d.unmet.join(", ")}`),
  claims_full: entry(
    EXIT.refused,
    (d: { task_id: string; fence: number }) =>
      `${d.task_id} has a claim of the number ${d.fence}, the highest there is, so it takes no more; nothing was written. Make another task of it with create_task`,
  ),
  versions_full: entry(
    EXIT.refused,
    (d: { artifact: string; version: number }) =>
      `the artifact ${JSON.stringify(d.artifact)} has a version ${d.version}, the highest there is, so it takes no more; nothing was written. Post it under another name`,
  ),
  not_claimed: entry(EXIT.refused, (d: { reason: string }) => d.reason),
  hook_failed: entry(
    EXIT.refused,
    (d: { hook: string; exitCode: number | null; output: string; hook_failed: true; advice?: string }) =>
      `${d.hook} hook failed (exit ${d.exitCode ?? "timeout"}): ${d.output.trim() === "" ? "it printed nothing" : d.output}`,
  ),
  hook_untrusted: entry(
    EXIT.refused,
    (d: { hook: string; commands: string[]; note?: string }) =>
      `${d.hook} hook waits for trust: ${d.commands.map(quote).join(", ")}. Nothing ran. It is a command from a file that others can write, so a person must look at it ` +
      `and run \`relay trust\` on this machine first.${d.note === undefined ? "" : ` ${d.note}`}`,
  ),
  unknown_artifact: entry(EXIT.notFound, (_d: { given: string; artifact: null; known: string[] }) => "artifact not found"),
  unknown_review: entry(EXIT.notFound, (_d: { given: string }) => "review not found"),
  not_the_reviewer: entry(EXIT.refused, (_d: { reviewer: string }) => "permission denied: not the assigned reviewer"),
  review_submitted: entry(EXIT.refused, (d: { status: string }) => `Review already submitted — status is ${d.status}`),
  self_review: entry(
    EXIT.refused,
    (d: { author: string }) => `${quote(d.author)} wrote this artifact, so somebody else must review it; \`relay roster\` lists every part`,
  ),
  no_team: entry(
    EXIT.notFound,
    (d: { path: string }) =>
      `Session agents file not found: ${d.path} — make it with \`relay team write\`, from what \`relay team suggest\` proposes`,
  ),
  no_pool: entry(
    EXIT.notFound,
    (d: { path: string }) =>
      `No agent pool: ${d.path} is not there. \`relay team write --pool\` makes one with twelve roles, to be edited by hand`,
  ),
  tool_not_allowed: entry(
    EXIT.refused,
    (d: { tool: string; agent: string; allowed: string[]; pending?: boolean }) =>
      `agent ${quote(d.agent)} may not use ${d.tool}: its "tools" are ${d.allowed.join(", ")}` +
      (d.pending === true ? ". Its definition says something else now, which counts once a person ran `relay trust` on this machine" : ""),
  ),
  stale_wake: entry(
    EXIT.refused,
    (d: { part: string; wakeId: string; state: string }) =>
      `wake ${d.wakeId} of ${quote(d.part)} is not the one that is being delivered (it is ${d.state} now), so nothing was recorded. Deliver nothing for it; what is owed is leased anew`,
  ),
  no_home: entry(EXIT.noHome, (d: { looked: string; recorded?: boolean; tracked?: string; top?: string }) =>
    d.tracked !== undefined
      ? `the home's files are gone from this checkout (looked from ${d.looked} upward), but the last commit has them: ` +
        `\`git checkout -- ${pathWord(d.tracked)}\` in ${d.top} brings them back (\`git checkout HEAD -- ${pathWord(d.tracked)}\` where the deletion is staged)`
      : d.recorded === true
        ? `the home's folder is gone (looked from ${d.looked} upward), but its last record is still there: \`relay doctor --fix\` brings it back`
        : `no Relay home found from ${d.looked} upward. Make one with \`relay init\` in the repository, or name one with --home or RELAY_HOME`,
  ),
  home_tracked: entry(
    EXIT.refused,
    (d: { path: string }) =>
      `the code repository tracks files under ${d.path}; a branch switch would delete a home there. ` +
      "Use `relay init --in-tree` to keep the home as files of the code, or remove them from the code first",
  ),
  home_checked_out: entry(
    EXIT.refused,
    (d: { folder: string; branch: string; other: string | null }) =>
      `${d.folder} is a checkout of ${quote(d.branch)}, the branch of a home, and not of the code. The remote begins with that branch. Nothing was made. ` +
      (d.other === null
        ? `There is no branch of code yet. Begin one: \`git -C ${shellWord(d.folder)} switch --orphan main\`, commit the code and push it, then \`relay init\` there`
        : `Switch to the code: \`git -C ${shellWord(d.folder)} switch ${shellWord(d.other)}\`, then \`relay init\` there. ` +
          `So that the next clone begins with the code, make ${quote(d.other)} the default branch of the remote`),
  ),
  not_in_git: entry(EXIT.refused, (d: { path: string; hint: string }) => `${d.path} is not inside a git working tree. ${d.hint}`),
  unsupported_format: entry(
    EXIT.format,
    (d: { path: string; given: unknown; supported: number }) =>
      `${d.path}: format ${quote(d.given)} is not known to this version of Relay, which reads formats up to ${d.supported}. Upgrade Relay, or fix the number if it was mistyped`,
  ),
  no_good_config: entry(
    EXIT.notFound,
    (d: { path: string }) =>
      `no version of ${d.path} that could be read is kept on this machine, so there is none to go back to. Correct the file by hand`,
  ),
  malformed_file: entry(
    EXIT.format,
    (d: FileFault) => `${d.path}${d.line === undefined ? "" : `:${d.line}`}: ${d.problem}. The file was left as it is`,
  ),
  file_full: entry(
    EXIT.refused,
    (d: { path: string; bytes: number; most: number }) =>
      `${d.path} would have ${d.bytes} bytes; expected at most ${d.most}. Nothing was written. Write less, or shorten the file by hand first`,
  ),
  outside_home: entry(
    EXIT.disk,
    (d: { path: string }) =>
      `${d.path} leads out of the home (a symbolic link, or a name such as ".."), so it is neither read nor written. Remove the link`,
  ),
  disk_full: entry(
    EXIT.disk,
    (d: { path: string }) => `no space (or no inode) left to write ${d.path}; nothing was half written. Free some and try again`,
  ),
  not_writable: entry(
    EXIT.disk,
    (d: { path: string; reason: string }) =>
      `${d.path} cannot be written (${d.reason}); nothing was written. A sandbox or a read-only mount may forbid it: ` +
      "add the home to the writable roots, or fix the permissions (`relay doctor` shows them)",
  ),
  no_state_folder: entry(
    EXIT.disk,
    (d: { folder: string | null; reason: string }) =>
      `this machine has no folder in which Relay may keep what you allow here: ${d.reason}. Nothing was written. ` +
      "Make `.local/state` in your home folder a folder of your own (`chmod go-w`), or set XDG_STATE_HOME to one that only you can write, outside of every project",
  ),
  disk_error: entry(EXIT.disk, (d: { path: string; reason: string }) => `${d.path}: ${d.reason}`),
  busy: entry(EXIT.disk, (d: { path: string }) => `${d.path} is being changed by another process and did not come free; try again`),
  unknown_ref: entry(
    EXIT.notFound,
    (d: { given: string; looked: string }) =>
      `no commit ${quote(d.given)} in the repository of ${d.looked}. Expected the name of a branch, a tag or a commit that has been fetched. Example: "origin/relay"` +
      (d.given.includes("/") ? ". A remote has no home before the first `relay sync` of somebody who has it: run that first" : ""),
  ),
  unknown_range: entry(
    EXIT.notFound,
    (d: { given: string; looked: string }) =>
      `no commits ${quote(d.given)} in the repository of ${d.looked}. Expected a range of commits of the code, both ends of which have been fetched. Example: "origin/main..HEAD"`,
  ),
  no_home_in_commit: entry(
    EXIT.noHome,
    (d: { given: string; commit: string }) =>
      `${quote(d.given)} (${d.commit.slice(0, 12)}) has no home: expected "relay.yml" or ".relay/relay.yml" in its tree. Example: "origin/relay"`,
  ),
  file_differs: entry(
    EXIT.refused,
    (d: { path: string }) =>
      `${d.path} is there already and says something else; it was left as it is. Move it away to have it written anew, or take over by hand what is missing`,
  ),
  through_link: entry(
    EXIT.refused,
    (d: { path: string; link: string; target: string }) =>
      `${d.path} would be written through ${d.link === d.path ? "" : `${d.link}, `}a link to ${d.target}, and Relay writes no file of a project through a link: ` +
      "it may have come with the code and lead anywhere. Nothing was written. Replace the link by a file or folder of its own, or write by hand what `--dry-run` shows elsewhere",
  ),
  part_contradicted: entry(
    EXIT.refused,
    (d: { environment: string; worktree: string }) =>
      `RELAY_PART in the environment says that you are "${d.environment}", and this worktree is "${d.worktree}": one of them is left over from elsewhere, so nothing is done as either. ` +
      "Unset RELAY_PART (`unset RELAY_PART`, and start the agent again), name the part with --part, or make the worktree that part: `relay part here PART`",
  ),
  home_contradicted: entry(
    EXIT.refused,
    (d: { environment: string; folder: string; found: string }) =>
      `RELAY_HOME in the environment names ${d.environment}, and ${d.folder} belongs to ${d.found}: the variable is left over from elsewhere, so nothing is done in either. ` +
      "Unset it (`unset RELAY_HOME`, and start the agent again), or name the home that you mean with --home",
  ),
  tracked_settings: entry(
    EXIT.refused,
    (d: { path: string; agent: string }) =>
      `git tracks ${d.path}, so what it lets ${d.agent} do would be let on every machine that has the code. Nothing was written. ` +
      `Take it out of git first (\`git rm --cached -- ${pathWord(d.path)}\`, and commit), or set up without --allow`,
  ),
  tracked_state: entry(
    EXIT.refused,
    (d: { folder: string; home: string }) =>
      `the code tracks files of ${d.home}/outbox, local or run: what is one machine's own came with the code, so none of it is believed, ` +
      `and nothing is written here. See which (\`relay doctor\`); remove them in ${d.folder} with \`${removeTracked(d.home)}\`, and commit`,
  ),
  linked_home: entry(
    EXIT.refused,
    (d: { path: string; target: string }) =>
      `${d.path} is a link to ${d.target} that the code tracks: it came with the code, so it is not followed to another home. ` +
      `Remove it (\`git rm -- ${pathWord(d.path)}\`), or name the home that you mean with --home or RELAY_HOME`,
  ),
  no_pane: entry(EXIT.notFound, (d: { part: string | null }) =>
    d.part === "human"
      ? "human does not run in tmux: people look with `relay inbox --part human`, at all parts with `relay attach`"
      : `${d.part === null ? "nothing of this home runs" : `${d.part} does not run`} in tmux here. Start it: relay up --part ${d.part ?? "web"} -- claude. For a tmux server of another name say RELAY_TMUX_SOCKET=NAME before the command`,
  ),
  tmux_failed: entry(EXIT.failed, (d: { reason: string }) => `tmux: ${d.reason}`),
  git_failed: entry(EXIT.failed, (d: { command: string; reason: string }) =>
    d.reason.includes("spawn git ENOENT")
      ? "git was not found on the PATH. Install git 2.34 or newer, or put it on the PATH"
      : `${d.command} failed: ${d.reason}`,
  ),
  no_repository: entry(
    EXIT.refused,
    (d: { home: string; why: string }) =>
      `the home ${d.home} has no repository of its own: ${d.why}. It works as files, and cannot be recorded or shared by Relay`,
  ),
  unknown_commit: entry(EXIT.notFound, (d: { given: string; first?: string }) =>
    d.first === undefined
      ? `no record ${quote(d.given)} of the home. Expected a commit as \`relay log\` shows it, or a time such as 2026-01-31T09:30:00Z`
      : `no record of the home is as old as ${quote(d.given)}: the first was made at ${d.first}. Expected a later time, or a commit as \`relay log\` shows it`,
  ),
  past_is_fixed: entry(
    EXIT.refused,
    (d: { operation: string }) => `${d.operation} changes the home, and --at only looks at an earlier record of it. Leave --at out`,
  ),
  no_remote: entry(
    EXIT.noRemote,
    (d: { given: string | null; known: string[] }) =>
      `${d.given === null ? "the code's repository has no remote" : `the code's repository has no remote ${quote(d.given)}`}, so there is nothing to sync with.` +
      `${d.known.length === 0 ? "" : ` There are: ${d.known.join(", ")}.`} Add one (\`git remote add origin URL\`), or name one: \`relay sync --remote URL\`. What is here is recorded`,
  ),
  remote_unreachable: entry(
    EXIT.offline,
    (d: { remote: string; reason: string }) =>
      `${d.remote} cannot be reached: ${d.reason}. What is here is recorded, and work goes on; \`relay sync\` again when it can be`,
  ),
  remote_refused: entry(
    EXIT.remote,
    (d: { remote: string; reason: string }) => `${d.remote} refused what was sent: ${d.reason}. What is here is recorded; nothing was lost`,
  ),
  remote_rewritten: entry(
    EXIT.remote,
    (d: { remote: string; branch: string; was: string; is: string | null }) =>
      `somebody ${d.is === null ? "deleted" : "rewrote"} the branch ${d.branch} of ${d.remote}: it was at ${d.was.slice(0, 12)} when last seen, and ` +
      `${d.is === null ? "is gone" : `${d.is.slice(0, 12)} does not contain that`}. Nothing was changed, here or there. ` +
      (d.is === null
        ? "Ask who did it; to send what this clone has: `relay sync --accept both`"
        : "Ask who did it, and why. If it was on purpose, such as to take a secret out: `relay sync --accept theirs` makes this home what the " +
          "branch has now, and puts the rest into local/forgotten. If not: `relay sync --accept both` sends all that this clone has"),
  ),
  remote_changed: entry(
    EXIT.remote,
    (d: { remote: string; urls: string[]; other: string; other_urls: string[]; by: string }) =>
      `this copy of the project syncs with ${quote(d.remote)}${where(d.urls)}, and ${d.by === "git" ? `git now has for ${quote(d.other)}` : `${d.by === "local/remote" ? "this machine would now choose" : `${d.by} names`} ${quote(d.other)}`}` +
      `${d.other_urls.length === 0 ? (d.by === "git" ? " nothing" : " (no remote of the code)") : where(d.other_urls)}. Nothing was fetched or sent. ` +
      `${d.by === "git" ? "" : `To go on as before: \`relay sync --remote ${shellWord(d.remote)}\`. `}${d.other_urls.length === 0 ? "" : `To change, where a person wants that: \`relay sync --remote ${shellWord(d.other)}\``}`.trim(),
  ),
  remote_not_chosen: entry(
    EXIT.noRemote,
    (d: { remote: string; urls: string[] }) =>
      `nobody chose a remote on this machine yet, so nothing is published by itself. It would be ${quote(d.remote)}${where(d.urls)}: run \`relay sync\` once to choose it, or \`relay sync --remote NAME\``,
  ),
  insecure_remote: entry(
    EXIT.refused,
    (d: { remote: string; url: string }) =>
      `${d.remote} is reached by ${d.url}, and anybody on the way can read and change what goes there. Nothing was fetched or sent. ` +
      `Give it an https or ssh URL, or accept this one: \`relay sync --remote ${shellWord(d.remote)}\``,
  ),
  bad_remote: entry(
    EXIT.refused,
    (d: { given: string; problem: string }) =>
      `${quote(d.given)} is no address that Relay gives to git: ${d.problem}. Example: "https://example.com/team/shop.git"`,
  ),
  remote_damaged: entry(
    EXIT.remote,
    (d: { remote: string; ref: string; commit: string | null; object: string; fault: string; reason: string }) =>
      `${d.ref} of ${d.remote}${d.commit === null ? "" : ` (commit ${d.commit.slice(0, 12)})`} has an object that no git should take: ${d.object.slice(0, 12)}, ${d.fault}: ${d.reason}. ` +
      "Nothing was taken or sent; what is here is recorded. To put the last good commit back there, in a clone that has synced with it before: `relay sync --repair`",
  ),
  remote_too_large: entry(
    EXIT.remote,
    (d: { remote: string; bytes: number }) =>
      `${d.remote} had sent ${Math.round(d.bytes / 1_048_576)} MB when the fetch was ended: expected at most 512 MB, or four times what is here. ` +
      "Nothing was taken; what is here is recorded. Look at its branch with git itself before you go on",
  ),
  foreign_branch: entry(
    EXIT.refused,
    (d: { remote: string; branch: string }) =>
      `the branch ${d.branch} of ${d.remote} holds no home (it has no relay.yml), so it is left alone. Choose another for the home: \`relay init --branch NAME\``,
  ),
  interrupted: entry(EXIT.interrupted, (d: { state: string }) => `interrupted: ${d.state}`),
  login_needed: entry(
    EXIT.login,
    (d: { remote: string; reason: string }) =>
      `${d.remote} asks who you are, and Relay never waits on a prompt: ${d.reason}. Log in once with git itself (a credential helper, an ssh agent), then \`relay sync\` again`,
  ),
  internal: entry(EXIT.failed, (d: { reason: string }) => `this is a fault in Relay, not in what you did: ${d.reason}`),
};

/** A code of the catalogue. */
export type RefusalCode = keyof typeof REFUSALS;

/** What a code's sentence is made from. */
export type RefusalData<C extends RefusalCode> = Parameters<(typeof REFUSALS)[C]["say"]>[0];

/** An operation said no. `code`, `exit` and `data` come from the catalogue, `message` is its sentence. */
export class Refusal extends Error {
  readonly code: RefusalCode;
  readonly exit: number;
  readonly data: Record<string, unknown>;

  constructor(code: RefusalCode, data: Record<string, unknown>, message: string, exit: number) {
    super(message);
    this.name = "Refusal";
    this.code = code;
    this.data = data;
    this.exit = exit;
  }
}

/** Makes the refusal of a code from its data; the caller throws it. */
export function refuse<C extends RefusalCode>(code: C, data: RefusalData<C>): Refusal {
  const { say, exit } = REFUSALS[code] as { say: (data: RefusalData<C>) => string; exit: number };
  const whole = Object.entries(data as Record<string, unknown>).map(
    ([name, value]) => [name, ECHOED.has(name) ? clipped(value) : value] as const,
  );
  const tail = (list: readonly unknown[]): unknown[] =>
    list.every((each) => typeof each === "string") ? [...list.slice(0, LISTED), `and ${list.length - LISTED} more`] : [...list];
  const said = Object.fromEntries(whole.map(([name, value]) => [name, isLong(value) ? tail(value) : value]));
  const told = Object.fromEntries(
    whole.flatMap(([name, value]) => {
      if (!isLong(value)) return [[name, value]];
      return [
        [name, value.slice(0, LISTED)],
        [`${name}Count`, value.length],
      ];
    }),
  );
  return new Refusal(code, told, say(said as RefusalData<C>), exit);
}

/** Makes the refusal of a piece that fits several ids: a push can make any number of them. */
export const ambiguousId = (given: string, found: readonly string[]): Refusal =>
  refuse("ambiguous_id", { given, candidates: found.slice(0, CANDIDATES), count: found.length });
const CANDIDATES = 5;

/** So many entries of a list are said and given: what others wrote may be any number. */
const LISTED = 50;
const isLong = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > LISTED;

/** What of a refusal's data is said back to whoever gave it. */
const ECHOED: ReadonlySet<string> = new Set(["given", "missing", "argument"]);
const ECHO = 256;

/** The beginning of a text that is too long to be said back, alone or in a list. */
function clipped(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(clipped);
  if (typeof value !== "string" || value.length <= ECHO) return value;
  return `${value.slice(0, ECHO).toWellFormed()}… (${value.length} characters)`;
}

/** The flat reply of a failure, as every surface prints it. spec/commands.md, "Replies". */
export interface FailureReply {
  success: false;
  error: string;
  code: RefusalCode;
  [detail: string]: unknown;
}

/** Turns a refusal into its flat reply: the catalogue's data beside `success`, `error` and `code`. */
export function failureReply(refusal: Refusal): FailureReply {
  return { success: false, error: refusal.message, code: refusal.code, ...refusal.data };
}
