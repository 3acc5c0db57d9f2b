/** The act of the office: a goal goes down a hierarchy, programs run only while they work, and one of them crashes. */
import { refuse } from "../../protocol/core/refusal.ts";
import type { Act } from "./stage.ts";

const OFFICE = `name: Shop office
lead: manager
projects: [{ name: Shop, path: "." }]
members: { projects: [Shop] }
`;
const PROJECT = `name: Shop
description: The shop, from the shelf to the checkout.
lead: shop-lead
members: { agents: [developer, tester] }
`;
const AGENTS = ["manager", "shop-lead", "developer", "tester"];

/** What each position does, as a program without a model: it gives work by the command, and its output is its answer. */
const program = (relay: string): string => `import { execFile } from "node:child_process";

const send = (member, message) =>
  new Promise((resolve) => {
    const argv = [${JSON.stringify(relay)}, "office", "send", member, message, "--json"];
    execFile(process.execPath, argv, (_error, stdout) => resolve(JSON.parse(stdout)));
  });
const words = ({ agent, status, result }) => agent + " (" + status + "): " + result.split("\\n")[0];

switch (process.env.RELAY_PART) {
  case "om":
    console.log(words(await send("shop-lead", "Show prices with tax.")));
    break;
  case "shop/lead": {
    const answers = await Promise.all([send("developer", "Add the tax to the price."), send("tester", "Test an empty cart.")]);
    console.log(answers.map(words).join("; "));
    break;
  }
  case "shop/developer":
    console.log("Every price has its tax.");
    break;
  case "shop/tester":
    console.error("The test runner is not there.");
    process.kill(process.pid, "SIGKILL");
}
`;

const hierarchy: Act = {
  title: "An office: files say who may give work to whom. Nothing of it runs before a person trusts it on this machine",
  play(stage) {
    stage.lay("agent.mjs", program(stage.command));
    stage.lay("shop/.relay/org/office.yml", OFFICE);
    stage.lay("shop/.relay/org/projects/shop/project.yml", PROJECT);
    for (const name of AGENTS) stage.lay(`shop/.relay/org/agents/${name}.md`, `---\nname: ${name}\nrunner: command\n---\n`);
    stage.relay("shop", "office", "runner", "command", "--", "node", "../agent.mjs");
    stage.relay("shop", "office", "check");
    stage.relay("shop", "trust", "office");
  },
};

const goal: Act = {
  title: "A goal for the manager: it is started, gives work to the lead, that one to two agents at once; the tester crashes",
  play(stage) {
    const started = stage.relay("shop", "office", "start", "Show prices with tax.", "--part", "human", "--json");
    const mail = stage.relay("shop", "wait", "--part", "human");
    if (!mail.includes("tester (failed)")) throw refuse("internal", { reason: `expected the manager's answer, there is ${mail}` });
    stage.relay("shop", "office", "tree");
    stage.relay("shop", "office", "log", JSON.parse(started).context_id);
    stage.say("A crash is an answer too: the lead heard of it, and all four programs have ended.");
  },
};

/** The acts of the office, in order. */
export const officeActs: readonly Act[] = [hierarchy, goal];
