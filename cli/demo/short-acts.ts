/** The demonstration on one screen: a question, a wake, an answer, a race, a review and a summary. */
import { refuse } from "../../protocol/core/refusal.ts";
import { layShop } from "./room-acts.ts";
import type { Act, Stage } from "./stage.ts";
import { AGENT } from "./wake-acts.ts";

/** Types a command, and shows the lines of its output that match; all of them where nothing is given. */
function shown(stage: Stage, where: string, args: readonly string[], lines?: RegExp): string {
  const printed = stage.behind(where, ...args);
  const kept = lines === undefined ? printed : (printed.match(new RegExp(lines, "gm")) ?? []).join("\n");
  stage.show(where, args, kept);
  return printed;
}

/** The first group of a pattern in what was printed. */
function found(printed: string, wanted: RegExp): string {
  const match = wanted.exec(printed)?.[1];
  if (match === undefined) throw refuse("internal", { reason: `expected ${wanted} in ${JSON.stringify(printed)}` });
  return match;
}

const setting: Act = {
  title: "One repository, three worktrees, one home",
  async play(stage) {
    await layShop(stage, ["web", "api"]);
    shown(stage, "shop", ["init", "web", "api"], /^Parts.*/);
    for (const [where, part] of [
      ["shop", "main"],
      ["web", "web"],
      ["api", "api"],
    ] as const)
      stage.behind(where, "part", "here", part);
  },
};

const ask: Act = {
  title: "web asks api a question",
  play(stage) {
    shown(stage, "web", ["send", "api", "Which field is the price?", "`price` or `amount`?"], /^Sent .*/);
  },
};

const wake: Act = {
  title: "api is idle in a terminal: the pager types one line there, and api reads and answers",
  play(stage) {
    if (!stage.has("tmux")) {
      stage.say("  (tmux is not installed here: api answers without a wake)");
      stage.behind("api", "reply", "It is `amount`, in cents.");
    } else {
      stage.lay("agent.mjs", AGENT);
      stage.behind("api", "up", "--part", "api", "--", process.execPath, "../agent.mjs", stage.command, "It is `amount`, in cents.");
      stage.behind("shop", "pager", "start");
    }
    try {
      shown(stage, "web", ["wait", "--timeout", "60"]);
    } finally {
      if (stage.has("tmux")) {
        stage.behind("shop", "pager", "stop");
        stage.behind("shop", "down", "api");
      }
    }
  },
};

/** Each part twice: not even a part's own second process may win beside the first. */
const RACERS = ["shop", "web", "api", "shop", "web", "api"];

const race: Act = {
  title: `${RACERS.length} processes claim one task at the same moment: one gets it`,
  async play(stage) {
    stage.behind("shop", "session", "start");
    const task = found(stage.behind("shop", "task", "create", "Take the payment"), /^Created (\w+)/m);
    stage.note("task", task);
    const printed = await stage.raceBehind(RACERS.map((where) => ({ where, args: ["task", "claim", task] })));
    const won = printed.findIndex((words) => words.startsWith("Claimed"));
    if (printed.filter((words) => words.startsWith("Claimed")).length !== 1)
      throw refuse("internal", { reason: `expected one winner of ${RACERS.length}, there is ${JSON.stringify(printed)}` });
    stage.note("winner", RACERS[won] as string);
    for (const at of [won, printed.findIndex((_words, other) => other !== won)])
      stage.show(RACERS[at] as string, ["task", "claim", task], printed[at]?.split("\n")[0] ?? "");
  },
};

const review: Act = {
  title: "The winner hands it in; another part reviews it",
  play(stage) {
    const [author, reviewer] = stage.noted("winner") === "shop" ? ["shop", "api"] : [stage.noted("winner"), "shop"];
    const part = reviewer === "shop" ? "main" : reviewer;
    const submitted = shown(
      stage,
      author,
      ["task", "submit", stage.noted("task"), "Cards first; a refused card says why.", "--reviewer", part],
      /^.+/,
    );
    shown(stage, reviewer, ["review", "submit", found(submitted, /, review (\w+)/), "approved"], /^Submitted .*/);
    stage.behind(author, "task", "update", stage.noted("task"), "done");
  },
};

const end: Act = {
  title: "The session ends with a summary, and all of it is in git",
  play(stage) {
    stage.behind("shop", "next");
    shown(stage, "shop", ["session", "end", "--summary", "Cards are taken; a refused one says why."], /^Ended .*/);
    shown(stage, "shop", ["record"]);
  },
};

/** The acts of one screen, in order. */
export const shortActs: readonly Act[] = [setting, ask, wake, race, review, end];
