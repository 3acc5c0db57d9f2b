/** Scripted models behind the three protocols, on loopback; every request is kept. */
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { claudeAnswers, type MessagesRequest, seenByClaude } from "./anthropic.ts";
import { type GeminiRequest, geminiAnswers, seenByGemini } from "./gemini.ts";
import { codexAnswers, type ResponsesRequest, seenByCodex } from "./responses.ts";
import type { Answer, Counted, Script, Seen } from "./seen.ts";

/** One request of an agent's conversation, and what it was answered. */
export interface Turn {
  seen: Seen;
  answer: Answer;
}

/** What one request cost, as the model said it to its agent. */
export interface Charged extends Counted {
  agent: Seen["agent"];
  model: string;
  /** Whether it belongs to a conversation, and is no question of the agent's own, such as for a title. */
  isTurn: boolean;
}

const FEW: Counted = { input: 10, cached: 0, written5m: 0, written1h: 0, output: 5, reasoning: 0 };

/** What a model says that has nothing to do. */
const DONE = "Done.";

/** A server for any number of agents. Who asks is known by protocol and working directory. */
export class Models {
  /** Every turn of every conversation, in order; what agents ask besides, such as for a title, is not among them. */
  readonly turns: Turn[] = [];
  /** What went wrong in a script. */
  readonly faults: string[] = [];
  readonly #server = http.createServer((request, response) => void this.#answer(request, response));
  /** What every request cost. */
  readonly charged: Charged[] = [];
  /** What a request costs that has nothing else said of it; the tests of usage say other numbers. @param serial counts all requests from 0 */
  counts: (seen: Seen, serial: number) => Counted = () => FEW;
  /** Answers a request with an error in place of an answer, where it gives a status. @param serial counts all requests from 0 */
  fails: (seen: Seen, attempt: number) => number | undefined = () => undefined;
  #attempts = 0;
  #script: (seen: Seen) => Promise<Answer | undefined> = async () => undefined;

  /** Listens on a free port of loopback. */
  static async start(): Promise<Models> {
    const models = new Models();
    models.#server.listen(0, "127.0.0.1");
    await once(models.#server, "listening");
    return models;
  }

  /** Its address, without a slash at the end. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** What the models do from now on. The first script that has something to say is taken. */
  play(...scripts: Script[]): void {
    this.#script = async (seen) => {
      for (const script of scripts) {
        const answer = await script(seen);
        if (answer !== undefined) return answer;
      }
      return undefined;
    };
  }

  /** The turns of one worktree's agent. */
  turnsIn(cwd: string): Turn[] {
    return this.turns.filter(({ seen }) => seen.cwd === cwd);
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }

  async #answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    let text = "";
    for await (const piece of request.setEncoding("utf8")) text += piece;
    const path = (request.url ?? "").split("?")[0] as string;
    const send = (body: string, streamed: boolean): void => {
      response.writeHead(200, { "content-type": streamed ? "text/event-stream" : "application/json" });
      response.end(body);
    };
    if (request.method !== "POST") send("{}", false);
    else if (path.endsWith("/count_tokens")) send('{"input_tokens":10}', false);
    else if (path.endsWith(":countTokens")) send('{"totalTokens":10}', false);
    else if (path.endsWith("/v1/messages")) {
      const body = JSON.parse(text) as MessagesRequest;
      const seen = seenByClaude(body);
      if (this.#refuses(seen, response)) return;
      const answer = await this.#say(seen);
      send(claudeAnswers(body, seen, answer, this.charged.length, this.#charge(seen, body.model)), body.stream === true);
    } else if (path.endsWith("/responses")) {
      const body = JSON.parse(text) as ResponsesRequest;
      const seen = seenByCodex(body);
      if (this.#refuses(seen, response)) return;
      const answer = await this.#say(seen);
      send(codexAnswers(seen, answer, this.charged.length, this.#charge(seen, body.model)), true);
    } else if (/:(streamG|g)enerateContent$/.test(path)) {
      const seen = seenByGemini(JSON.parse(text) as GeminiRequest);
      const streamed = path.endsWith(":streamGenerateContent");
      if (this.#refuses(seen, response)) return;
      const model = /models\/([^:]+):/.exec(path)?.[1] ?? "";
      const answer = await this.#say(seen);
      send(geminiAnswers(seen, answer, streamed, this.#charge(seen, model)), streamed);
    } else {
      response.writeHead(404).end("{}");
    }
  }

  #charge(seen: Seen, model: string): Counted {
    const counted = this.counts(seen, this.charged.length);
    this.charged.push({ ...counted, agent: seen.agent, model, isTurn: seen.tools.length > 0 });
    return counted;
  }

  #refuses(seen: Seen, response: http.ServerResponse): boolean {
    const status = this.fails(seen, this.#attempts++);
    if (status === undefined) return false;
    response.writeHead(status, { "content-type": "application/json", "retry-after": "0" });
    response.end(JSON.stringify({ type: "error", error: { type: "rate_limit_error", message: "slow down" } }));
    return true;
  }

  async #say(seen: Seen): Promise<Answer> {
    // Without tools it is a question of the agent's own, such as for a title.
    if (seen.tools.length === 0) return DONE;
    let answer: Answer = DONE;
    try {
      answer = (await this.#script(seen)) ?? DONE;
      if (typeof answer !== "string") for (const call of [answer].flat()) requireOffered(seen, call.tool);
    } catch (error) {
      this.faults.push(String(error));
      answer = `The script failed: ${error}`;
    }
    this.turns.push({ seen, answer });
    return answer;
  }
}

/** A call of what was not offered is a fault of the script, and answered in words. */
function requireOffered({ tools }: Seen, tool: string): void {
  if (!tools.some(({ name }) => name === tool))
    throw new Error(`not offered: ${tool}; offered: ${tools.map(({ name }) => name).join(" ")}`);
}
