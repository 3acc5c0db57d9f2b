/** What every part does: its state in a word, its task, its last thought, and what it used today; who needs a person comes first. */
import { NotInFile, Refused, Since } from "../part/bits.tsx";
import { plain } from "../part/plain.ts";
import { exported } from "../record/exported.ts";
import { moment } from "../record/moment.ts";
import { type Doing, doingOf, type Part } from "../state/doing.ts";
import { inShort } from "../state/numbers.ts";
import { addressOf, route } from "../state/route.ts";
import type { AnswerOf, Failure } from "../state/server.ts";
import { nowMs } from "../state/time.ts";
import { thoughts } from "../state/told.ts";
import { useAnswer } from "../state/use-answer.ts";
import { Waking } from "./waking.tsx";

/** Wakes that are looked at. */
const LISTED = 50;

/** Each part with what it does, in their order; null where nothing recorded it, as of an earlier moment. */
export interface Row {
  part: Part;
  doing: Doing | null;
}

/** The parts but for the person, who needs one first; and the wakes by which that is known. */
export function useRows(status: AnswerOf<"status"> | undefined): { rows: Row[]; wakes: AnswerOf<"wakes"> | undefined } {
  const isNow = moment.value === null && exported?.commit == null;
  const wakes = useAnswer("wakes", isNow && exported === null ? { limit: LISTED } : null).data;
  const asking = new Set(status?.needsHuman.map(({ from }) => from));
  // Every ten seconds is often enough for what takes minutes.
  const atMs = Math.floor(nowMs.value / 10_000) * 10_000;
  const rows = (status?.parts ?? [])
    .filter(({ part }) => part !== "human")
    .map((part) => ({ part, doing: isNow ? doingOf(part, wakes?.wakes ?? [], asking, atMs) : null }));
  return { rows: rows.sort((a, b) => (a.doing?.rank ?? 0) - (b.doing?.rank ?? 0)), wakes };
}

interface RoomProps extends ReturnType<typeof useRows> {
  status: AnswerOf<"status"> | undefined;
  failure: Failure | undefined;
}

export function Room({ status, failure, rows, wakes }: RoomProps) {
  const isNow = rows.every(({ doing }) => doing !== null);
  const midnight = new Date(nowMs.value);
  midnight.setHours(0, 0, 0, 0);
  const used = useAnswer("usage", isNow && exported === null ? { by: "part", since: midnight.toISOString() } : null);
  const tokens = new Map(used.data?.rows.map(({ key, input, cached, written, output }) => [key, input + cached + written + output]));
  return (
    <aside class="pane" aria-label="Room">
      <div class="sec">
        <h2>Room</h2>
        <span class="t3">
          {isNow ? `${rows.filter(({ part }) => part.online).length} of ${rows.length} online` : "presence unknown: no commit has it"}
        </span>
      </div>
      <Refused why={failure?.error} />
      <ul>
        {rows.map((row) => (
          <PartRow key={row.part.part} {...row} tokens={tokens.get(row.part.part)} />
        ))}
      </ul>
      {exported === null && isNow && status !== undefined && <Waking pager={status.pager} data={wakes} />}
      <NotInFile what="Wakes" command="relay wakes" />
    </aside>
  );
}

const TONES = { on: "ok", idle: "t2", off: "t3", lim: "warn", bad: "bad" } as const;

function PartRow({ part, doing, tokens }: Row & { tokens: number | undefined }) {
  const isChosen = route.value.view === "now" && route.value.chosen === part.part;
  const held = useAnswer("show_task", part.task === undefined ? null : { task_id: part.task }).data;
  const since = held?.history.findLast((entry) => /claim/.test(entry))?.split(" ")[0] ?? "";
  const thought = part.asks ?? plain(thoughts.value.get(part.part) ?? "");
  return (
    <li class={isChosen ? "part sel" : "part"} aria-current={isChosen ? "true" : undefined}>
      <span class={`dot ${doing?.mark ?? ""}`} aria-hidden="true" />
      <div class="grow">
        <div class="row">
          <span class="who cut">{part.part}</span>
          {part.agent !== null && <span class="t3 sm cut">{part.agent.name}</span>}
          {part.main && part.part !== "main" && <span class="t3 sm">main</span>}
          {part.unread > 0 && <span class="badge q">{part.unread} unread</span>}
        </div>
        {held !== undefined && (
          <a class="row sm t2" href={addressOf("board", held.task.id)}>
            <span class="cut">{held.task.title}</span>
            {since !== "" && (
              <span class="t3 nowrap">
                for <Since at={since} />
              </span>
            )}
          </a>
        )}
        {thought !== "" ? (
          <div class="sm t3 cut thought" title={thought}>
            {thought}
          </div>
        ) : (
          held === undefined && part.about !== undefined && <div class="sm t3 cut">{part.about}</div>
        )}
      </div>
      {doing !== null && (
        <div class="sm t2 num">
          <b class={TONES[doing.mark]}>{doing.word}</b>
          {part.seenAt !== undefined && (
            <span class="t3">
              {" · seen "}
              <Since at={part.seenAt} />
              {" ago"}
            </span>
          )}
          <br />
          {tokens !== undefined && <span class="t3">{inShort(tokens)} tokens today</span>}
        </div>
      )}
    </li>
  );
}
