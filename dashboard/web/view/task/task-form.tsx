/** A new task. */
import { useState } from "preact/hooks";
import { Key, Refused } from "../../part/bits.tsx";
import { useDraft } from "../../part/draft-field.tsx";
import { type Priority, PriorityPick, type TaskRow } from "../../part/task-parts.tsx";
import { forgetKey, keyFor } from "../../state/once.ts";
import { addressOf, go } from "../../state/route.ts";
import { write } from "../../state/server.ts";
import { say, useAct } from "../../state/use-act.ts";
import { useFirstField } from "../../state/use-first-field.ts";
import { TaskWords } from "./task-words.tsx";

/** So many tasks can be chosen from, the first of the board. */
const OFFERED = 200;
const titleOf = (tasks: readonly TaskRow[], id: string): string => tasks.find((task) => task.id === id)?.title ?? id;

interface FormProps {
  tasks: readonly TaskRow[];
  /** Whether a session is open; without one, the first task starts one. */
  hasSession: boolean;
  done: () => void;
  close: () => void;
}

export function TaskForm({ tasks, hasSession, done, close }: FormProps) {
  const [waitsFor, setWaitsFor] = useState<readonly string[]>([]);
  const [title, changeTitle, dropTitle] = useDraft("task title");
  const [description, changeDescription, dropDescription] = useDraft("task description");
  const [assignee, setAssignee] = useState("");
  const [priority, setPriority] = useState<Priority>("medium");
  const act = useAct();
  const first = useFirstField("c");
  const make = async (): Promise<void> => {
    let id = "";
    const isMade = await act.run(async () => {
      const started = hasSession ? undefined : await write("start_session", {});
      if (started?.failure !== undefined) return started;
      const given = {
        title,
        priority,
        ...(description === "" ? {} : { description }),
        ...(assignee === "" ? {} : { assignee }),
        ...(waitsFor.length === 0 ? {} : { depends_on: [...waitsFor] }),
      };
      const made = await write("create_task", { ...given, idempotency_key: keyFor("task", given) });
      id = made.data?.task_id ?? "";
      return made;
    });
    if (!isMade) return;
    say(`The task “${title}” was made.`, addressOf("board", id));
    go("board", id);
    forgetKey("task");
    dropTitle(title);
    dropDescription(description);
    done();
  };
  return (
    <form
      class="box send"
      aria-label="New task"
      onInput={() => forgetKey("task")}
      onSubmit={(event) => {
        event.preventDefault();
        void make();
      }}
    >
      <TaskWords
        id="task"
        first={first}
        title={title}
        changeTitle={changeTitle}
        text={description}
        changeText={changeDescription}
        send={() => void make()}
      />
      <label for="task-assignee">For</label>
      <input
        id="task-assignee"
        class="line"
        placeholder="whoever claims it"
        value={assignee}
        onInput={(event) => setAssignee(event.currentTarget.value)}
      />
      <PriorityPick id="task-priority" value={priority} pick={setPriority} />
      {tasks.length > 0 && (
        <>
          <label for="task-waits">Waits for</label>
          <span class="row wrap">
            {waitsFor.map((id) => (
              <button
                key={id}
                type="button"
                class="btn small"
                aria-label={`It does not wait for ${titleOf(tasks, id)}`}
                onClick={() => setWaitsFor(waitsFor.filter((each) => each !== id))}
              >
                <span class="cut">{titleOf(tasks, id)}</span> ×
              </button>
            ))}
            <select
              id="task-waits"
              class="pick"
              value=""
              onChange={({ currentTarget: field }) => {
                setWaitsFor([...waitsFor, field.value]);
                field.value = "";
              }}
            >
              <option value="">{waitsFor.length === 0 ? "nothing" : "also …"}</option>
              {tasks
                .filter(({ id }) => !waitsFor.includes(id))
                .slice(0, OFFERED)
                .map(({ id, title: each }) => (
                  <option key={id} value={id}>
                    {each}
                  </option>
                ))}
            </select>
          </span>
        </>
      )}
      <Refused why={act.why} />
      <div class="row">
        <button type="submit" class="btn primary" aria-disabled={act.isBusy} disabled={title.trim() === ""}>
          Create <Key>Ctrl</Key> <Key>↵</Key>
        </button>
        <button type="button" class="btn" data-escape onClick={close}>
          Cancel <Key>Esc</Key>
        </button>
      </div>
    </form>
  );
}
