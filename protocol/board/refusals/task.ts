/** Refusals about tasks, their claims and their hooks. Most exact words are those of the relay plugin's tools. */
import { placeWords } from "../../core/format/shell-word.ts";
import { EXIT, entry, nearestHint, quote, quoteAll } from "../../core/refusals/entry.ts";

/** A sentence of the plugin, without the period that it may have. */
const begun = (words: string): string => words.replace(/\.+$/, "");

/** Code → the exit code of a refusal, and its sentence by its data. */
export const TASK_REFUSALS = {
  unknown_task: entry(
    EXIT.notFound,
    (d: { given: string; session_id?: string; nearest?: string[] }, { on }) =>
      d.session_id === undefined
        ? `no task ${quote(d.given)}.${nearestHint(d.nearest ?? [])} ${on("`get_all_tasks`", "`relay task list`")} lists them.`
        : `task ${quote(d.given)} is a task of session ${d.session_id}, which is not the session that is open now. Name it: ${on(
            `session_id = ${quote(d.session_id)}`,
            `add \`--session ${placeWords([d.session_id])}\` to the command`,
          )}.`,
    () => "task not found",
  ),
  unknown_dependencies: entry(
    EXIT.notFound,
    (d: { missing: string[] }, { on, argument }) =>
      `${argument("depends_on")}: no task ${quoteAll(d.missing)}. ${on("`get_all_tasks`", "`relay task list`")} lists them.`,
    (d) => `depends_on contains unknown task IDs: ${d.missing.map((id) => (id.trim() === "" ? quote(id) : id)).join(", ")}`,
  ),
  unknown_parent_task: entry(
    EXIT.notFound,
    (d: { given: string }, { on, argument }) =>
      `${argument("parent_task_id")}: no task ${quote(d.given)}. ${on("`get_all_tasks`", "`relay task list`")} lists them.`,
    () => "parent task not found",
  ),
  derived_too_deep: entry(
    EXIT.refused,
    (d: { most: number }, { argument }) =>
      `a derived task can be at most ${d.most} deep, and the parent is derived itself. Name the parent's own parent, or leave ${argument("parent_task_id")} out.`,
    (d) => `max derived task depth exceeded (${d.most})`,
  ),
  too_many_derived: entry(
    EXIT.refused,
    (d: { most: number }, { argument }) =>
      `the parent has ${d.most} derived tasks, the most that it may. Leave ${argument("parent_task_id")} out to make a task of its own.`,
    (d) => `max derived siblings exceeded (${d.most})`,
  ),
  nothing_to_update: entry(
    EXIT.usage,
    (_d: { known: string[] }, { on, example }) =>
      `no change was given: expected a status, an assignee, a title, a description or a priority. ${on('Example: status = "done".', `Example: \`${example ?? "relay task update ID done"}\`.`)}`,
    () => "No valid fields to update",
  ),
  not_your_task: entry(
    EXIT.refused,
    (d: { assignee: string | null; createdBy: string; status?: string | undefined; take?: string }, { on }) =>
      d.status === "done"
        ? `the task is done, and only ${[...new Set([d.assignee ?? d.createdBy, d.createdBy])].join(" and ")} can open it again. Ask ${d.assignee ?? d.createdBy} to do it.`
        : `${d.assignee === null ? "" : `${d.assignee} has it now, and `}${d.createdBy} made it, and only they can change it. Ask ${d.assignee ?? d.createdBy} to do it${d.take === undefined ? "" : `, or take it, with a reason: ${on(`\`release_task\` of ${d.take} with \`reason\``, `\`relay task release ${placeWords([d.take])} --reason "it stands still"\``)}`}.`,
    () => "permission denied: not the task assignee or creator",
  ),
  stale_fence: entry(EXIT.refused, (d: { given: number; fence: number; holder: string | null; done?: boolean }, { on }) =>
    d.done === true
      ? `the task is done, which ended the claim with fence ${d.given}: the task's fence is ${d.fence} now. Nothing was written. To work on it again, claim it: ${on("`claim_task`", "`relay task claim`")}.`
      : `${d.given === d.fence ? `the claim with fence ${d.given} is not yours` : `the claim with fence ${d.given} is over: the task's fence is ${d.fence} now`}` +
        `${d.holder === null ? "" : `, held by ${quote(d.holder)}`}. Nothing was written. Stop work on the task, or claim it again with ${on("`claim_task`", "`relay task claim`")}.`,
  ),
  unmet_dependencies: entry(
    EXIT.refused,
    (d: { unmet: string[] }) => `the task depends on work that is not done: ${d.unmet.join(", ")}. Finish that first.`,
    (d) => `Unmet dependencies: ${d.unmet.join(", ")}`,
  ),
  claims_full: entry(
    EXIT.refused,
    (d: { task_id: string; fence: number }, { on }) =>
      `${d.task_id} has a claim with the highest possible number, ${d.fence}, so nothing was written. ` +
      `Make another task for the work with ${on("`create_task`", "`relay task create`")}.`,
  ),
  not_claimed: entry(
    EXIT.refused,
    (d: { reason: string }, { on }) =>
      `${begun(d.reason)}. ${on("`get_all_tasks` with ready = true", "`relay task list --ready`")} lists the tasks that can be started.`,
    (d) => d.reason,
  ),
  hook_failed: entry(
    EXIT.refused,
    (d: { hook: string; exitCode: number | null; output: string; hook_failed: true; waits?: boolean }, { on }) =>
      `the ${d.hook} hook failed (${d.exitCode === null ? "it took too long" : `exit ${d.exitCode}`})${d.waits === true ? ", so the task is in_review now" : ""}. ` +
      on(
        "Fix what it found, then update the task to done again.",
        "Fix what it found, then set the task to done again. Its output stands below.",
      ),
    (d) => `${d.hook} hook failed (exit ${d.exitCode ?? "timeout"}): ${d.output.trim() === "" ? "it printed nothing" : d.output}`,
  ),
};
