/** Which task waits for which, as a picture: each stands right of all that it waits for. */
import { RowLink } from "../../part/bits.tsx";
import { PriorityBars, statusWords, type TaskRow } from "../../part/task-parts.tsx";
import { addressOf } from "../../state/route.ts";

const [WIDTH, HEIGHT, ACROSS, DOWN, EDGE] = [208, 48, 56, 12, 16];
/** So many tasks are drawn; more are no picture any more. */
const MOST = 120;

interface Place {
  task: TaskRow;
  x: number;
  y: number;
}

export function TaskGraph({ tasks, chosen }: { tasks: readonly TaskRow[]; chosen: string }) {
  const { places, left } = placesOf(tasks);
  if (places.length === 0) return <p class="hint t3">No task waits for another one.</p>;
  const at = new Map(places.map((place) => [place.task.id, place]));
  const edges = places.flatMap((to) => to.task.depends_on.flatMap((id) => ({ from: at.get(id), to })));
  const [width, height] = [Math.max(...places.map(({ x }) => x)) + WIDTH + EDGE, Math.max(...places.map(({ y }) => y)) + HEIGHT + EDGE];
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it. */}
      <section class="graph" tabIndex={0} aria-label="What waits for what">
        <div class="sheet" style={{ width: `${width}px`, height: `${height}px` }}>
          <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} aria-hidden="true">
            {edges.map(({ from, to }) =>
              from === undefined ? null : (
                <path
                  key={`${from.task.id} ${to.task.id}`}
                  class={from.task.status === "done" ? "met" : ""}
                  d={pathOf(from.x + WIDTH, from.y + HEIGHT / 2, to.x, to.y + HEIGHT / 2)}
                />
              ),
            )}
          </svg>
          <ul>
            {places.map(({ task, x, y }) => (
              <li key={task.id} style={{ left: `${x}px`, top: `${y}px`, width: `${WIDTH}px`, height: `${HEIGHT}px` }}>
                <Node task={task} isChosen={task.id === chosen} waitsFor={task.depends_on.flatMap((id) => at.get(id)?.task.title ?? [])} />
              </li>
            ))}
          </ul>
        </div>
      </section>
      {left > 0 && <p class="hint t3">{left} more tasks wait for others, or are waited for.</p>}
    </>
  );
}

const Node = ({ task, isChosen, waitsFor }: { task: TaskRow; isChosen: boolean; waitsFor: readonly string[] }) => (
  <RowLink kind={`card node ${task.status}`} to={addressOf("board", task.id)} isChosen={isChosen}>
    <span class="row">
      <span class="cut grow name">{task.title}</span>
      <PriorityBars priority={task.priority} />
    </span>
    <span class="sm t2 cut">
      {statusWords(task.status)}
      {task.assignee === null ? "" : `, ${task.assignee}`}
      {waitsFor.length > 0 && <span class="vh">, waits for {waitsFor.join(", ")}</span>}
    </span>
  </RowLink>
);

const pathOf = (x1: number, y1: number, x2: number, y2: number): string => {
  const bend = Math.max(24, (x2 - x1) / 2);
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2 - 5} ${y2}M${x2 - 10} ${y2 - 4}L${x2 - 5} ${y2}L${x2 - 10} ${y2 + 4}`;
};

/** Where each task stands that waits for one, or is waited for; and how many more there are. */
function placesOf(tasks: readonly TaskRow[]): { places: Place[]; left: number } {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const needed = new Set(tasks.flatMap(({ depends_on }) => depends_on));
  const linked = tasks.filter(({ id, depends_on }) => needed.has(id) || depends_on.some((each) => byId.has(each)));
  const shown = linked.slice(0, MOST);
  const depths = depthsOf(shown, byId);
  const deepest = Math.max(0, ...depths.values());
  const columns = Array.from({ length: deepest + 1 }, (_, depth) => shown.filter(({ id }) => (depths.get(id) ?? 0) === depth));
  const rank = new Map<string, number>();
  const places = columns.flatMap((column, across) => {
    // A task stands beside the middle of what it waits for, so that few lines cross.
    const middle = ({ depends_on }: TaskRow): number => {
      const known = depends_on.flatMap((id) => rank.get(id) ?? []);
      return known.length === 0 ? Number.POSITIVE_INFINITY : known.reduce((sum, each) => sum + each, 0) / known.length;
    };
    const sorted = across === 0 ? column : [...column].sort((a, b) => middle(a) - middle(b) || 0);
    return sorted.map((task, down) => {
      rank.set(task.id, down);
      return { task, x: EDGE + across * (WIDTH + ACROSS), y: EDGE + down * (HEIGHT + DOWN) };
    });
  });
  return { places, left: linked.length - shown.length };
}

/** How many tasks come before each, along the longest way. Files may say that tasks wait for each other in a ring: it is cut. */
function depthsOf(tasks: readonly TaskRow[], byId: ReadonlyMap<string, TaskRow>): Map<string, number> {
  const depths = new Map<string, number>();
  const drawn = new Set(tasks.map(({ id }) => id));
  const depthOf = (id: string, below: ReadonlySet<string>): number => {
    const known = depths.get(id);
    if (known !== undefined) return known;
    if (below.has(id)) return 0;
    const before = (byId.get(id)?.depends_on ?? []).filter((each) => drawn.has(each));
    const depth = before.length === 0 ? 0 : 1 + Math.max(...before.map((each) => depthOf(each, new Set([...below, id]))));
    depths.set(id, depth);
    return depth;
  };
  for (const { id } of tasks) depthOf(id, new Set());
  return depths;
}
