/** The Responses protocol, as Codex speaks it: always a stream. */
import { type Answer, type Counted, callsOf, type Item, newsOf, offered, type Seen, type SeenTool } from "./seen.ts";

interface Part {
  text?: string;
}

/** A request's body. */
export interface ResponsesRequest {
  model: string;
  instructions?: string;
  tools?: { type: string; name: string; description?: string; tools?: { name: string }[] }[];
  input: { type: string; role?: string; content?: Part[]; output?: string | Part[]; arguments?: string }[];
}

const plain = (parts: string | readonly Part[] | undefined): string =>
  typeof parts === "string" ? parts : (parts ?? []).map(({ text }) => text ?? "").join("\n");

/** What a model sees of a request. */
export function seenByCodex(request: ResponsesRequest): Seen {
  // What developers say before a user does are instructions; later it is what hooks add.
  const begins = Math.max(
    0,
    request.input.findIndex(({ role }) => role !== "developer"),
  );
  const items = request.input.slice(begins).map((item): Item => {
    const isResult = item.type.endsWith("_output");
    const byModel = !isResult && item.role !== "user" && item.role !== "developer";
    return { by: byModel ? "model" : "other", text: isResult ? plain(item.output) : (item.arguments ?? plain(item.content)), isResult };
  });
  const developer = request.input.slice(0, begins).map(({ content }) => plain(content));
  const cwd = items.map(({ text }) => /<cwd>(.*?)<\/cwd>/.exec(text)?.[1]).findLast((found) => found !== undefined) ?? "";
  // What a server says of itself stands over its tools.
  const servers = (request.tools ?? []).flatMap(({ type, description }) => (type === "namespace" ? [description ?? ""] : []));
  const system = [request.instructions ?? "", ...developer, ...servers].join("\n");
  return { agent: "codex", cwd, tools: (request.tools ?? []).flatMap(toolsOf), system, ...newsOf(items) };
}

/** The tools of an entry: of a server's namespace, each by itself. */
function toolsOf(entry: NonNullable<ResponsesRequest["tools"]>[number]): SeenTool[] {
  if (entry.type !== "namespace") return [{ name: entry.name ?? entry.type, server: null, wire: entry }];
  const server = /^mcp__(.+?)_*$/.exec(entry.name)?.[1] ?? null;
  return (entry.tools ?? []).map((tool) => ({ name: tool.name, server, wire: { ...tool, namespace: entry.name } }));
}

/** An answer as a stream of server-sent events. */
export function codexAnswers(seen: Seen, answer: Answer, serial: number, counted: Counted): string {
  const id = `resp_${serial}`;
  const items =
    typeof answer === "string"
      ? [{ type: "message", role: "assistant", id: `msg_${serial}`, content: [{ type: "output_text", text: answer, annotations: [] }] }]
      : callsOf(answer).map((call, index) => {
          const { name, namespace } = offered(seen, call).wire as { name: string; namespace?: string };
          const called = { type: "function_call", id: `fc_${serial}_${index}`, call_id: `call_${serial}_${index}`, name };
          return { ...called, ...(namespace === undefined ? {} : { namespace }), arguments: JSON.stringify(call.args ?? {}) };
        });
  const usage = {
    input_tokens: counted.input,
    input_tokens_details: { cached_tokens: counted.cached },
    output_tokens: counted.output,
    output_tokens_details: { reasoning_tokens: counted.reasoning },
    total_tokens: counted.input + counted.output,
  };
  const events: { type: string }[] = [
    { type: "response.created", response: { id } } as { type: string },
    ...items.map((item, index) => ({ type: "response.output_item.done", output_index: index, item })),
    { type: "response.completed", response: { id, usage } } as { type: string },
  ];
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}
