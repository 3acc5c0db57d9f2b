/** One task: who holds it, what it waits for and what waits for it, its text and its history. */
import { useState } from "preact/hooks";
import { Key, Origin, Refused } from "../../part/bits.tsx";
import { Icon } from "../../part/icon.tsx";
import { isOver, LeaseBar } from "../../part/lease.tsx";
import { Markdown } from "../../part/markdown.tsx";
import { COLUMNS, PriorityBars, statusWords, type TaskRow } from "../../part/task-parts.tsx";
import { about } from "../../state/about.ts";
import { useOffered } from "../../state/offered.ts";
import { addressOf } from "../../state/route.ts";
import { write } from "../../state/server.ts";
import { shortTime } from "../../state/time.ts";
import { useAct } from "../../state/use-act.ts";
import { useAnswer } from "../../state/use-answer.ts";
import { TaskEdit } from "./task-edit.tsx";

type Status = (typeof COLUMNS)[number][0];

export function Task({ id, tasks, done }: { id: string; tasks: readonly TaskRow[]; done: () => void }) {
  const { data, failure, again } = useAnswer("show_task", { task_id: id });
  const [assignee, setAssignee] = useState("");
  const [isEditing, setEditing] = useState(false);
  const act = useAct();
  useOffered(about.value.readOnly ? "" : "e m a");
  const change = async (what: { status?: Status; assignee?: string }): Promise<void> => {
    if (!(await act.run(() => write("update_task", { task_id: id, ...what })))) return;
    setAssignee("");
    again();
    done();
  };
  const takeOver = async (): Promise<void> => {
    if (!(await act.run(() => write("claim_task", { task_id: id })))) return;
    again();
    done();
  };
  const task = data?.task;
  const waiting = tasks.filter(({ depends_on }) => depends_on.includes(id));
  return (
    <aside class="pane" aria-label="Task">
      <div class="sec tall">
        <h2 class="whole">{task?.title ?? id}</h2>
        <span class="grow" />
        {task !== undefined && !about.value.readOnly && (
          <button type="button" class="btn small" data-key="e" aria-expanded={isEditing} onClick={() => setEditing(!isEditing)}>
            Edit <Key>e</Key>
          </button>
        )}
        <a class="btn quiet icon" href={addressOf("board")} aria-label="Close the task">
          <Icon name="close" small />
        </a>
      </div>
      <Refused why={failure?.error} />
      {data !== undefined && task !== undefined && (
        <>
          {isEditing && (
            <TaskEdit
              task={task}
              done={() => {
                setEditing(false);
                again();
                done();
              }}
              close={() => setEditing(false)}
            />
          )}
          <dl class="kv">
            <dt>Id</dt>
            <dd class="id">{id}</dd>
            <dt>Priority</dt>
            <dd class="row">
              <PriorityBars priority={task.priority} /> {task.priority}
            </dd>
            <dt>For</dt>
            <dd>{task.assignee ?? "whoever claims it"}</dd>
            <dt>Made by</dt>
            <dd class="row">
              {task.created_by} <Origin origin={data.origin} />
            </dd>
            {data.claim !== null && (
              <>
                <dt>Held by</dt>
                <dd>
                  <LeaseBar claim={data.claim} />
                  {isOver(data.claim) && task.status !== "done" && !about.value.readOnly && (
                    <button type="button" class="btn small" aria-disabled={act.isBusy} onClick={() => void takeOver()}>
                      Take over
                    </button>
                  )}
                </dd>
              </>
            )}
            <Related words="Waits for" tasks={tasks.filter((each) => task.depends_on.includes(each.id))} />
            <Related words="Blocks" tasks={waiting} />
          </dl>
          {!about.value.readOnly && (
            <div class="acts">
              <fieldset class="seg" aria-label="Status">
                {COLUMNS.map(([status, words], at) => (
                  <button
                    key={status}
                    type="button"
                    data-focus-key={at === 0 ? "m" : undefined}
                    aria-pressed={task.status === status}
                    aria-disabled={act.isBusy}
                    onClick={() => void change({ status })}
                  >
                    {words}
                  </button>
                ))}
              </fieldset>
              <form
                class="row"
                onSubmit={(event) => {
                  event.preventDefault();
                  if (assignee !== "") void change({ assignee });
                }}
              >
                <input
                  class="line"
                  data-focus-key="a"
                  aria-label="Assign to"
                  placeholder="Assign to"
                  value={assignee}
                  onInput={(event) => setAssignee(event.currentTarget.value)}
                />
                <button type="submit" class="btn small" aria-disabled={act.isBusy} disabled={assignee === ""}>
                  Assign
                </button>
              </form>
              <Refused why={act.why} />
            </div>
          )}
          {!isEditing && task.description != null && task.description !== "" && (
            <div class="text">
              <Markdown text={task.description} />
            </div>
          )}
          <div class="sec gap">
            <h2>History</h2>
          </div>
          <ul>
            {[...data.history].reverse().map((entry) => (
              <HistoryRow key={entry} entry={entry} />
            ))}
          </ul>
        </>
      )}
    </aside>
  );
}

const Related = ({ words, tasks }: { words: string; tasks: readonly TaskRow[] }) =>
  tasks.length === 0 ? null : (
    <>
      <dt>{words}</dt>
      <dd>
        {tasks.map(({ id, title, status }) => (
          <a key={id} class="block lnk" href={addressOf("board", id)}>
            {title} <span class="t3">{statusWords(status)}</span>
          </a>
        ))}
      </dd>
    </>
  );

/** An entry of a history begins with its instant. */
function HistoryRow({ entry }: { entry: string }) {
  const [at = "", ...words] = entry.split(" ");
  const atMs = Date.parse(at);
  return (
    <li class="chg">
      <span class="sm t3" title={at}>
        {Number.isNaN(atMs) ? "" : shortTime(atMs)}
      </span>
      <span class="sm">{Number.isNaN(atMs) ? entry : words.join(" ")}</span>
    </li>
  );
}
