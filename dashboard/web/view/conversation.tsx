/** One conversation of the office: who asked for it, its questions, and its turns, the one that runs as it prints. */
import { useEffect, useRef } from "preact/hooks";
import { Back, Button, Chip, Refused, Since } from "../part/bits.tsx";
import { Icon } from "../part/icon.tsx";
import { Markdown } from "../part/markdown.tsx";
import { plain } from "../part/plain.ts";
import { about } from "../state/about.ts";
import { asDollars } from "../state/numbers.ts";
import { addressOf } from "../state/route.ts";
import { type AnswerOf, write } from "../state/server.ts";
import { shortTime, span } from "../state/time.ts";
import { printed } from "../state/told.ts";
import { say, useAct } from "../state/use-act.ts";
import { useAnswer } from "../state/use-answer.ts";
import { Question } from "./mail.tsx";

type Turn = AnswerOf<"office_log">["turns"][number];

/** @param nameOf the name of a position by its id; of anybody else, what is given */
export function Conversation({ id, nameOf }: { id: string; nameOf: (id: string) => string }) {
  const { data, failure, again } = useAnswer("office_log", { context: id });
  const act = useAct();
  const conversation = data?.conversation;
  const position = nameOf(conversation?.position ?? id);
  const isOver = conversation === undefined || ["closed", "failed"].includes(conversation.state);
  const stop = async (): Promise<void> => {
    if (!(await act.run(() => write("office_stop", { context: conversation?.context_id ?? id })))) return;
    say(`${position} is stopped.`, addressOf("office", id));
    again();
  };
  return (
    <aside class="pane" aria-label="Conversation">
      <div class="sec tall">
        <Back view="office" words="All positions" />
        <h2 class="cut">{position}</h2>
        {conversation !== undefined && <span class="t3">{conversation.state}</span>}
        <span class="grow" />
        {!isOver && !about.value.readOnly && (
          <Button kind="small bad" act={act} run={() => void stop()}>
            Stop
          </Button>
        )}
        <a class="btn quiet icon opt" href={addressOf("office")} aria-label="Close the conversation">
          <Icon name="close" small />
        </a>
      </div>
      <Refused why={act.why ?? failure?.error} />
      {conversation !== undefined && (
        <dl class="kv">
          <dt>Asked by</dt>
          <dd>{nameOf(conversation.initiator)}</dd>
          <dt>Since</dt>
          <dd>
            <Since at={conversation.since} />
          </dd>
          {conversation.cost_usd !== null && (
            <>
              <dt>Cost</dt>
              <dd>{asDollars(conversation.cost_usd)}</dd>
            </>
          )}
          <dt>Thread</dt>
          <dd>
            <a class="lnk" href={addressOf("threads", conversation.thread)}>
              {plain(conversation.subject)}
            </a>
          </dd>
        </dl>
      )}
      {(conversation?.awaiting_input ?? []).map((message) => (
        <Asked key={message} message={message} nameOf={nameOf} done={again} />
      ))}
      <ol class="turns">
        {[...(data?.turns ?? [])].reverse().map((turn) => (
          <TurnRow key={turn.turn} turn={turn} dispatch={conversation?.thread ?? id} />
        ))}
      </ol>
    </aside>
  );
}

/** The thread of a message, whose id begins as its does. */
const threadOf = (message: string): string => message.replace(/^m-(\d{8}-[0-9a-z]+)-.*$/, "t-$1");

/** A question to people, which is answered in its own thread. */
function Asked({ message, nameOf, done }: { message: string; nameOf: (id: string) => string; done: () => void }) {
  const threadId = threadOf(message);
  const { data } = useAnswer("show", { threadId });
  const asked = data?.messages.find(({ messageId }) => messageId === message);
  return asked === undefined ? null : (
    <Question mail={{ ...asked, from: nameOf(asked.from), threadId, subject: asked.body.trim(), preview: "" }} isOpen done={done} />
  );
}

function TurnRow({ turn, dispatch }: { turn: Turn; dispatch: string }) {
  const isRunning = turn.outcome === null;
  const took = turn.ended === null ? "" : ` · ${span(Date.parse(turn.ended) - Date.parse(turn.at))}`;
  return (
    <li class="turn">
      <div class="row sm">
        <b class="nowrap">Turn {turn.turn}</b>
        <span class="t3 cut">
          {shortTime(Date.parse(turn.at))} · {turn.reason} · {turn.runner}
          {turn.model === null ? "" : ` ${turn.model}`}
          {took}
        </span>
        <span class="grow" />
        <Chip tone={isRunning ? "acc" : turn.problem === null ? "ok" : "bad"}>{turn.outcome ?? "runs"}</Chip>
      </div>
      <Refused why={turn.problem ?? undefined} />
      {isRunning && <Printed dispatch={dispatch} turn={turn.turn} />}
      {turn.text !== "" && <Markdown text={turn.text} />}
    </li>
  );
}

/** What a turn prints, followed until the reader scrolls up. */
function Printed({ dispatch, turn }: { dispatch: string; turn: number }) {
  const said = printed.value.get(dispatch);
  const text = said?.turn === turn ? said.text : "";
  const box = useRef<HTMLPreElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    if (box.current !== null && isAtEnd.current) box.current.scrollTop = box.current.scrollHeight;
  }, [text]);
  return (
    <pre
      class="plain live-text"
      ref={box}
      role="log"
      aria-label="What it prints"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it.
      tabIndex={0}
      onScroll={({ currentTarget: each }) => (isAtEnd.current = each.scrollTop + each.clientHeight > each.scrollHeight - 24)}
    >
      {text === "" ? "It has printed nothing yet." : text}
    </pre>
  );
}
