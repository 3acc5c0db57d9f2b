/** What a part sent, the newest first, with how far each message came to each of its recipients. */
import { At, Chip, Empty, Origin, Receipt, Refused, RowLink } from "../part/bits.tsx";
import { beside, plain } from "../part/plain.ts";
import { addressOf } from "../state/route.ts";
import type { AnswerOf } from "../state/server.ts";
import { useAnswer } from "../state/use-answer.ts";

type Brief = AnswerOf<"threads">["threads"][number];

/** So many threads are shown in which the part wrote; each is a question of its own. */
const THREADS = 10;
/** So many messages of a thread are looked through, and so many of them shown. */
const LOOKED = 20;
const SHOWN = 3;

export function Sent({ owner }: { owner: string }) {
  const { data, failure } = useAnswer("threads", { from: owner, limit: THREADS });
  const threads = data?.threads ?? [];
  return (
    <>
      <Refused why={failure?.error} />
      {data !== undefined && threads.length === 0 && <Empty icon="now" title={`${owner} has sent nothing of late`} />}
      <ul aria-label="Sent messages">
        {threads.map((thread) => (
          <SentIn key={thread.id} thread={thread} owner={owner} />
        ))}
      </ul>
      {data?.cursor != null && (
        <p class="hint t3">
          Older ones: <code>relay threads --from {owner}</code>
        </p>
      )}
    </>
  );
}

function SentIn({ thread, owner }: { thread: Brief; owner: string }) {
  const { data, failure } = useAnswer("show", { threadId: thread.id, limit: LOOKED });
  const own = (data?.messages ?? []).filter(({ from }) => from === owner).reverse();
  return (
    <>
      {failure !== undefined && (
        <li>
          <Refused why={failure.error} />
        </li>
      )}
      {own.slice(0, SHOWN).map(({ messageId, body, to, at, urgent, origin, receipts }) => (
        <li key={messageId}>
          <RowLink kind="part sent" to={addressOf("threads", thread.id)}>
            <span class="grow">
              <span class="row">
                <span class="cut">
                  <span class="subj">{plain(thread.subject)}</span> <span class="t3">{beside(thread.subject, body)}</span>
                </span>
                <span class="grow" />
                <Origin origin={origin} />
                {urgent && <Chip tone="bad">urgent</Chip>}
                <At at={at} />
              </span>
              <span class="rcs">
                {receipts.length === 0 ? (
                  <span class="sm t3">to {to.join(", ")}</span>
                ) : (
                  receipts.map((receipt) => <Receipt key={receipt.part} {...receipt} />)
                )}
              </span>
            </span>
          </RowLink>
        </li>
      ))}
    </>
  );
}
