/** The title, the description and the priority of a task, to be changed. */
import { useState } from "preact/hooks";
import { Key, Refused } from "../../part/bits.tsx";
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

export function TaskEdit({ task, done, close }: EditProps) {
  // What the reader began with: where the task is another one by now, somebody else changed it.
  const [before] = useState(task);
  const [title, setTitle] = useState(before.title);
  const [text, setText] = useState(before.description ?? "");
  const [priority, setPriority] = useState(before.priority as Priority);
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
    if (await act.run(() => write("update_task", { task_id: task.id, ...edit }))) done();
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
      <TaskWords id="edit" first={first} title={title} changeTitle={setTitle} text={text} changeText={setText} send={() => void save()} />
      <PriorityPick id="edit-priority" value={priority} pick={setPriority} />
      <Refused why={isOvertaken ? "Somebody changed this task since you began. Saving replaces their text with yours." : undefined} />
      <Refused why={act.why} />
      <div class="row">
        <button type="submit" class="btn primary" aria-disabled={act.isBusy} disabled={isSame || title.trim() === ""}>
          Save <Key>Ctrl</Key> <Key>↵</Key>
        </button>
        <button type="button" class="btn" data-escape onClick={close}>
          Cancel <Key>Esc</Key>
        </button>
      </div>
    </form>
  );
}
