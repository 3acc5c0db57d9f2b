/** The office: its positions as a tree, what each is at, and the turns of the conversation that is chosen. */
import { useRef, useState } from "preact/hooks";
import { Button, Chip, Command, Empty, Refused, Since, scrolledTo } from "../part/bits.tsx";
import { plain } from "../part/plain.ts";
import { exported } from "../record/exported.ts";
import { asDollars } from "../state/numbers.ts";
import { addressOf, route } from "../state/route.ts";
import type { AnswerOf } from "../state/server.ts";
import { useAnswer } from "../state/use-answer.ts";
import { Conversation } from "./conversation.tsx";

type Tree = AnswerOf<"office_tree">;
type Work = Tree["conversations"][number];
type Position = Tree["positions"][number];

/** The columns, with their classes. */
const HEADS = { Position: "", State: "", Work: "opt", Since: "num", Turns: "num", Cost: "num opt" };
const TONES: Readonly<Record<string, string>> = { running: "on", waiting: "lim", idle: "idle" };

const DEEPEST = 3;
/** Begins what is chosen where that is a position, and no conversation. */
export const OF_POSITION = "position ";

export function Office() {
  const { chosen } = route.value;
  const conversation = chosen.startsWith(OF_POSITION) ? "" : chosen;
  // Where each page that is shown began; the newest one is the first.
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const cursor = cursors.at(-1);
  const answer = useAnswer("office_tree", cursor === undefined ? {} : { cursor });
  const { failure } = answer;
  // While another page is asked for, the one before is shown.
  const last = useRef(answer.data);
  last.current = answer.data ?? last.current;
  const data = last.current;
  const isThere = failure === undefined || !/there is no office|expected the office's own file/.test(failure.error);
  if (data === undefined)
    return (
      <section class="pane" aria-label="Office">
        {failure !== undefined && exported !== null && <Empty icon="office" title="No office is in this file" />}
        {failure !== undefined && exported === null && (
          <Empty icon="office" title={isThere ? "The office cannot be used" : "No office is set up here"}>
            <p class="t2">
              {isThere
                ? failure.error
                : "An office runs agents that are not alive: each gets work, answers, and ends. To make a first one:"}
            </p>
            <Command text={isThere ? "relay office check" : "relay office init"} />
          </Empty>
        )}
      </section>
    );
  return (
    <div class={conversation === "" ? "split wide" : "split office chosen"}>
      <section class="pane" aria-label="Positions">
        <div class="sec wrap">
          <h2>{data.name}</h2>
          <span class="grow" />
          <span class={data.runner ? "sm ok" : "sm t3"}>{data.runner ? "The runner runs" : "No runner runs"}</span>
          {!data.runner && data.conversations.length > 0 && exported === null && <Command text="relay office run" />}
        </div>
        <Refused why={failure?.error} />
        <table class="tbl">
          <thead>
            <tr>
              {Object.entries(HEADS).map(([words, kind]) => (
                <th key={words} scope="col" class={kind}>
                  {words}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {(cursor === undefined ? data.positions : data.positions.filter((each) => conversationsOf(data, each).length > 0)).map(
              (position) => (
                <PositionRows
                  key={position.id}
                  position={position}
                  depth={depthOf(data, position)}
                  conversations={conversationsOf(data, position)}
                  chosen={chosen}
                />
              ),
            )}
          </tbody>
          {data.conversations.length > 0 && (
            <tfoot>
              <tr>
                <th scope="row">
                  {data.conversations.length === 1 ? "1 conversation" : `${data.conversations.length} conversations`}
                  {data.cursor !== null && <span class="t3"> shown</span>}
                </th>
                <td />
                <td class="opt" />
                <td />
                <td class="num">{data.conversations.reduce((sum, { turns }) => sum + turns, 0)}</td>
                <td class="num opt">{totalOf(data.conversations)}</td>
              </tr>
            </tfoot>
          )}
        </table>
        {(data.cursor !== null || cursor !== undefined) && (
          <p class="row pad">
            {cursor !== undefined && <Button run={() => setCursors(cursors.slice(0, -1))}>Newer ones</Button>}
            {data.cursor !== null && <Button run={() => setCursors([...cursors, data.cursor as string])}>Older ones</Button>}
          </p>
        )}
        {data.limitFaults.map((fault) => (
          <p class="hint sm warn" key={fault}>
            {fault}
          </p>
        ))}
        {data.conversations.length === 0 && cursor === undefined && (
          <div class="hint">
            <p class="t2">Nobody was given work yet. Give the lead a goal:</p>
            <Command text='relay office start "Show prices with tax, with tests."' />
          </div>
        )}
      </section>
      {conversation !== "" && (
        <Conversation key={conversation} id={conversation} nameOf={(id) => data.positions.find((each) => each.id === id)?.name ?? id} />
      )}
    </div>
  );
}

const conversationsOf = ({ conversations }: Tree, { id }: Position): Work[] => conversations.filter(({ position }) => position === id);

/** How many positions are above one. */
function depthOf({ positions }: Tree, position: Position): number {
  let depth = 0;
  for (let above = position.parent; above !== null && depth < DEEPEST; depth += 1)
    above = positions.find(({ id }) => id === above)?.parent ?? null;
  return depth;
}

const costOf = (cost: number | null): string => (cost === null ? "" : asDollars(cost));
const totalOf = (some: readonly Work[]): string => {
  const known = some.flatMap(({ cost_usd }) => cost_usd ?? []);
  return known.length === 0 ? "" : asDollars(known.reduce((sum, cost) => sum + cost, 0));
};

interface RowsProps {
  position: Position;
  depth: number;
  conversations: readonly Work[];
  chosen: string;
}

/** A row for each conversation of a position; one for a position that has none. */
function PositionRows({ position, depth, conversations, chosen }: RowsProps) {
  const meant = chosen === `${OF_POSITION}${position.id}` ? { class: "sel", "aria-current": "true" as const, ref: scrolledTo } : {};
  const indent = { paddingLeft: `${20 * Math.min(DEEPEST, depth)}px` };
  const works: readonly (Work | null)[] = conversations.length === 0 ? [null] : conversations;
  return (
    <>
      {works.map((each, at) => (
        <tr key={each?.thread ?? ""} class={each?.thread === chosen ? "sel" : ""} {...(at === 0 ? meant : {})}>
          <td>
            {each === null ? (
              <span class="tree nowrap" style={indent} title={position.description}>
                {position.name}
              </span>
            ) : (
              <>
                <a class="tree nowrap" style={indent} data-row href={addressOf("office", each.thread)}>
                  {at === 0 ? position.name : <span class="t3">{position.name}</span>}
                </a>
                <span class="tree sub sm t3" style={indent}>
                  <span class="cut">{plain(each.subject)}</span>
                  {each.cost_usd !== null && <span>{costOf(each.cost_usd)}</span>}
                </span>
              </>
            )}
          </td>
          <td class="nowrap">{each === null ? <span class="t3">no work</span> : <State of={each} />}</td>
          <td class="opt work">
            <span class="cut block">{plain(each?.subject ?? "")}</span>
          </td>
          <td class="num">{each !== null && <Since at={each.since} />}</td>
          <td class="num">{each?.turns}</td>
          <td class="num opt">{costOf(each?.cost_usd ?? null)}</td>
        </tr>
      ))}
    </>
  );
}

const State = ({ of: { state, outcome, awaiting_input: asks } }: { of: Work }) => (
  <span class="st">
    {asks.length > 0 ? (
      <Chip tone="bad">asks you</Chip>
    ) : (
      <>
        <span class={`dot ${TONES[state] ?? "off"}`} aria-hidden="true" />
        {state}
      </>
    )}
    {outcome !== null && outcome !== state && outcome !== "ok" && <Chip tone={state === "failed" ? "bad" : ""}>{outcome}</Chip>}
  </span>
);
