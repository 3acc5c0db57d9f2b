/** Who wakes parts, and what became of wakes: owed, delivered, settled. */
import { At } from "../part/bits.tsx";
import type { AnswerOf } from "../state/server.ts";
import { span } from "../state/time.ts";

type Wakes = AnswerOf<"wakes">;
type Story = Wakes["wakes"][number];

type Step = "owed" | "delivered" | "settled" | "failed";

/** What became of a wake, in words; and whether it is owed, delivered, settled, or came to nothing. */
const BECAME: Readonly<Record<string, readonly [step: Step, words: string]>> = {
  owed: ["owed", "owed"],
  kept_back: ["owed", "kept back"],
  ringing: ["owed", "ringing"],
  rung: ["delivered", "delivered"],
  heard: ["delivered", "noticed"],
  acked: ["settled", "settled"],
  withdrawn: ["settled", "not needed"],
  failed: ["failed", "failed"],
  released: ["failed", "given up"],
  replaced: ["failed", "replaced"],
  left: ["failed", "not answered"],
};
const SHOWN = 8;

const stepOf = ({ became }: Story): Step => BECAME[became]?.[0] ?? "owed";

export function Waking({ pager, data }: { pager: boolean; data: Wakes | undefined }) {
  const stories = data?.wakes ?? [];
  const waiting = (data?.waiting ?? []).filter(({ reason }) => reason !== "human");
  const { delivered = 0, budget = 0 } = data?.hour ?? {};
  return (
    <>
      <div class="sec gap">
        <h2>Waking</h2>
        <span class="grow" />
        <span class={pager ? "sm ok" : "sm warn"}>{pager ? "pager runs" : "no pager runs"}</span>
      </div>
      <p class="hint sm t3">{data === undefined ? "…" : `${delivered} of ${budget} wakes this hour`}</p>
      {(pager ? waiting : []).map(({ part, unread, state, reason }) => (
        <p class="pad sm" key={part}>
          {part}: {state}, {unread} unread{reason === undefined ? "" : `: ${reason}`}
        </p>
      ))}
      {stories.length > 0 && (
        <ul aria-label="The last wakes">
          {stories.slice(0, SHOWN).map((story) => (
            <Wake key={`${story.part} ${story.wakeId}`} story={story} />
          ))}
        </ul>
      )}
    </>
  );
}

function Wake({ story }: { story: Story }) {
  const step = stepOf(story);
  const facts = [
    story.rung === undefined ? "" : `by ${story.rung}`,
    story.tookMs === undefined ? "" : `after ${story.tookMs < 10_000 ? `${(story.tookMs / 1_000).toFixed(1)} s` : span(story.tookMs)}`,
    story.reason ?? "",
    story.detail ?? "",
  ].filter((each) => each !== "");
  return (
    <li class="chg wake">
      <At at={story.lastAt} />
      <span class="sm cut" title={facts.join(", ")}>
        <b>{story.part}</b>{" "}
        <span class={{ owed: "warn", delivered: "t2", settled: "ok", failed: "bad" }[step]}>
          {BECAME[story.became]?.[1] ?? story.became}
        </span>{" "}
        <span class="t3">{facts.join(", ")}</span>
      </span>
    </li>
  );
}
