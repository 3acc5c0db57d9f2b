/** One memory, and what it was at earlier records of the home. */
import { useEffect, useState } from "preact/hooks";
import { Back, Button, Empty, NotInFile, Origin, Refused, WriteLink } from "../part/bits.tsx";
import { TextOrChanges } from "../part/changes.tsx";
import { Pick } from "../part/pick.tsx";
import { exported } from "../record/exported.ts";
import { readAt } from "../state/server.ts";
import { shortTime } from "../state/time.ts";
import { useAnswer } from "../state/use-answer.ts";

/** So many records are offered, the newest. */
const OFFERED = 50;

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
      back={<Back view="memory" words="All memories and sessions" />}
      now={commit === "" || isThen ? text : undefined}
      then={isThen && then.why === undefined ? then.text : null}
      empty={
        <Empty icon="memory" title="Nothing is remembered yet">
          <p class="t2">Agents write here what the next session should know.</p>
          <WriteLink words="Tell one what to keep" />
        </Empty>
      }
      versions={
        exported === null &&
        text !== undefined &&
        (isOpen ? (
          <Pick
            label="Version"
            value={commit}
            any="Now"
            choices={(log.data?.entries ?? []).map(
              (entry) => [entry.commit, `${shortTime(Date.parse(entry.at))}, ${entry.commit.slice(0, 8)}`] as const,
            )}
            pick={setCommit}
          />
        ) : (
          <Button run={() => setOpen(true)}>Earlier versions</Button>
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
