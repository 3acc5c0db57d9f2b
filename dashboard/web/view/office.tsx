/** The office: its positions as a tree, what each is at, and the turns of the conversation that is chosen. */
import { Chip, Command, Empty, Refused, Since } from "../part/bits.tsx";
import { Icon } from "../part/icon.tsx";
import { Markdown } from "../part/markdown.tsx";
import { about } from "../state/about.ts";
import { addressOf, go, route } from "../state/route.ts";
import { type AnswerOf, write } from "../state/server.ts";
import { shortTime } from "../state/time.ts";
import { useAct } from "../state/use-act.ts";
import { useAnswer } from "../state/use-answer.ts";

type Tree = AnswerOf<"office_tree">;
type Conversation = Tree["conversations"][number];
type Position = Tree["positions"][number];

const TONES: Readonly<Record<string, string>> = {
  running: "on",
  queued: "off",
  waiting: "lim",
  idle: "idle",
  failed: "off",
  closed: "off",
};

export function Office() {
  const { chosen } = route.value;
  const { data, failure } = useAnswer("office_tree", {});
  if (data === undefined)
    return (
      <section class="pane" aria-label="Office">
        {failure !== undefined && (
          <Empty icon="office" title="No office is set up here">
            <p class="t2">{failure.error}</p>
            <Command text="relay office init" />
          </Empty>
        )}
      </section>
    );
  return (
    <div class={chosen === "" ? "split wide" : "split office chosen"}>
      <section class="pane" aria-label="Positions">
        <div class="sec">
          <h2>{data.name}</h2>
          <span class="grow" />
          <span class={data.runner ? "sm ok" : "sm t3"}>{data.runner ? "runner works" : "nothing runs"}</span>
        </div>
        <table class="tbl">
          <thead>
            <tr>
              <th scope="col">Position</th>
              <th scope="col">State</th>
              <th scope="col" class="opt">
                Work
              </th>
              <th scope="col" class="num">
                Since
              </th>
              <th scope="col" class="num">
                Turns
              </th>
              <th scope="col" class="num opt">
                Cost
              </th>
            </tr>
          </thead>
          <tbody>
            {data.positions.map((position) => (
              <PositionRows
                key={position.id}
                position={position}
                depth={depthOf(data, position)}
                conversations={conversationsOf(data, position)}
                chosen={chosen}
              />
            ))}
          </tbody>
        </table>
      </section>
      {chosen !== "" && <Turns key={chosen} id={chosen} />}
    </div>
  );
}

const conversationsOf = ({ conversations }: Tree, { id }: Position): Conversation[] =>
  conversations.filter(({ position }) => position === id);

function depthOf({ positions }: Tree, position: Position): number {
  const above = positions.find(({ id }) => id === position.parent);
  return above === undefined ? 0 : 1 + depthOf({ positions } as Tree, above);
}

const costOf = (cost: number | null): string => (cost === null ? "" : `$${cost.toFixed(2)}`);

function PositionRows({
  position,
  depth,
  conversations,
  chosen,
}: {
  position: Position;
  depth: number;
  conversations: readonly Conversation[];
  chosen: string;
}) {
  if (conversations.length === 0)
    return (
      <tr>
        <td>
          <span class={`tree d${Math.min(3, depth)}`} title={position.description}>
            {position.name}
          </span>
        </td>
        <td class="t3">at rest</td>
        <td class="opt" />
        <td />
        <td />
        <td class="opt" />
      </tr>
    );
  return (
    <>
      {conversations.map((each, at) => (
        <tr key={each.thread} class={each.thread === chosen ? "sel" : ""}>
          <td>
            <a class={`tree d${Math.min(3, depth)} lnk-plain`} data-row href={addressOf("office", each.thread)}>
              {at === 0 ? position.name : <span class="t3">again {position.name}</span>}
            </a>
          </td>
          <td>
            <span class="st">
              <span class={`dot ${TONES[each.state] ?? "off"}`} aria-hidden="true" />
              {each.state}
              {each.outcome !== null && each.outcome !== each.state && (
                <Chip tone={each.state === "failed" ? "bad" : ""}>{each.outcome}</Chip>
              )}
            </span>
          </td>
          <td class="opt work">
            <span class="cut block">{each.subject}</span>
          </td>
          <td class="num">
            <Since at={each.since} />
          </td>
          <td class="num">{each.turns}</td>
          <td class="num opt">{costOf(each.cost_usd)}</td>
        </tr>
      ))}
    </>
  );
}

function Turns({ id }: { id: string }) {
  const { data, failure, again } = useAnswer("office_log", { context: id });
  const act = useAct();
  const conversation = data?.conversation;
  const isOver = conversation === undefined || ["closed", "failed"].includes(conversation.state);
  const stop = async (): Promise<void> => {
    if (await act.run(() => write("office_stop", { context: conversation?.context_id ?? id }))) again();
  };
  return (
    <aside class="pane" aria-label="Conversation">
      <div class="sec tall">
        <h2 class="cut">{conversation?.position ?? id}</h2>
        <span class="grow" />
        {!isOver && !about.value.readOnly && (
          <button type="button" class="btn small danger" disabled={act.isBusy} onClick={() => void stop()}>
            Stop
          </button>
        )}
        <a class="btn quiet icon" href={addressOf("office")} aria-label="Close the conversation">
          <Icon name="close" small />
        </a>
      </div>
      <Refused why={act.why ?? failure?.error} />
      {conversation !== undefined && (
        <dl class="kv">
          <dt>Asked by</dt>
          <dd>{conversation.initiator}</dd>
          <dt>State</dt>
          <dd>{conversation.state}</dd>
          <dt>Thread</dt>
          <dd>
            <button type="button" class="lnk bare" onClick={() => go("threads", conversation.thread)}>
              {conversation.subject}
            </button>
          </dd>
        </dl>
      )}
      <ol class="turns">
        {(data?.turns ?? []).map((turn) => (
          <li key={turn.turn} class="turn">
            <div class="row sm">
              <b>Turn {turn.turn}</b>
              <span class="t3">
                {shortTime(Date.parse(turn.at))} · {turn.reason} · {turn.runner}
                {turn.model === null ? "" : ` ${turn.model}`}
              </span>
              <span class="grow" />
              <Chip tone={turn.outcome === null ? "acc" : turn.problem === null ? "ok" : "bad"}>{turn.outcome ?? "runs"}</Chip>
            </div>
            <Refused why={turn.problem ?? undefined} />
            {turn.text !== "" && <Markdown text={turn.text} />}
          </li>
        ))}
      </ol>
    </aside>
  );
}
