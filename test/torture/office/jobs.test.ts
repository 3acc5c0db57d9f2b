/** Several jobs at once, in which others have the same names: every reply comes to its own call, and goes into its own job. */
import { expect, test } from "vitest";
import { count } from "../../rig/counts.ts";
import { agentText } from "../../rig/office.ts";
import { OfficeStage } from "../../rig/office-stage.ts";

const PROJECTS = ["shop", "bank"];
/** Of each project, an agent that is called as that of the other, under the project's own lead. */
const NAMESAKES = ["developer", "tester"];

/** Two projects whose members are called alike. */
function namesakes(): Record<string, string> {
  const of = (name: string): [string, string][] => [
    [`org/projects/${name}/project.yml`, `name: ${name}\nlead: ${name}-lead\nmembers:\n  agents: [${NAMESAKES.join(", ")}]\n`],
    ...[`${name}-lead`, ...NAMESAKES].map((who): [string, string] => [`org/projects/${name}/agents/${who}.md`, agentText(who)]),
  ];
  const list = `[${PROJECTS.join(", ")}]`;
  const office = `name: Head Office\nlead: office-manager\nprojects: ${list}\nmembers:\n  projects: ${list}\n`;
  return { "org/office.yml": office, ...Object.fromEntries(PROJECTS.flatMap(of)) };
}

/** Answers with who it is and the last line of what it was told but one: the sender's text. */
const WORKER = `text=$(sed -n 's/^> Text:/Text:/p'); printf '%s heard %s' "$RELAY_PART" "$text"`;

test("two jobs whose members have the same names, and two Sends at once to one of them: every reply comes to its own call", async () => {
  const stage = await OfficeStage.open(namesakes());
  await stage.workers(WORKER);
  stage.limits({ idle_s: 0.2, turns_at_once: 8 });
  const rounds = count(1, 50);
  for (let round = 0; round < rounds; round += 1) {
    const jobs = PROJECTS.map((name) => {
      const send = (member: string, word: string): object => ({ member, message: `Text: ${name} ${round} ${word}` });
      const steps = [
        { send: { ...send("tester", "later"), wait: false } },
        { all: [send("developer", "one"), send("developer", "two")] },
        { say: "asked" },
      ];
      return { name, id: stage.give(`${name}/lead`, `Go.\n\ndo: ${JSON.stringify(steps)}`) };
    });
    await stage.rest();
    for (const { name, id } of jobs) {
      const { dispatch, ends } = stage.state(id);
      expect(ends.at(-1)?.outcome).toBe("ok");
      const heard = stage.noted("answer").filter(({ context }) => context === dispatch.context);
      const words = heard.map(({ answer }) => answer.result as string | undefined).filter((text) => text !== undefined);
      const told = stage.noted("begin").filter(({ context }) => context === dispatch.context);
      const all = [...words, ...told.map(({ envelope }) => envelope as string)].join("\n");
      for (const [member, word] of [
        ["developer", "one"],
        ["developer", "two"],
        ["tester", "later"],
      ] as const)
        expect(all.split(`${name}/${member} heard Text: ${name} ${round} ${word}`)).toHaveLength(2);
      // Of each conversation of this job the text and the reply are the job's own.
      const below = new Set(heard.map(({ answer }) => answer.context_id as string));
      expect(below.size).toBe(3);
      for (const other of PROJECTS.filter((each) => each !== name)) expect(words.join("\n")).not.toContain(other);
    }
  }
});
