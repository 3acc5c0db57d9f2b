/** What was made: the artifacts of a session, and the one that is chosen beside them. */
import { At, Empty, Refused, RowLink, WriteLink } from "../../part/bits.tsx";
import { Pick } from "../../part/pick.tsx";
import { addressOf, go, route } from "../../state/route.ts";
import { atSeconds } from "../../state/time.ts";
import { useAnswer } from "../../state/use-answer.ts";
import { Artifact } from "./artifact.tsx";
import { type ArtifactRow, type Review, ReviewChip } from "./review-chip.tsx";

/** What is chosen: a session, and the name of an artifact after a blank. */
export function Artifacts() {
  const { chosen } = route.value;
  const [session = "", ...words] = chosen.split(" ");
  const name = words.join(" ");
  const sessions = useAnswer("list_sessions", {});
  const current = sessions.data?.details.find((each) => each.current)?.id ?? "";
  const meant = session === "" ? current : session;
  const asked = meant === "" ? null : { session_id: meant };
  const artifacts = useAnswer("list_artifacts", asked);
  const reviews = useAnswer("list_reviews", asked);
  const rows = [...(artifacts.data?.artifacts ?? [])].sort((a, b) => b.created_at - a.created_at);
  const found = reviews.data?.reviews ?? [];
  const row = rows.find((each) => each.name === name);
  return (
    <div class={name === "" ? "split threads" : "split threads chosen"}>
      <section class="pane list" aria-label="Artifacts">
        <div class="sec filters">
          {meant !== "" && (
            <Pick
              label="Session"
              value={meant}
              choices={(sessions.data?.details ?? []).map((each) => [each.id, each.current ? `${each.id} (current)` : each.id] as const)}
              pick={(id) => go("artifacts", `${id} `)}
            />
          )}
        </div>
        <Refused why={artifacts.failure?.error ?? reviews.failure?.error} />
        {(artifacts.data !== undefined || (sessions.data !== undefined && meant === "")) && rows.length === 0 && (
          <Empty icon="artifacts" title="Nothing was posted in this session">
            <p class="t2">Agents post designs, reports and changes here.</p>
            <WriteLink words="Ask an agent for one" />
          </Empty>
        )}
        <ul>
          {rows.map((each) => (
            <li key={each.name}>
              <Row row={each} session={meant} isChosen={each.name === name} reviews={found.filter((review) => review.name === each.name)} />
            </li>
          ))}
        </ul>
      </section>
      {row === undefined ? (
        rows.length > 0 && <p class="pane hint t3">{name === "" ? "Choose an artifact to read it here." : "No artifact has this name."}</p>
      ) : (
        <Artifact
          key={`${meant} ${name}`}
          session={meant}
          row={row}
          reviews={found.filter((review) => review.name === name)}
          isCurrent={meant === current}
          again={reviews.again}
        />
      )}
    </div>
  );
}

interface RowProps {
  row: ArtifactRow;
  session: string;
  isChosen: boolean;
  reviews: readonly Review[];
}

const Row = ({ row, session, isChosen, reviews }: RowProps) => (
  <RowLink kind="part two art" to={addressOf("artifacts", `${session} ${row.name}`)} isChosen={isChosen}>
    <span class="grow">
      <span class="cut block subj">{row.name}</span>
      <span class="row sm t2">
        <span class="cut">
          {row.type}, version {row.version}, {row.created_by}
        </span>
        <ReviewChip review={reviews.find(({ version }) => version === row.version) ?? reviews[0]} version={row.version} />
      </span>
    </span>
    <At at={atSeconds(row.created_at)} />
  </RowLink>
);
