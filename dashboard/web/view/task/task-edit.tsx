/** The title, the description and the priority of a task, to be changed. */
import { useState } from "preact/hooks";
import { Key, Refused } from "../../part/bits.tsx";
import { useDraft } from "../../part/draft-field.tsx";
import { type Priority, PriorityPick } from "../../part/task-parts.tsx";
import { type AnswerOf, write } from "../../state/server.ts";
import { useAct } from "../../state/use-act.ts";
import { useFirstField } from "../../state/use-first-field.ts";
import { TaskWords } from "./task-words.tsx";

type Whole = AnswerOf<"show_task">["task"];

interface EditProps {
  task: Whole;
  done: () => void;
  close: () => void;
}

/** What a person wrote, and what the task was when they began: where it is another one by now, somebody else changed it. */
interface Draft {
  before: Pick<Whole, "title" | "description" | "priority">;
  title: string;
  text: string;
  priority: Priority;
}

/** What is kept of an edit; undefined where nothing is. */
function draftIn(kept: string): Draft | undefined {
  try {
    return JSON.parse(kept) as Draft;
  } catch {
    return undefined;
  }
}

export function TaskEdit({ task, done, close }: EditProps) {
  const [kept, change] = useDraft(`edit ${task.id}`);
  const [{ title: firstTitle, description, priority: firstPriority }] = useState(task);
  const draft: Draft = draftIn(kept) ?? {
    before: { title: firstTitle, description, priority: firstPriority },
    title: firstTitle,
    text: description ?? "",
    priority: firstPriority as Priority,
  };
  const { before, title, text, priority } = draft;
  const set = (edit: Partial<Draft>): void => change(JSON.stringify({ ...draft, ...edit }));
  const act = useAct();
  const first = useFirstField("e");
  const isOvertaken = task.title !== before.title || task.description !== before.description || task.priority !== before.priority;
  const edit = {
    ...(title === before.title ? {} : { title }),
    ...(text === (before.description ?? "") ? {} : { description: text }),
    ...(priority === before.priority ? {} : { priority }),
  };
  const isSame = Object.keys(edit).length === 0;
  const save = async (): Promise<void> => {
    if (isSame || title.trim() === "") return;
    if (!(await act.run(() => write("update_task", { task_id: task.id, ...edit })))) return;
    change("");
    done();
  };
  return (
    <form
      class="box send"
      aria-label="Edit the task"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <TaskWords
        id="edit"
        first={first}
        title={title}
        changeTitle={(next) => set({ title: next })}
        text={text}
        changeText={(next) => set({ text: next })}
        send={() => void save()}
      />
      <PriorityPick id="edit-priority" value={priority} pick={(next) => set({ priority: next })} />
      <Refused why={isOvertaken ? "Somebody changed this task since you began. Saving replaces their text with yours." : undefined} />
      <Refused why={act.why} />
      <div class="row">
        <button type="submit" class="btn primary" aria-disabled={act.isBusy} disabled={isSame || title.trim() === ""}>
          Save <Key>Ctrl</Key> <Key>↵</Key>
        </button>
        <button type="button" class="btn" data-escape onClick={close}>
          Cancel <Key>Esc</Key>
        </button>
        {kept !== "" && (
          <button type="button" class="btn quiet" onClick={() => change("")}>
            Drop the draft
          </button>
        )}
      </div>
    </form>
  );
}
