/** One memory, and what it was at earlier records of the home. */
import { useEffect, useState } from "preact/hooks";
import { Empty, Refused } from "../part/bits.tsx";
import { DiffView } from "../part/diff-view.tsx";
import { Icon } from "../part/icon.tsx";
import { Markdown } from "../part/markdown.tsx";
import { Segments } from "../part/segments.tsx";
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
  const [isDiff, setDiff] = useState(true);
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
  const text = now.data?.content ?? "";
  const isThen = commit !== "" && then.commit === commit;
  return (
    <section class="pane" aria-label="Memory">
      <div class="sec tall">
        <Back />
        <h2 class="cut">{part === "" ? "What the project remembers" : `What ${part} remembers`}</h2>
        <span class="grow" />
        {commit !== "" && (
          <Segments<"text" | "diff">
            label="What is shown"
            value={isDiff ? "diff" : "text"}
            choices={[
              ["text", "Text"],
              ["diff", "What changed since"],
            ]}
            pick={(value) => setDiff(value === "diff")}
          />
        )}
        {text !== "" &&
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
          ))}
      </div>
      <Refused why={now.failure?.error ?? now.data?.warning ?? log.failure?.error ?? (isThen ? then.why : undefined)} />
      {log.data !== undefined && log.data.entries.length === 0 && <p class="hint t3">No record of the home has it yet.</p>}
      {isThen && isDiff && then.why === undefined ? (
        <DiffView before={then.text} after={text} sides={false} />
      ) : (
        now.data !== undefined && <Shown text={isThen ? then.text : text} />
      )}
    </section>
  );
}

const Shown = ({ text }: { text: string }) =>
  text.trim() === "" ? (
    <Empty icon="memory" title="Nothing is remembered yet" />
  ) : (
    <div class="text">
      <Markdown text={text} />
    </div>
  );
