/** The board of a session: a column for each status. */
import { useRef, useState } from "preact/hooks";
import { Avatar, Button, Chip, Empty, NotInFile, Origin, Refused, RowLink, scrolledTo } from "../part/bits.tsx";
import { Icon } from "../part/icon.tsx";
import { LeaseBar } from "../part/lease.tsx";
import { Pick } from "../part/pick.tsx";
import { Segments } from "../part/segments.tsx";
import {
  COLUMNS,
  columnOf,
  ofSession,
  PRIORITIES,
  PriorityBars,
  type Column as Status,
  shortId,
  type TaskRow,
} from "../part/task-parts.tsx";
import { about } from "../state/about.ts";
import { useOffered } from "../state/offered.ts";
import { addressOf, route } from "../state/route.ts";
import { useAct } from "../state/use-act.ts";
import { useAnswer } from "../state/use-answer.ts";
import { moveTask, Task } from "./task/task.tsx";
import { TaskForm } from "./task/task-form.tsx";
import { TaskGraph } from "./task/task-graph.tsx";

/** So many cards of a column are shown, and as many more each time that somebody asks; a board of thousands stays quick. */
const SHOWN = 40;

export function Board() {
  const { chosen } = route.value;
  const { readOnly, part: you } = about.value;
  const [isMaking, setMaking] = useState(false);
  const [shape, setShape] = useState<"columns" | "graph">("columns");
  const [column, setColumn] = useState<string>("todo");
  const [filter, setFilter] = useState({ part: "", priority: "" });
  const [session, setSession] = useState("");
  const sessions = useAnswer("list_sessions", {}).data?.details ?? [];
  const roster = useAnswer("roster", {}).data?.parts ?? [];
  const { data, failure, again } = useAnswer("get_all_tasks", { claims: true, ...ofSession(session) });
  const act = useAct();
  const tasks = data?.tasks ?? [];
  const partOf = ({ claim, assignee }: TaskRow): string | null => claim?.agent ?? assignee;
  const parts = roster.map(({ part }) => part);
  const fits = (task: TaskRow): boolean =>
    (filter.part === "" || partOf(task) === filter.part) && (filter.priority === "" || task.priority === filter.priority);
  // The one that is chosen is seen whatever is asked for.
  const shown = tasks.filter((task) => task.id === chosen || fits(task));
  useOffered(readOnly ? "" : "c");
  const isEmpty = data !== undefined && tasks.length === 0 && !isMaking;
  const titles = new Map(tasks.map(({ id, title }) => [id, title]));
  const counted = Object.fromEntries(
    Object.entries(COLUMNS).map(([status, words]) => [status, `${words} ${shown.filter((task) => columnOf(task) === status).length}`]),
  );
  const of = data?.session_id == null ? null : session;
  const make = !readOnly && (
    <Button letter="c" aria-expanded={isMaking} run={() => setMaking(!isMaking)}>
      <Icon name="plus" small />
      New task
    </Button>
  );
  const drop = async (id: string, status: Status): Promise<void> => {
    const task = tasks.find((each) => each.id === id);
    if (task !== undefined && columnOf(task) !== status && (await act.run(() => moveTask(task, session, status)))) again();
  };
  return (
    <div class={chosen === "" ? "split wide" : "split board chosen"}>
      <section class="pane ground" aria-label="Board">
        <div class="sec filters">
          {sessions.length > 0 && (
            <Pick label="Session" value={session || (data?.session_id ?? "")} choices={sessions.map(({ id }) => id)} pick={setSession} />
          )}
          {tasks.length > 0 && (
            <>
              <Pick
                label="Part"
                any="Any part"
                value={filter.part}
                choices={[[you, "Mine"], ...tasks.flatMap((task) => partOf(task) ?? []).filter((part) => part !== you)]}
                pick={(part) => setFilter({ ...filter, part })}
              />
              <Pick
                label="Priority"
                any="Any priority"
                value={filter.priority}
                choices={PRIORITIES}
                pick={(priority) => setFilter({ ...filter, priority })}
              />
              <span class="grow" />
              <Segments label="The board as" value={shape} choices={{ columns: "Columns", graph: "Dependencies" }} pick={setShape} />
            </>
          )}
          {!isEmpty && make}
        </div>
        <Refused why={failure?.error ?? act.why} />
        {isMaking && data !== undefined && (
          <TaskForm
            tasks={tasks}
            parts={parts}
            session={of}
            done={() => {
              setMaking(false);
              again();
            }}
            close={() => setMaking(false)}
          />
        )}
        {isEmpty && (
          <Empty icon="board" title="No task is on the board">
            <p class="t2">Agents put their tasks here, and so can you{of === null && ": the first one starts a session"}.</p>
            {make}
          </Empty>
        )}
        {tasks.length > 0 && shape === "graph" && <TaskGraph tasks={shown} chosen={chosen} />}
        {tasks.length > 0 && shape === "columns" && (
          <>
            <div class="tabs-row">
              <Segments label="Columns" value={column} choices={counted} pick={setColumn} />
            </div>
            <div class="cols">
              {(Object.entries(COLUMNS) as [Status, string][]).map(([status, words]) => (
                <Column
                  key={status}
                  words={words}
                  isShown={column === status}
                  tasks={shown.filter((task) => columnOf(task) === status)}
                  titles={titles}
                  chosen={chosen}
                  drop={(id) => void drop(id, status)}
                />
              ))}
            </div>
          </>
        )}
        <NotInFile what="Tasks of other sessions" command="relay task list --session NAME" />
      </section>
      {chosen !== "" && <Task key={chosen} id={chosen} tasks={tasks} parts={parts} session={session} done={again} />}
    </div>
  );
}

interface ColumnProps {
  words: string;
  isShown: boolean;
  tasks: readonly TaskRow[];
  titles: ReadonlyMap<string, string>;
  chosen: string;
  /** Moves a task here. */
  drop: (id: string) => void;
}

/** What a card carries while it is dragged: only cards of this page are taken. */
const CARD = "application/x-relay-task";

function Column({ words, isShown, tasks, titles, chosen, drop }: ColumnProps) {
  const [asked, setMost] = useState(SHOWN);
  const most = Math.max(asked, tasks.findIndex(({ id }) => id === chosen) + 1);
  const left = tasks.length - most;
  const list = useRef<HTMLUListElement>(null);
  return (
    <section
      class={isShown ? "col shown" : "col"}
      aria-label={words}
      onDragOver={(event) => event.dataTransfer?.types.includes(CARD) && !about.value.readOnly && event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        drop(event.dataTransfer?.getData(CARD) ?? "");
      }}
    >
      <h2>
        {words} <span class="t3">{tasks.length}</span>
      </h2>
      <ul ref={list}>
        {tasks.slice(0, most).map((task) => (
          <li
            key={task.id}
            ref={task.id === chosen ? scrolledTo : null}
            onDragStart={(event) => event.dataTransfer?.setData(CARD, task.id)}
          >
            <Card task={task} titles={titles} isChosen={task.id === chosen} />
          </li>
        ))}
      </ul>
      {left > 0 && (
        <Button
          run={() => {
            setMost(most + SHOWN);
            // The button may go away: the first card that came has the focus.
            requestAnimationFrame(() => list.current?.querySelectorAll<HTMLElement>("[data-row]")[most]?.focus());
          }}
        >
          Show {left <= SHOWN ? left : `${SHOWN} of ${left}`} more
        </Button>
      )}
    </section>
  );
}

function Card({ task, titles, isChosen }: { task: TaskRow; titles: ReadonlyMap<string, string>; isChosen: boolean }) {
  const [blocker, ...more] = task.blocked_by ?? [];
  return (
    <RowLink kind="card" to={addressOf("board", task.id)} isChosen={isChosen}>
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
      {(task.status === "blocked" || task.status === "canceled") && (
        <span class="sm t2">
          <Chip tone={task.status === "blocked" ? "bad" : ""}>{task.status}</Chip> {task.blocked_reason}
        </span>
      )}
      {task.review !== undefined && <span class="sm t2">{task.review}</span>}
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
    </RowLink>
  );
}
