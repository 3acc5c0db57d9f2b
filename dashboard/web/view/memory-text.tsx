/** One memory, and what it was at earlier records of the home. */
import { useEffect, useState } from "preact/hooks";
import { Empty, Origin, Refused } from "../part/bits.tsx";
import { TextOrChanges } from "../part/changes.tsx";
import { Icon } from "../part/icon.tsx";
import { exported } from "../record/exported.ts";
import { NotInFile } from "../record/not-in-file.tsx";
import { addressOf } from "../state/route.ts";
import { readAt } from "../state/server.ts";
import { shortTime } from "../state/time.ts";
import { useAnswer } from "../state/use-answer.ts";

/** So many records are offered, the newest. */
const OFFERED = 50;

/** On a phone a text takes the place of the list. */
export const Back = () => (
  <a class="btn quiet icon back" href={addressOf("memory")} aria-label="All memories and sessions">
    <Icon name="back" small />
  </a>
);

export function MemoryText({ part }: { part: string }) {
  const asked = part === "" ? {} : { agent_id: part };
  const now = useAnswer("read_memory", asked);
  const [isOpen, setOpen] = useState(false);
  const [commit, setCommit] = useState("");
  const [then, setThen] = useState<{ commit: string; text: string; why?: string | undefined }>({ commit: "", text: "" });
  const log = useAnswer("log", isOpen ? { memory: part === "" ? "*" : part, limit: OFFERED } : null);
  useEffect(() => {
    if (commit === "") return;
    let isOver = false;
    void readAt("read_memory", asked, commit).then(({ data, failure }) => {
      if (!isOver) setThen({ commit, text: data?.content ?? "", why: failure?.error });
    });
    return () => {
      isOver = true;
    };
  }, [commit]);
  const text = now.data === undefined ? undefined : (now.data.content ?? "");
  const isThen = commit !== "" && then.commit === commit;
  return (
    <TextOrChanges
      label="Memory"
      title={part === "" ? "What the project remembers" : `What ${part} remembers`}
      back={<Back />}
      now={commit === "" || isThen ? text : undefined}
      then={isThen && then.why === undefined ? then.text : null}
      empty={<Empty icon="memory" title="Nothing is remembered yet" />}
      versions={
        exported === null &&
        text !== undefined &&
        (isOpen ? (
          <select class="pick" aria-label="Version" value={commit} onChange={(event) => setCommit(event.currentTarget.value)}>
            <option value="">Now</option>
            {(log.data?.entries ?? []).map((entry) => (
              <option key={entry.commit} value={entry.commit}>
                {shortTime(Date.parse(entry.at))}, {entry.commit.slice(0, 8)}
              </option>
            ))}
          </select>
        ) : (
          <button type="button" class="btn small" onClick={() => setOpen(true)}>
            Earlier versions
          </button>
        ))
      }
    >
      <Refused why={now.failure?.error ?? now.data?.warning ?? log.failure?.error ?? (isThen ? then.why : undefined)} />
      {commit === "" && now.data?.origin !== undefined && (
        <p class="hint">
          The text was changed <Origin origin={now.data.origin} />
        </p>
      )}
      <NotInFile
        what="Earlier versions"
        command={part === "" ? "relay memory read --at COMMIT" : `relay memory read ${part} --at COMMIT`}
      />
      {log.data !== undefined && log.data.entries.length === 0 && <p class="hint t3">No commit of the home has it yet.</p>}
    </TextOrChanges>
  );
}
