/** The words of a task, its priority, whom it is for and what it waits for: of a new one, or of one that is there, to be changed. */
import { useState } from "preact/hooks";
import { Button, Refused } from "../../part/bits.tsx";
import { BoxForm, LineField } from "../../part/box-form.tsx";
import { DraftField, useDraft } from "../../part/draft-field.tsx";
import { Pick } from "../../part/pick.tsx";
import { ofSession, PRIORITIES, type Priority, type TaskRow } from "../../part/task-parts.tsx";
import { forgetKey, keyFor } from "../../state/once.ts";
import { addressOf, go } from "../../state/route.ts";
import { type AnswerOf, write } from "../../state/server.ts";
import { say, useAct } from "../../state/use-act.ts";
import { useFirstField } from "../../state/use-first-field.ts";

/** So many tasks can be chosen from, the first of the board. */
const OFFERED = 200;

interface FormProps {
  /** The one to be changed; undefined makes a new one. */
  task?: AnswerOf<"show_task">["task"];
  tasks: readonly TaskRow[];
  parts: readonly string[];
  /** The session that was chosen; empty for the current one, and null where none is open: the first task starts one. */
  session: string | null;
  done: () => void;
  close: () => void;
}

/** What is in the fields. */
interface Words {
  title: string;
  description: string;
  priority: Priority;
  assignee: string;
  depends_on: string[];
}

/** What a person wrote, and what the task was when they began: where it is another one by now, somebody else changed it. */
interface Draft {
  before: Words;
  now: Words;
}

const wordsOf = (task: FormProps["task"]): Words => ({
  title: task?.title ?? "",
  description: task?.description ?? "",
  priority: (task?.priority ?? "medium") as Priority,
  assignee: task?.assignee ?? "",
  depends_on: task?.depends_on ?? [],
});

/** What is kept of a form; undefined where nothing is. */
function draftIn(kept: string): Draft | undefined {
  try {
    return JSON.parse(kept) as Draft;
  } catch {
    return undefined;
  }
}

/** Those words that differ from others. */
const changedIn = (now: Words, before: Words): Partial<Words> =>
  Object.fromEntries(Object.entries(now).filter(([name, value]) => String(value) !== String(before[name as keyof Words])));

export function TaskForm({ task, tasks, parts, session, done, close }: FormProps) {
  const form = task === undefined ? "task" : `edit ${task.id}`;
  const at = task === undefined ? "new" : "edit";
  const [kept, change] = useDraft(form);
  const [began] = useState(wordsOf(task));
  const { before, now } = draftIn(kept) ?? { before: began, now: began };
  const set = (edit: Partial<Words>): void => change(JSON.stringify({ before, now: { ...now, ...edit } }));
  const act = useAct();
  const first = useFirstField(task === undefined ? "c" : "e");
  const edit = changedIn(now, before);
  const isOvertaken = Object.keys(changedIn(wordsOf(task), before)).length > 0;
  const isEmpty = Object.keys(edit).length === 0 || now.title.trim() === "";
  const of = ofSession(session);
  const save = async (): Promise<void> => {
    if (isEmpty) return;
    let id = task?.id ?? "";
    const isDone = await act.run(async () => {
      if (task !== undefined) return write("update_task", { task_id: id, ...of, ...edit });
      const started = session === null ? await write("start_session", {}) : undefined;
      if (started?.failure !== undefined) return started;
      const made = await write("create_task", { ...edit, ...of, title: now.title, idempotency_key: keyFor(form, edit) });
      id = made.data?.task_id ?? "";
      return made;
    });
    if (!isDone) return;
    const takeBack = Object.fromEntries(Object.keys(edit).map((name) => [name, before[name as keyof Words]]));
    const isFree = edit.assignee !== undefined && before.assignee === "";
    const undo = task === undefined || isFree ? undefined : () => write("update_task", { task_id: id, ...of, ...takeBack });
    say(`The task “${now.title}” was ${task === undefined ? "made" : "changed"}.`, addressOf("board", id), undo);
    if (task === undefined) go("board", id);
    forgetKey(form);
    change("");
    done();
  };
  const titleOf = (id: string): string => tasks.find((each) => each.id === id)?.title ?? id;
  const free = tasks.filter(({ id }) => id !== task?.id && !now.depends_on.includes(id)).slice(0, OFFERED);
  return (
    <BoxForm
      label={task === undefined ? "New task" : "Edit the task"}
      verb={task === undefined ? "Create" : "Save"}
      act={act}
      isEmpty={isEmpty}
      send={() => void save()}
      close={close}
      changed={() => forgetKey(form)}
      beside={
        kept !== "" && (
          <Button kind="quiet" run={() => change("")}>
            Drop the draft
          </Button>
        )
      }
    >
      <LineField id={`${at}-title`} label="Title" first={first} text={now.title} change={(title) => set({ title })} />
      <DraftField
        id={`${at}-text`}
        label="Description"
        text={now.description}
        change={(description) => set({ description })}
        send={() => void save()}
        placeholder="What is to be done, in Markdown"
      />
      <label for={`${at}-assignee`}>For</label>
      <Pick
        id={`${at}-assignee`}
        any={before.assignee === "" ? "whoever takes it" : undefined}
        value={now.assignee}
        choices={before.assignee === "" ? parts : [before.assignee, ...parts]}
        pick={(assignee) => set({ assignee })}
      />
      <label for={`${at}-priority`}>Priority</label>
      <Pick id={`${at}-priority`} value={now.priority} choices={PRIORITIES} pick={(priority) => set({ priority: priority as Priority })} />
      {free.length + now.depends_on.length > 0 && (
        <>
          <label for={`${at}-waits`}>Waits for</label>
          <span class="row wrap">
            {now.depends_on.map((id) => (
              <Button
                key={id}
                aria-label={`It does not wait for ${titleOf(id)}`}
                run={() => set({ depends_on: now.depends_on.filter((each) => each !== id) })}
              >
                <span class="cut">{titleOf(id)}</span> ×
              </Button>
            ))}
            <Pick
              id={`${at}-waits`}
              value=""
              any={now.depends_on.length === 0 ? "nothing" : "also …"}
              choices={free.map(({ id, title }) => [id, title] as const)}
              pick={(id) => set({ depends_on: [...now.depends_on, id] })}
            />
          </span>
        </>
      )}
      <Refused why={isOvertaken ? "Somebody changed this task since you began. Saving replaces their text with yours." : undefined} />
    </BoxForm>
  );
}
