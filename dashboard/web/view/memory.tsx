/** What the project and its parts remember, and what sessions came to. */
import { useState } from "preact/hooks";
import { At, Back, Empty, Refused, RowLink } from "../part/bits.tsx";
import { TextOrChanges } from "../part/changes.tsx";
import { Pick } from "../part/pick.tsx";
import { addressOf, route } from "../state/route.ts";
import type { AnswerOf } from "../state/server.ts";
import { useAnswer } from "../state/use-answer.ts";
import { MemoryText } from "./memory-text.tsx";

const PROJECT = "project";
const OF_PART = "part ";
const OF_SESSION = "session ";

export function Memory() {
  const { chosen } = route.value;
  const roster = useAnswer("roster", {});
  const sessions = useAnswer("list_sessions", {});
  return (
    <div class={chosen === "" ? "split memory" : "split memory chosen"}>
      <nav class="pane list" aria-label="Memories and sessions">
        <div class="sec">
          <h2>Memories</h2>
        </div>
        <ul>
          <Choice chosen={chosen || PROJECT} id={PROJECT} words="The project" />
          {(roster.data?.parts ?? []).map(({ part }) => (
            <Choice key={part} chosen={chosen} id={`${OF_PART}${part}`} words={part} />
          ))}
        </ul>
        <div class="sec gap">
          <h2>Sessions</h2>
        </div>
        <Refused why={sessions.failure?.error} />
        {sessions.data?.details.length === 0 && <p class="hint sm t3">The first task starts one.</p>}
        <ul>
          {(sessions.data?.details ?? []).map(({ id, started_at, current, has_summary }) => (
            <Choice
              key={id}
              chosen={chosen}
              id={`${OF_SESSION}${id}`}
              words={id}
              at={started_at}
              note={current ? "current" : has_summary ? "" : "no summary"}
            />
          ))}
        </ul>
      </nav>
      {chosen.startsWith(OF_SESSION) ? (
        <Summary key={chosen} id={chosen.slice(OF_SESSION.length)} sessions={sessions.data?.details} />
      ) : (
        <MemoryText key={chosen} part={chosen.startsWith(OF_PART) ? chosen.slice(OF_PART.length) : ""} />
      )}
    </div>
  );
}

const Choice = ({ chosen, id, words, at, note = "" }: { chosen: string; id: string; words: string; at?: string; note?: string }) => (
  <li>
    <RowLink kind="part two" to={addressOf("memory", id)} isChosen={chosen === id}>
      <span class="cut">{words}</span>
      <span class="row sm t3">
        {note}
        {at !== undefined && <At at={at} />}
      </span>
    </RowLink>
  </li>
);

function Summary({ id, sessions }: { id: string; sessions: AnswerOf<"list_sessions">["details"] | undefined }) {
  const [version, setVersion] = useState<number | null>(null);
  const isNone = sessions?.find((session) => session.id === id)?.has_summary === false;
  // What is known not to be there is not asked for.
  const now = useAnswer("get_session_summary", isNone || sessions === undefined ? null : { session_id: id });
  const earlier = useAnswer("get_session_summary", version === null ? null : { session_id: id, version });
  const versions = now.data?.versions ?? [];
  const textOf = (text: string | undefined): string | undefined => (text === undefined ? undefined : withoutHead(text));
  return (
    <TextOrChanges
      label="Summary"
      title={`Session ${id}`}
      back={<Back view="memory" words="All memories and sessions" />}
      now={version !== null && earlier.data === undefined ? undefined : textOf(now.data?.summary)}
      then={version === null ? null : (textOf(earlier.data?.summary) ?? null)}
      empty={null}
      versions={
        versions.length > 0 && (
          <Pick
            label="Version"
            value={String(version ?? "")}
            any="Latest"
            choices={[...versions].reverse().map((each) => [String(each), `Version ${each}`] as const)}
            pick={(value) => setVersion(value === "" ? null : Number(value))}
          />
        )
      }
    >
      <Refused why={earlier.failure?.error} />
      {(isNone || now.failure !== undefined) && <Empty icon="memory" title="This session has no summary" />}
    </TextOrChanges>
  );
}

/** A summary without the lines that programs read. */
const withoutHead = (text: string): string => text.replace(/^---\n[\s\S]*?\n---\n/, "");
