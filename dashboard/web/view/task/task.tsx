/** One task: who holds it, what it waits for and what waits for it, its text and its history. */
import { useState } from "preact/hooks";
import { Button, Origin, Refused } from "../../part/bits.tsx";
import { BoxForm, LineField } from "../../part/box-form.tsx";
import { Icon } from "../../part/icon.tsx";
import { isOver, LeaseBar } from "../../part/lease.tsx";
import { Markdown } from "../../part/markdown.tsx";
import { Pick } from "../../part/pick.tsx";
import { Segments } from "../../part/segments.tsx";
import { COLUMNS, type Column, ofSession, PriorityBars, statusWords, type TaskRow } from "../../part/task-parts.tsx";
import { about } from "../../state/about.ts";
import { useOffered } from "../../state/offered.ts";
import { addressOf } from "../../state/route.ts";
import { type Reply, write } from "../../state/server.ts";
import { shortTime } from "../../state/time.ts";
import { type Act, say, useAct } from "../../state/use-act.ts";
import { useAnswer } from "../../state/use-answer.ts";
import { useFirstField } from "../../state/use-first-field.ts";
import { TaskForm } from "./task-form.tsx";

interface TaskProps {
  id: string;
  tasks: readonly TaskRow[];
  parts: readonly string[];
  /** The session that was chosen; empty for the current one. */
  session: string;
  done: () => void;
}

/** What moves a task out of the columns, with a reason. */
const OUT = { blocked: "Block", canceled: "Cancel the task" } as const;
type Out = keyof typeof OUT;
type Status = Column | Out;

/** Moves a task, and says so. @param why of one that is blocked or canceled */
export async function moveTask(
  { id, title, status: before, blocked_reason: reason }: TaskRow,
  session: string,
  status: Status,
  why?: string,
): Promise<Reply<unknown>> {
  const move = (to: Status, because: string | undefined) =>
    write("update_task", { task_id: id, ...ofSession(session), status: to, ...(because === undefined ? {} : { reason: because }) });
  const reply = await move(status, why);
  if (reply.failure === undefined)
    say(`“${title}” is ${statusWords(status)} now.`, addressOf("board", id), () => move(before as Status, reason));
  return reply;
}

export function Task({ id, tasks, parts, session, done }: TaskProps) {
  const of = { task_id: id, ...ofSession(session) };
  const { data, failure, again } = useAnswer("show_task", of);
  const [isEditing, setEditing] = useState(false);
  const [asking, ask] = useState<Out | null>(null);
  const act = useAct();
  const { readOnly, part: you } = about.value;
  useOffered(readOnly ? "" : "e m a");
  const task = data?.task;
  const here = addressOf("board", id);
  const run = async (one: () => Promise<Reply<unknown>>): Promise<boolean> => {
    const isDone = await act.run(one);
    if (isDone) for (const look of [again, done]) look();
    return isDone;
  };
  const move = async (status: Status, why?: string) => task !== undefined && run(() => moveTask(task, session, status, why));
  const assign = (assignee: string) =>
    run(async () => {
      const before = task?.assignee;
      const reply = await write("update_task", { ...of, assignee });
      const undo = before == null ? undefined : () => write("update_task", { ...of, assignee: before });
      if (reply.failure === undefined) say(`The task is for ${assignee} now.`, here, undo);
      return reply;
    });
  const takeOver = () =>
    run(async () => {
      const { data: claim, failure: refused } = await write("claim_task", of);
      if (claim === undefined || !claim.claimed) return { failure: refused ?? { status: 409, error: claim?.reason ?? "" } };
      say("You have the task now.", here, () => write("release_task", of));
      return { data: claim };
    });
  return (
    <aside class="pane" aria-label="Task">
      <div class="sec tall">
        <h2 class="whole">{task?.title ?? id}</h2>
        <span class="grow" />
        {task !== undefined && !readOnly && (
          <Button letter="e" aria-expanded={isEditing} run={() => setEditing(!isEditing)}>
            Edit
          </Button>
        )}
        <a class="btn quiet icon" href={addressOf("board")} aria-label="Close the task">
          <Icon name="close" small />
        </a>
      </div>
      <Refused why={failure?.error} />
      {data !== undefined && task !== undefined && (
        <>
          {isEditing ? (
            <TaskForm
              task={task}
              tasks={tasks}
              parts={parts}
              session={session}
              done={() => {
                setEditing(false);
                again();
                done();
              }}
              close={() => setEditing(false)}
            />
          ) : (
            <>
              <dl class="kv">
                <dt>Id</dt>
                <dd class="id">{id}</dd>
                <dt>Priority</dt>
                <dd class="row">
                  <PriorityBars priority={task.priority} /> {task.priority}
                </dd>
                {task.status === "blocked" && (
                  <>
                    <dt>Blocked</dt>
                    <dd>{task.blocked_reason ?? "it does not say why"}</dd>
                  </>
                )}
                <dt>For</dt>
                <dd>{task.assignee ?? "whoever takes it"}</dd>
                <dt>Made by</dt>
                <dd class="row">
                  {task.created_by} <Origin origin={data.origin} />
                </dd>
                {data.claim !== null && (
                  <>
                    <dt>Held by</dt>
                    <dd>
                      <LeaseBar claim={data.claim} />
                      {isOver(data.claim) && task.status !== "done" && !readOnly && (
                        <Button act={act} run={() => void takeOver()}>
                          Take over
                        </Button>
                      )}
                    </dd>
                  </>
                )}
                <Related words="Waits for" tasks={tasks.filter((each) => task.depends_on.includes(each.id))} />
                <Related words="Blocks" tasks={tasks.filter(({ depends_on }) => depends_on.includes(id))} />
              </dl>
              {!readOnly && (
                <div class="acts">
                  <Segments
                    label="Status"
                    focusKey="m"
                    value={task.status}
                    choices={COLUMNS as Readonly<Record<string, string>>}
                    pick={(status) => status !== task.status && void move(status as Column)}
                  />
                  <span class="row wrap">
                    <Pick
                      label="Assign to"
                      focusKey="a"
                      value=""
                      any="Assign to …"
                      choices={[...new Set([you, ...parts])].filter((each) => each !== task.assignee)}
                      pick={(assignee) => assignee !== "" && void assign(assignee)}
                    />
                    {(Object.keys(OUT) as Out[]).map(
                      (out) =>
                        task.status !== out && (
                          <Button key={out} aria-expanded={asking === out} run={() => ask(asking === out ? null : out)}>
                            {OUT[out]}
                          </Button>
                        ),
                    )}
                  </span>
                  <Refused why={asking === null ? act.why : undefined} />
                </div>
              )}
              {asking !== null && (
                <ReasonForm key={asking} out={asking} act={act} tell={(why) => move(asking, why)} close={() => ask(null)} />
              )}
              {task.description != null && task.description !== "" && (
                <div class="text">
                  <Markdown text={task.description} />
                </div>
              )}
            </>
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

/** Why a task is blocked, or canceled, which needs no reason. */
function ReasonForm({ out, act, tell, close }: { out: Out; act: Act; tell: (why?: string) => Promise<boolean>; close: () => void }) {
  const [why, setWhy] = useState("");
  const isEmpty = out === "blocked" && why.trim() === "";
  const send = async () => (await tell(why.trim() || undefined)) && close();
  return (
    <BoxForm label={OUT[out]} verb={OUT[out]} act={act} isEmpty={isEmpty} send={send} close={close}>
      <LineField id="why" label="Reason" first={useFirstField("")} text={why} change={setWhy} />
    </BoxForm>
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
        {shortTime(atMs)}
      </span>
      <span class="sm">{Number.isNaN(atMs) ? entry : words.join(" ").replace(/\bin_(progress|review)\b/g, "in $1")}</span>
    </li>
  );
}
