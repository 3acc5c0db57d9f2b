/** Every part: whether it is there, what it has not read, and what wakes it. */
import { Refused, Since } from "../part/bits.tsx";
import { exported } from "../record/exported.ts";
import { moment } from "../record/moment.ts";
import { NotInFile } from "../record/not-in-file.tsx";
import { RoomThen } from "../record/room-then.tsx";
import { route } from "../state/route.ts";
import type { AnswerOf, Failure } from "../state/server.ts";
import { shortTime } from "../state/time.ts";
import { Waking } from "./waking.tsx";

type Part = AnswerOf<"status">["parts"][number];

/** How a part is shown: a mark, and the same in a word. */
function presenceOf({ online, presence, limitedUntil, quietSince, you }: Part): { mark: string; word: string } {
  if (limitedUntil !== undefined) return { mark: "lim", word: "limited" };
  if (you) return { mark: "on", word: "you" };
  if (online) return { mark: quietSince === undefined ? "on" : "idle", word: quietSince === undefined ? (presence ?? "online") : "silent" };
  return { mark: "off", word: presence === "never" ? "never seen" : (presence ?? "offline") };
}

export function Room({ status, failure }: { status: AnswerOf<"status"> | undefined; failure: Failure | undefined }) {
  if (moment.value !== null || (exported !== null && exported.commit !== null)) return <RoomThen status={status} />;
  const parts = status?.parts ?? [];
  return (
    <aside class="pane" aria-label="Room">
      <div class="sec">
        <h2>Room</h2>
        {status !== undefined && (
          <span class="t3">
            {parts.filter(({ online, you }) => online || you).length} of {parts.length} online
          </span>
        )}
      </div>
      <Refused why={failure?.error} />
      <ul>
        {parts.map((part) => (
          <PartRow key={part.part} part={part} />
        ))}
      </ul>
      {exported === null && status !== undefined && <Waking pager={status.pager} />}
      <NotInFile what="Wakes" command="relay wakes" />
    </aside>
  );
}

function PartRow({ part }: { part: Part }) {
  const { mark, word } = presenceOf(part);
  const isChosen = route.value.view === "now" && route.value.chosen === part.part;
  const waked = part.wake === undefined || part.wake.state === "none" ? "" : `wake ${part.wake.state}`;
  const limited = part.limitedUntil === undefined ? "" : `limited until ${shortTime(Date.parse(part.limitedUntil))}`;
  const facts = [limited, waked, part.about ?? ""].filter((each) => each !== "").join(" · ");
  return (
    <li class={isChosen ? "part sel" : "part"} aria-current={isChosen ? "true" : undefined}>
      <span class={`dot ${mark}`} aria-hidden="true" />
      <div class="grow">
        <div class="row">
          <span class="who cut">{part.part}</span>
          {part.agent !== null && <span class="t3 sm cut">{part.agent.name}</span>}
          {part.main && part.part !== "main" && <span class="t3 sm">main</span>}
          {part.unread > 0 && (
            <span class="badge q">
              {part.unread}
              <span class="vh"> unread</span>
            </span>
          )}
        </div>
        {facts !== "" && <div class={limited === "" ? "sm t2 cut" : "sm warn cut"}>{facts}</div>}
      </div>
      <div class="sm t2 num">
        {word}
        {part.agent !== null && (
          <>
            {" "}
            <Since at={part.quietSince ?? part.agent.connectedAt} />
          </>
        )}
        <br />
        <span class="t3">{part.reachable === undefined || part.reachable.length === 0 ? "" : `by ${part.reachable.join(", ")}`}</span>
      </div>
    </li>
  );
}
