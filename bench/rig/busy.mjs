/** A process that sends so many messages between two parts, ten a thread, and acks them as agents do. */
const { createWorld, operations, perform } = await import(new URL("../../dist/index.js", import.meta.url).href);

const [folder, one, other, count] = process.argv.slice(2);
const A_THREAD = 10;
const body = "What was said and done. ".repeat(20);
const worlds = { [one]: createWorld({ cwd: folder, part: one }), [other]: createWorld({ cwd: folder, part: other }) };
let threadId;
for (let n = 0; n < Number(count); n += 1) {
  const [from, to] = n % 2 === 0 ? [one, other] : [other, one];
  const sent =
    n % A_THREAD === 0
      ? await perform(worlds[from], operations.send, { to: [to], subject: `Number ${n}`, body })
      : await perform(worlds[from], operations.reply, { threadId, body });
  threadId = sent.threadId ?? threadId;
  await perform(worlds[to], operations.ack, { messageId: sent.messageId });
}
