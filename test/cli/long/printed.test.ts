/** What people see of every answer, when every text in it was written by somebody who means harm. */
import { expect, test } from "vitest";
import { printAnswer } from "../../../cli/print/print-answer.ts";
import { plainStyleFor } from "../../../cli/print/style.ts";
import { type AnyOperation, operationList, perform, type Refusal } from "../../../protocol/index.ts";
import { count } from "../../rig/counts.ts";
import { makeGoodHome, makeTheRest } from "../../rig/good-home.ts";
import { worldAt } from "../../rig/home.ts";
import { character, fc, runs } from "../../rig/properties.ts";
import { repository } from "../../rig/scratch.ts";

const HOSTILE = fc.oneof(
  fc.string({ unit: character, maxLength: 40 }),
  fc.constantFrom(
    ...["\u001b]52;c;ZXZpbA==\u0007", "\u001b]8;;http://x\u001b\\here\u001b]8;;\u001b\\", "\u009b2J", "\r\u001b[1Aoverwritten", "a\u202eb"],
    ...[
      "\u200b\u2060\u00ad",
      "\u{e0073}\u{e0079}\u{e0073}",
      "\u2028",
      "\ud800",
      "{{x}}",
      "%0A::error::",
      "`$(id)`",
      "\n\n## Heading\n---\n",
    ],
  ),
);

/** The answer with its texts replaced, one after the other, from a list. */
function hurt(value: unknown, texts: readonly string[], at: { next: number }): unknown {
  if (typeof value === "string") return texts[at.next++ % texts.length];
  if (Array.isArray(value)) return value.map((each) => hurt(each, texts, at));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, hurt(each, texts, at)]));
}

test("no text in any answer moves the cursor, hides, or turns round what is printed", async () => {
  const good = await makeGoodHome(repository());
  await makeTheRest(good);
  const [, day = "", random = ""] = /^dispatches\/([^/]+)\/([^/]+)\/dispatch\.md$/m.exec(good.files().join("\n")) ?? [];
  const thread = `t-${day.replaceAll("-", "")}-${random}`;
  const inputs: Record<string, Record<string, unknown>> = {
    show: { threadId: good.messages[0]?.split("/").at(-2) },
    diff: { from: "HEAD" },
    show_task: { task_id: good.held },
    show_review: { review_id: /reviews\/(review-\w+)\.md$/m.exec(good.files().join("\n"))?.[1] },
    get_artifact: { name: "login-design" },
    get_session_summary: { session_id: good.ended },
    search: { query: "price" },
    office_log: { context: thread },
    office_conversation: { conversation: "pm:shop" },
    office_read: { context_id: thread, agent_id: "main" },
    wait: { timeoutSeconds: 0 },
    team_suggest: { task: "an API for prices" },
  };
  const refused: string[] = [];
  const answers: [string, Record<string, unknown>][] = [];
  for (const operation of operationList as readonly AnyOperation[]) {
    if (operation.effect !== "read") continue;
    const given = { ...(operation.identity !== "none" ? { agent_id: "web" } : {}), ...inputs[operation.name] };
    try {
      answers.push([operation.name, await perform(worldAt(good.folder), operation, given)]);
    } catch (error) {
      refused.push(`${operation.name}: ${(error as Refusal).code}`);
    }
  }
  expect(refused).toEqual([]);
  const style = plainStyleFor(process.stdout, { NO_COLOR: "1" }, Date.now());
  let texts = 0;
  fc.assert(
    fc.property(fc.array(HOSTILE, { minLength: 5, maxLength: 20 }), (hostile) => {
      for (const [name, answer] of answers) {
        const at = { next: 0 };
        const printed = printAnswer(name, hurt(answer, hostile, at) as Record<string, unknown>, style, {});
        texts += at.next;
        const rest = printed.replace(/\u200c|\u200d|\ufe0e|\ufe0f/g, "");
        expect(rest, name).not.toMatch(/(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u);
      }
    }),
    { numRuns: runs(200) },
  );
  expect(texts).toBeGreaterThan(count(2_000, 10_000));
});
