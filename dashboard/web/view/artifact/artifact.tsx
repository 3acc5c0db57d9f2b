/** One artifact: a version as it reads, what changed since another one, and its reviews. */
import { useState } from "preact/hooks";
import { At, Back, Chip, Empty, Refused } from "../../part/bits.tsx";
import { DiffView } from "../../part/diff-view.tsx";
import { Markdown } from "../../part/markdown.tsx";
import { Pick } from "../../part/pick.tsx";
import { Segments } from "../../part/segments.tsx";
import { addressOf } from "../../state/route.ts";
import { atSeconds } from "../../state/time.ts";
import { useAnswer } from "../../state/use-answer.ts";
import type { ArtifactRow, Review } from "./review-chip.tsx";
import { Reviews } from "./reviews.tsx";

interface ArtifactProps {
  session: string;
  /** The latest version. */
  row: ArtifactRow;
  reviews: readonly Review[];
  /** Whether its session is the current one. */
  isCurrent: boolean;
  again: () => void;
}

type Shown = "text" | "inline" | "sides";

export function Artifact({ session, row, reviews, isCurrent, again }: ArtifactProps) {
  const latest = row.version;
  const [picked, setPicked] = useState<number | null>(null);
  const [base, setBase] = useState<number | null>(null);
  const [shown, setShown] = useState<Shown>("text");
  const version = Math.min(picked ?? latest, latest);
  const since = base !== null && base !== version ? base : version > 1 ? version - 1 : Math.min(2, latest);
  const isDiff = shown !== "text" && latest > 1;
  const now = useAnswer("get_artifact", { name: row.name, version, session_id: session });
  const before = useAnswer("get_artifact", isDiff ? { name: row.name, version: since, session_id: session } : null);
  const artifact = now.data?.artifact;
  return (
    <section class="pane" aria-label="Artifact">
      <div class="sec tall">
        <Back view="artifacts" chosen={`${session} `} words="All artifacts" />
        <h2 class="cut" title={row.name}>
          {row.name}
        </h2>
        <Chip>{row.type}</Chip>
        <span class="grow" />
        {artifact !== undefined && (
          <span class="row sm t3">
            <span class="cut">{artifact.created_by}</span>
            <At at={atSeconds(artifact.created_at)} />
          </span>
        )}
      </div>
      <div class="bar">
        <Versions label="Version" latest={latest} value={version} pick={(next) => setPicked(next === latest ? null : next)} />
        {isDiff && <Versions label="since" latest={latest} value={since} pick={setBase} />}
        {artifact?.task_id != null && (
          <a class="lnk sm" href={addressOf("board", artifact.task_id)}>
            Its task
          </a>
        )}
        <span class="grow" />
        {latest > 1 && (
          <Segments<Shown>
            label="What is shown"
            value={shown}
            choices={{ text: "Text", inline: "Changes", sides: "Side by side" }}
            pick={setShown}
          />
        )}
      </div>
      <Refused why={now.failure?.error ?? before.failure?.error} />
      {artifact !== undefined &&
        (isDiff ? (
          before.data !== undefined && <DiffView before={before.data.artifact.content} after={artifact.content} sides={shown === "sides"} />
        ) : (
          <Content text={artifact.content} />
        ))}
      <Reviews reviews={reviews} artifact={row} isCurrent={isCurrent} done={again} />
    </section>
  );
}

interface VersionsProps {
  label: string;
  latest: number;
  value: number;
  pick: (version: number) => void;
}

const Versions = ({ label, latest, value, pick }: VersionsProps) => (
  <span class="row">
    <span class="t3">{label}</span>
    <Pick
      label={label}
      value={String(value)}
      choices={newestVersions(latest, value).map((each) => [String(each), each === latest ? `${each} (latest)` : String(each)] as const)}
      pick={(version) => pick(Number(version))}
    />
  </span>
);

/** So many versions are offered, the newest; and the one that is chosen. */
const OFFERED = 200;
const newestVersions = (latest: number, chosen: number): number[] => {
  const newest = Array.from({ length: Math.min(latest, OFFERED) }, (_, at) => latest - at);
  return newest.includes(chosen) ? newest : [...newest, chosen];
};

/** Data and patches are shown as they are, everything else as Markdown. */
const isAsItIs = (text: string): boolean => /^\s*([{[<]|diff --git |--- |Index: )/.test(text);

function Content({ text }: { text: string }) {
  if (text.trim() === "") return <Empty icon="artifacts" title="This version is empty" />;
  return (
    <div class="text">
      <Markdown text={text} isPlainText={isAsItIs(text)} />
    </div>
  );
}
