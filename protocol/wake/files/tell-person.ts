/** Telling one person one thing: a program without a shell, or a POST. spec/waking.md, "Telling a person". */
import fs from "node:fs";
import { fieldsOf, type News, type Notify, variablesOf } from "../../core/event/notify.ts";
import type { World } from "../../core/world.ts";
import { untied } from "../../git/git-environment.ts";
import { runProgram } from "../../store/run.ts";

const COMMAND_MS = 30_000;
const CALL_MS = 10_000;

/** How it went. `output` is the end of what a command wrote. */
export interface NotifyEnd {
  ok: boolean;
  detail: string;
  output: string;
}

/** Tells somebody of something. Never rejects, and tries once. @param signal ends it, with all that a command started */
export function runNotify(world: World, notify: Notify, news: News, signal?: AbortSignal): Promise<NotifyEnd> {
  const fields = fieldsOf(news, world.home().config().project.name);
  const line = `${JSON.stringify(fields)}\n`;
  if (notify.command !== undefined) return runCommand(world, notify.command, fields, line, signal);
  return call(notify.url as string, line, signal);
}

async function runCommand(
  world: World,
  { argv, cwd }: NonNullable<Notify["command"]>,
  fields: Record<string, string>,
  input: string,
  signal: AbortSignal | undefined,
): Promise<NotifyEnd> {
  if (fs.statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true)
    return { ok: false, detail: `the folder that it runs in is gone: ${cwd}`, output: "" };
  const env = { ...untied(world.env), ...variablesOf(fields) };
  const { exitCode, signal: killer, output } = await runProgram(argv, { cwd, env, timeoutMs: COMMAND_MS, signal, input });
  if (exitCode === 0) return { ok: true, detail: "exit code 0", output };
  const said = output.split("\n").at(-1)?.slice(0, 200) ?? "";
  const killed = killer !== undefined ? `killed by ${killer}` : signal?.aborted ? "killed when the pager ended" : "killed after 30 s";
  const detail = exitCode === null ? killed : `exit code ${exitCode}${said === "" ? "" : `: ${said}`}`;
  return { ok: false, detail, output };
}

async function call(url: string, body: string, signal: AbortSignal | undefined): Promise<NotifyEnd> {
  const limit = AbortSignal.timeout(CALL_MS);
  try {
    const answer = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
      // Another address was granted by nobody.
      redirect: "manual",
      signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
    });
    await answer.body?.cancel();
    const isRedirect = answer.status >= 300 && answer.status < 400;
    const detail = isRedirect ? `status ${answer.status}: a redirect, which Relay does not follow` : `status ${answer.status}`;
    return { ok: answer.ok, detail, output: "" };
  } catch (error) {
    const cause = (error as Error).cause;
    const detail = limit.aborted
      ? "no answer within 10 s"
      : cause instanceof Error
        ? cause.message || String((cause as NodeJS.ErrnoException).code)
        : (error as Error).message;
    return { ok: false, detail, output: "" };
  }
}
