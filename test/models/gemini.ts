/** The Gemini protocol, as Gemini CLI speaks it: generateContent, and streamGenerateContent. */
import { type Answer, type Counted, callsOf, type Item, newsOf, offered, type Seen, toolNamed } from "./seen.ts";

interface Part {
  text?: string;
  functionCall?: { name: string };
  functionResponse?: { name: string; response: { output?: string } };
}

/** A request's body. */
export interface GeminiRequest {
  systemInstruction?: { parts: Part[] };
  tools?: { functionDeclarations?: { name: string }[] }[];
  contents: { role?: string; parts: Part[] }[];
}

/** What a model sees of a request. */
export function seenByGemini(request: GeminiRequest): Seen {
  const items = request.contents.flatMap(({ role, parts }) =>
    parts.map(
      (part): Item => ({
        by: role === "model" ? "model" : "other",
        text: part.text ?? part.functionResponse?.response.output ?? JSON.stringify(part),
        isResult: part.functionResponse !== undefined,
      }),
    ),
  );
  const system = (request.systemInstruction?.parts ?? []).map(({ text }) => text ?? "").join("\n");
  const cwd = /Workspace Directories:\*{0,2}\s*\n\s*- (.+)|working in the directory: (.+)/.exec(
    [...items.map(({ text }) => text), system].join("\n"),
  );
  const tools = (request.tools ?? []).flatMap(({ functionDeclarations }) => functionDeclarations ?? []);
  return {
    agent: "gemini",
    cwd: cwd?.[1] ?? cwd?.[2] ?? "",
    tools: tools.map((tool) => toolNamed(tool.name, tool)),
    system,
    ...newsOf(items),
  };
}

/** An answer as the body of a response. @param streamed whether as server-sent events */
export function geminiAnswers(seen: Seen, answer: Answer, streamed: boolean, counted: Counted): string {
  const parts =
    typeof answer === "string"
      ? [{ text: answer }]
      : callsOf(answer).map((call) => ({
          functionCall: { name: (offered(seen, call).wire as { name: string }).name, args: call.args ?? {} },
        }));
  const body = JSON.stringify({
    candidates: [{ index: 0, content: { role: "model", parts }, finishReason: "STOP" }],
    usageMetadata: {
      promptTokenCount: counted.input,
      cachedContentTokenCount: counted.cached,
      candidatesTokenCount: counted.output - counted.reasoning,
      thoughtsTokenCount: counted.reasoning,
      totalTokenCount: counted.input + counted.output,
    },
  });
  return streamed ? `data: ${body}\n\n` : body;
}
