/**
 * The rung that types the doorbell into an agent's terminal. It types only into an empty input of an agent that is there, and
 * presses Enter only on exactly its own line. spec/waking.md, "Waking in tmux".
 */
import { setTimeout as pause } from "node:timers/promises";
import type { Outcome, Ring, Rung } from "../rung.ts";
import {
  DEFAULT_POLICY,
  type Doorbell,
  fateOf,
  isLost,
  judge,
  type Memory,
  markOf,
  newMemory,
  pasteLine,
  pressEnter,
  squeezed,
  type TmuxPolicy,
  TRIES,
  tryIn,
  typeable,
} from "./doorbell.ts";
import {
  agentIn,
  findPane,
  isOf,
  type Missing,
  type Pane,
  type PaneTarget,
  type PaneView,
  readPane,
  showWaiting,
  versionProblem,
} from "./pane.ts";
import type { Profile, ProfileName } from "./profiles.ts";
import { saysBusy } from "./screen.ts";
import { stillness } from "./stillness.ts";

/** Between the text and Enter. Some agents take an Enter that follows a paste at once for a line break. */
const ENTER_AFTER_MS = 500;
/** And between the first view that shows the text and Enter: a busy agent may take it in late. */
const SETTLED_MS = 150;
/** Two views so far apart that are equal say that the screen is quiet. */
const QUIET_MS = 200;
/** A window that showed nothing new for so long is quiet without a second view; tmux counts in whole seconds. */
const LONG_QUIET_S = 2;
/** How long the typed line may take to show; then it is left to who rings next. */
const ECHO_MS = 10_000;
const AGAIN_MS = 100;

/**
 * Makes the rung for a part.
 * @param profile how the agent's terminal looks; `auto` goes by the processes that are there
 * @param options `find` finds the pane where it is not known; else it is found by its marks
 */
export function tmuxRung(
  target: PaneTarget,
  profile: ProfileName | "auto" = "auto",
  options: { policy?: Partial<TmuxPolicy>; now?: () => number; memory?: Memory; find?: () => Promise<Pane | Missing> } = {},
): Rung {
  const policy = { ...DEFAULT_POLICY, ...options.policy };
  const now = options.now ?? Date.now;
  const memory = options.memory ?? newMemory();
  const find = options.find ?? (() => findPane(target));
  return {
    name: "tmux",
    async ring(ring) {
      const readMs = Date.now();
      // Most often it is where it was, and one question less to ask.
      const known = memory.pane === null ? null : await readPane(memory.pane);
      if (known === null || !isOf(known, target)) memory.pane = null;
      const problem = memory.pane ?? (await versionProblem()) ?? (await find());
      if ("reason" in problem) return { kind: "unreachable", reason: problem.reason, detail: problem.detail };
      const first = memory.pane === null ? await readPane(problem) : known;
      const pane = problem;
      memory.pane = pane;
      const before = memory.still;
      memory.still = null;
      const outcome = await new Delivery(pane, profile, { ...ring, line: typeable(ring.line) }, policy, now, memory).run(first);
      const reason = outcome.kind === "waiting" ? outcome.reason : "";
      if (outcome.kind !== "unreachable" && first?.waiting !== reason) await showWaiting(pane, reason);
      if (STILL.has(reason) && first !== null) memory.still = await stillness(first.tty, first.pid, readMs, before);
      return outcome;
    },
  };
}

/** Waits for what a program's next write will show. */
const STILL: ReadonlySet<string> = new Set(["half_typed", "dialog", "no_prompt"]);

/** One ring, from the first view to Enter. */
class Delivery {
  readonly #pane: Pane;
  readonly #wanted: ProfileName | "auto";
  readonly #ring: Ring;
  readonly #policy: TmuxPolicy;
  readonly #now: () => number;
  readonly #memory: Memory;

  constructor(pane: Pane, wanted: ProfileName | "auto", ring: Ring, policy: TmuxPolicy, now: () => number, memory: Memory) {
    this.#pane = pane;
    this.#wanted = wanted;
    this.#ring = ring;
    this.#policy = policy;
    this.#now = now;
    this.#memory = memory;
  }

  /** @param view the pane as it is now; null when it is gone */
  async run(view: PaneView | null): Promise<Outcome> {
    if (view === null || view.dead) return gone(this.#pane);
    const profile = await agentIn(view.pid, this.#wanted);
    if (profile === null) return { kind: "unreachable", reason: "no_agent", detail: `pane ${this.#pane.id} has a shell and no agent` };
    const verdict = judge(view, profile, this.#ring, this.#policy.quietMs);
    if (verdict.kind === "wait") return this.#waiting(verdict.reason);
    if (verdict.kind === "doorbell") {
      // One that an earlier wake left is delivered for this one, which needs the right to be; the process that typed it committed its own.
      if (!verdict.own && !this.#commit()) return this.#denied();
      return this.#enter(profile, performance.now() + ENTER_AFTER_MS);
    }
    return this.#type(view, profile);
  }

  #waiting(reason: string): Outcome {
    if (reason !== "streaming") this.#memory.streamingSince = null;
    return { kind: "waiting", reason };
  }

  /** Without the right nothing is begun; of a wake that an earlier holder left there is then nothing to finish. */
  #denied(): Outcome {
    const { resumed, signal } = this.#ring;
    return resumed && !signal.aborted ? { kind: "unreachable", reason: "nothing_typed" } : { kind: "waiting", reason: "not_committed" };
  }

  /** Takes the wake's right to be delivered, once; what was taken here and came to nothing is used the next time. */
  #commit(): boolean {
    const { wakeId } = this.#ring;
    if (this.#memory.committed === wakeId) return true;
    if (this.#ring.signal.aborted || !this.#ring.commit()) return false;
    this.#memory.committed = wakeId;
    return true;
  }

  /** Types the line into an input that is empty, when the screen is quiet or has streamed for long enough. */
  async #type(first: PaneView, profile: Profile): Promise<Outcome> {
    const { line, wakeId, signal } = this.#ring;
    const before = tryIn(first.typed, wakeId);
    if (before > 0 && !isLost(first, profile, wakeId, this.#memory))
      return { kind: "typed", detail: "the line was typed before, and is not in the input now" };
    if (before >= TRIES) return NOT_TAKEN;
    const mark = markOf(wakeId, before + 1);
    let view: PaneView | null = first;
    if (await this.#streams(first, profile)) {
      if (!this.#waitedOut()) return { kind: "waiting", reason: "streaming" };
      view = await readPane(this.#pane);
    } else this.#memory.streamingSince = null;
    let pasted = false;
    for (const end = performance.now() + ECHO_MS; !pasted; ) {
      if (view === null) return gone(this.#pane);
      const verdict = judge(view, profile, this.#ring, this.#policy.quietMs);
      if (verdict.kind === "wait") return this.#waiting(verdict.reason);
      // Another pager typed meanwhile.
      if (verdict.kind === "doorbell" || (view.typed !== first.typed && tryIn(view.typed, wakeId) > 0)) break;
      // What got lost was committed when it was typed first.
      if (before > 0 ? signal.aborted : !this.#commit()) return this.#denied();
      pasted = await pasteLine(this.#pane, view, mark, line);
      // The right is used: the text is typed again only where it is known to be lost.
      if (pasted) this.#memory.committed = null;
      if (pasted) this.#memory.pasted = { mark, persons: view.persons };
      if (!pasted) view = await readPane(this.#pane);
      if (!pasted && performance.now() >= end) return { kind: "waiting", reason: "streaming" };
    }
    return this.#enter(profile, performance.now() + ENTER_AFTER_MS, pasted ? mark : undefined);
  }

  /** Whether the screen shows something new all the time, or the agent says that it works. */
  async #streams(view: PaneView, profile: Profile): Promise<boolean> {
    if (saysBusy(view.screen, profile)) return true;
    if (Date.now() / 1000 - view.activitySeconds >= LONG_QUIET_S) return false;
    await pause(QUIET_MS);
    return (await readPane(this.#pane))?.captured !== view.captured;
  }

  /** Whether this wake has waited for a streaming pane for as long as the policy says, and may then be typed. */
  #waitedOut(): boolean {
    const { wakeId } = this.#ring;
    if (this.#memory.streamingSince?.wakeId !== wakeId) this.#memory.streamingSince = { wakeId, atMs: this.#now() };
    return this.#policy.streaming === "type" && this.#now() - this.#memory.streamingSince.atMs >= this.#policy.streamingMs;
  }

  /**
   * Presses Enter once the line stands in the input, and nothing else.
   * @param notBefore an instant of `performance.now()`
   * @param typed the mark of the text, where this ring typed it
   * @param again whether Enter was pressed on it before, and nothing came of that
   */
  async #enter(profile: Profile, notBefore: number, typed?: string, again = false): Promise<Outcome> {
    const { wakeId } = this.#ring;
    await pause(Math.max(0, notBefore - SETTLED_MS - performance.now()));
    let seenAt: number | null = null;
    for (const end = performance.now() + ECHO_MS; performance.now() < end; ) {
      const view = await readPane(this.#pane);
      if (view === null || view.dead) return gone(this.#pane);
      const mark = typed ?? (tryIn(view.typed, wakeId) > 0 ? view.typed : wakeId);
      if (typed !== undefined && view.typed !== typed)
        return { kind: "waiting", reason: "not_committed", detail: "another pager typed at the same time" };
      const verdict = judge(view, profile, this.#ring, this.#policy.quietMs);
      if (verdict.kind === "wait" && verdict.reason !== "person_typing") return this.#waiting(verdict.reason);
      const entered = again ? `${mark}+` : mark;
      if (verdict.kind !== "doorbell" && view.entered === entered) return { kind: "typed" };
      if (verdict.kind === "free" && seenAt !== null)
        return isLost(view, profile, wakeId, this.#memory)
          ? { kind: "waiting", reason: "no_echo" }
          : { kind: "typed", detail: "a person entered or removed the line" };
      const at = performance.now();
      if (verdict.kind === "doorbell") {
        seenAt ??= at;
        // What changes until then is seen by the check that goes with Enter.
        await pause(Math.max(0, seenAt + SETTLED_MS - at, notBefore - at));
        if (view.entered === entered || (await pressEnter(this.#pane, view, entered, verdict.rows)))
          return this.#entered(profile, mark, verdict, again);
      }
      await pause(AGAIN_MS);
    }
    return { kind: "waiting", reason: seenAt === null ? "no_echo" : "person_typing" };
  }

  /** What came of the line that Enter was pressed on. One that still stands there is entered once more, and one that is lost is typed again. */
  async #entered(profile: Profile, mark: string, { text, own }: Doorbell, again: boolean): Promise<Outcome> {
    const { wakeId, signal } = this.#ring;
    const id = own ? wakeId : (/w-[a-z0-9]+$/.exec(squeezed(text))?.[0] ?? wakeId);
    const fate = await fateOf(this.#pane, profile, id, (each) => squeezed(each) === squeezed(text), signal);
    if (fate === "taken") return { kind: "typed" };
    if (fate === "gone") return gone(this.#pane);
    if (fate === "stands") return again ? NOT_TAKEN : this.#enter(profile, performance.now(), own ? mark : undefined, true);
    this.#memory.lost = mark;
    return { kind: "waiting", reason: "not_taken" };
  }
}
/** Typed as often as may be, and nothing came of it. */
const NOT_TAKEN: Outcome = { kind: "unreachable", reason: "not_taken" };
const gone = ({ id }: Pane): Outcome => ({ kind: "unreachable", reason: "no_pane", detail: `pane ${id} is gone` });
