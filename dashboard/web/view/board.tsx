/** The board of a session: a column for each status. */
import { useRef, useState } from "preact/hooks";
import { Avatar, Chip, Command, Empty, Key, Origin, Refused } from "../part/bits.tsx";
import { Icon } from "../part/icon.tsx";
import { LeaseBar } from "../part/lease.tsx";
import { Segments } from "../part/segments.tsx";
import { COLUMNS, columnOf, PRIORITIES, PriorityBars, shortId, type TaskRow } from "../part/task-parts.tsx";
import { NotInFile } from "../record/not-in-file.tsx";
import { about } from "../state/about.ts";
import { useOffered } from "../state/offered.ts";
import { addressOf, route } from "../state/route.ts";
import { useAnswer } from "../state/use-answer.ts";
import { Task } from "./task/task.tsx";
import { TaskForm } from "./task/task-form.tsx";
import { TaskGraph } from "./task/task-graph.tsx";

/** So many cards of a column are shown, and as many more each time that somebody asks; a board of thousands stays quick. */
const SHOWN = 40;

export function Board() {
  const { chosen } = route.value;
  const [isMaking, setMaking] = useState(false);
  const [shape, setShape] = useState<"columns" | "graph">("columns");
  const [column, setColumn] = useState<string>("todo");
  const [filter, setFilter] = useState({ part: "", priority: "" });
  const [session, setSession] = useState("");
  const sessions = useAnswer("list_sessions", {}).data?.details ?? [];
  const { data, failure, again } = useAnswer("get_all_tasks", { claims: true, ...(session === "" ? {} : { session_id: session }) });
  const tasks = data?.tasks ?? [];
  const partOf = ({ claim, assignee }: TaskRow): string | null => claim?.agent ?? assignee;
  const parts = [about.value.part, ...tasks.flatMap((task) => partOf(task) ?? [])];
  const shown = tasks.filter(
    (task) => (filter.part === "" || partOf(task) === filter.part) && (filter.priority === "" || task.priority === filter.priority),
  );
  useOffered(about.value.readOnly ? "" : "c");
  const isEmpty = data !== undefined && tasks.length === 0 && !isMaking;
  const titles = new Map(tasks.map(({ id, title }) => [id, title]));
  return (
    <div class={chosen === "" ? "split wide" : "split board chosen"}>
      <section class="pane ground" aria-label="Board">
        <div class="sec filters">
          <Pick
            label="Session"
            value={session === "" ? (data?.session_id ?? "") : session}
            choices={sessions.map(({ id }) => id)}
            pick={setSession}
          />
          <Pick label="Part" any="Any part" value={filter.part} choices={parts} pick={(part) => setFilter({ ...filter, part })} />
          <Pick
            label="Priority"
            any="Any priority"
            value={filter.priority}
            choices={PRIORITIES}
            pick={(priority) => setFilter({ ...filter, priority })}
          />
          <span class="grow" />
          {tasks.length > 0 && (
            <Segments<"columns" | "graph">
              label="The board as"
              value={shape}
              choices={[
                ["columns", "Columns"],
                ["graph", "Dependencies"],
              ]}
              pick={setShape}
            />
          )}
          {!isEmpty && <NewTask isMaking={isMaking} make={setMaking} />}
        </div>
        <Refused why={failure?.error} />
        {isMaking && data !== undefined && (
          <TaskForm
            tasks={tasks}
            hasSession={data.session_id !== null}
            done={() => {
              setMaking(false);
              again();
            }}
            close={() => setMaking(false)}
          />
        )}
        {data !== undefined && isEmpty && (
          <Empty icon="board" title="No task is on the board">
            <p class="t2">
              {data.session_id === null
                ? "Tasks belong to a session, and none is open. The first task made here starts one; so does this command:"
                : "Make the first one here, or with a command:"}
            </p>
            <Command text={data.session_id === null ? "relay session start" : 'relay task create "Write the parser"'} />
            <NewTask isMaking={isMaking} make={setMaking} />
          </Empty>
        )}
        {tasks.length > 0 && shape === "graph" && <TaskGraph tasks={shown} chosen={chosen} />}
        {tasks.length > 0 && shape === "columns" && (
          <>
            <fieldset class="tabs-row" aria-label="Columns">
              {COLUMNS.map(([status, words]) => (
                <button key={status} type="button" aria-pressed={column === status} onClick={() => setColumn(status)}>
                  {words} <span class="t3">{shown.filter((task) => columnOf(task) === status).length}</span>
                </button>
              ))}
            </fieldset>
            <div class="cols">
              {COLUMNS.map(([status, words]) => (
                <Column
                  key={status}
                  words={words}
                  isShown={column === status}
                  tasks={shown.filter((task) => columnOf(task) === status)}
                  titles={titles}
                  chosen={chosen}
                />
              ))}
            </div>
          </>
        )}
        <NotInFile what="Tasks of other sessions" command="relay task list --session NAME" />
      </section>
      {chosen !== "" && <Task key={chosen} id={chosen} tasks={tasks} done={again} />}
    </div>
  );
}

interface PickProps {
  label: string;
  value: string;
  choices: readonly string[];
  /** What no choice is called; without it, one is always taken. */
  any?: string;
  pick: (value: string) => void;
}

const Pick = ({ label, value, choices, any, pick }: PickProps) => (
  <select class="pick" aria-label={label} value={value} onChange={(event) => pick(event.currentTarget.value)}>
    {any !== undefined && <option value="">{any}</option>}
    {[...new Set(choices)].map((each) => (
      <option key={each} value={each}>
        {each}
      </option>
    ))}
  </select>
);

/** Opens the form of a new task, where the reader may write. */
const NewTask = ({ isMaking, make }: { isMaking: boolean; make: (isMaking: boolean) => void }) =>
  about.value.readOnly ? null : (
    <button type="button" class="btn small" data-key="c" aria-expanded={isMaking} onClick={() => make(!isMaking)}>
      <Icon name="plus" small />
      New task <Key>c</Key>
    </button>
  );

interface ColumnProps {
  words: string;
  isShown: boolean;
  tasks: readonly TaskRow[];
  titles: ReadonlyMap<string, string>;
  chosen: string;
}

function Column({ words, isShown, tasks, titles, chosen }: ColumnProps) {
  const [most, setMost] = useState(SHOWN);
  const left = tasks.length - most;
  const list = useRef<HTMLUListElement>(null);
  return (
    <section class={isShown ? "col shown" : "col"} aria-label={words}>
      <h2>
        {words} <span class="t3">{tasks.length}</span>
      </h2>
      <ul ref={list}>
        {tasks.slice(0, most).map((task) => (
          <li key={task.id}>
            <Card task={task} titles={titles} isChosen={task.id === chosen} />
          </li>
        ))}
      </ul>
      {left > 0 && (
        <button
          type="button"
          class="btn small"
          onClick={() => {
            setMost(most + SHOWN);
            // The button may go away: the first card that came has the focus.
            requestAnimationFrame(() => list.current?.querySelectorAll<HTMLElement>("[data-row]")[most]?.focus());
          }}
        >
          Show {left <= SHOWN ? left : `${SHOWN} of ${left}`} more
        </button>
      )}
    </section>
  );
}

function Card({ task, titles, isChosen }: { task: TaskRow; titles: ReadonlyMap<string, string>; isChosen: boolean }) {
  const [blocker, ...more] = task.blocked_by ?? [];
  return (
    <a class={isChosen ? "card sel" : "card"} data-row href={addressOf("board", task.id)} aria-current={isChosen ? "true" : undefined}>
      <span class="row title">
        <h3>{task.title}</h3>
        <span class="grow" />
        <PriorityBars priority={task.priority} />
      </span>
      <Origin origin={task.origin} />
      {task.claim !== undefined && <LeaseBar claim={task.claim} />}
      {blocker !== undefined && (
        <span class="blocked">
          <Icon name="clock" small />
          <span>
            waits for <b>{titles.get(blocker) ?? blocker}</b>
            {more.length > 0 && `, and ${more.length} more`}
          </span>
        </span>
      )}
      <span class="foot">
        <span class="id">{shortId(task.id)}</span>
        {task.claim === undefined && task.assignee !== null && (
          <>
            <Avatar name={task.assignee} />
            <span class="cut">{task.assignee}</span>
          </>
        )}
        {task.status === "todo" && blocker === undefined && <Chip tone="ok">ready</Chip>}
      </span>
    </a>
  );
}
