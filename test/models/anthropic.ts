/** The Messages protocol, as Claude Code speaks it, and most others that can be told where a model is. */
import { type Answer, type Counted, callsOf, type Item, newsOf, offered, type Seen, toolNamed } from "./seen.ts";

interface Block {
  type: string;
  text?: string;
  content?: string | Block[];
}

/** A request's body. */
export interface MessagesRequest {
  model: string;
  stream?: boolean;
  system?: string | Block[];
  tools?: { name: string }[];
  messages: { role: "user" | "assistant" | "system"; content: string | Block[] }[];
}

const plain = (content: string | Block[] | undefined): string =>
  typeof content === "string" ? content : (content ?? []).map((block) => block.text ?? plain(block.content)).join("\n");

/** What a model sees of a request. */
export function seenByClaude(request: MessagesRequest): Seen {
  const items = request.messages.flatMap(({ role, content }): Item[] =>
    (typeof content === "string" ? [{ type: "text", text: content }] : content).map((block) => ({
      by: role === "assistant" ? "model" : "other",
      text: block.text ?? plain(block.content),
      isResult: block.type === "tool_result",
    })),
  );
  const system = plain(request.system);
  const cwd = /(?:working (?:in the )?directory: |<cwd>\n)(.+)/i.exec([system, ...items.map(({ text }) => text)].join("\n"))?.[1] ?? "";
  return { agent: "claude", cwd, tools: (request.tools ?? []).map((tool) => toolNamed(tool.name, tool)), system, ...newsOf(items) };
}

/** An answer as the body of a response: server-sent events where the request asks for a stream. */
export function claudeAnswers(request: MessagesRequest, seen: Seen, answer: Answer, serial: number, counted: Counted): string {
  const calls = callsOf(answer);
  const content =
    typeof answer === "string"
      ? [{ type: "text", text: answer }]
      : calls.map((call, index) => ({
          type: "tool_use",
          id: `toolu_${serial}_${index}`,
          name: (offered(seen, call).wire as { name: string }).name,
          input: call.args ?? {},
        }));
  const { input, cached, written5m, written1h, output } = counted;
  const usage = {
    input_tokens: input - cached - written5m - written1h,
    output_tokens: output,
    cache_creation_input_tokens: written5m + written1h,
    cache_read_input_tokens: cached,
    cache_creation: { ephemeral_5m_input_tokens: written5m, ephemeral_1h_input_tokens: written1h },
  };
  const message = { id: `msg_${serial}`, type: "message", role: "assistant", model: request.model, usage };
  const ended = { stop_reason: calls.length === 0 ? "end_turn" : "tool_use", stop_sequence: null };
  if (request.stream !== true) return JSON.stringify({ ...message, ...ended, content });
  const events: { type: string }[] = [
    // As the real one does: what is written so far, and at the end all of it.
    {
      type: "message_start",
      message: { ...message, usage: { ...usage, output_tokens: 1 }, content: [], stop_reason: null, stop_sequence: null },
    } as { type: string },
    ...content.flatMap((block, index) => {
      const isText = "text" in block;
      const start = isText ? { type: "text", text: "" } : { ...block, input: {} };
      const delta = isText
        ? { type: "text_delta", text: block.text }
        : { type: "input_json_delta", partial_json: JSON.stringify(block.input) };
      return [
        { type: "content_block_start", index, content_block: start },
        { type: "content_block_delta", index, delta },
        { type: "content_block_stop", index },
      ];
    }),
    { type: "message_delta", delta: ended, usage } as { type: string },
    { type: "message_stop" },
  ];
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}
