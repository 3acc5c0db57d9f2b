/** Finds the pane of a part, reads it, and notes on it what waits, for status lines. spec/waking.md, "Waking in tmux". */
import { foreground, type Program } from "./foreground.ts";
import { PROFILES, type Profile, type ProfileName } from "./profiles.ts";
import { readScreen, type Screen } from "./screen.ts";
import { type Answer, type Server, TMUX_VERSION, tmux, versionIn } from "./tmux-command.ts";

/** Where a part's pane may be found. */
export interface PaneTarget {
  part: string;
  /** Names that the part had before: its pane may still be marked with one. */
  formerly?: readonly string[];
  /** Absolute path of the home: on one server there may be parts of several. */
  home: string;
  /** What the user named it when it was marked; one that was marked by another name is no longer meant. */
  named?: string | undefined;
  /** Servers to ask, the likeliest first. */
  servers: readonly Server[];
}

/** A pane that was found. */
export interface Pane {
  server: Server;
  /** tmux's own id, `%3`; stays the same wherever the pane is moved. */
  id: string;
  /** The first process of the pane. */
  pid: number;
}

/** Why there is no pane, in a word for programs and in words for people. */
export interface Missing {
  reason: "no_tmux" | "tmux_version" | "silent" | "no_pane";
  detail: string;
}

/** What a pane is asked for in one go with its screen. */
const FACTS = [
  "#{pane_dead}",
  "#{pane_in_mode}",
  "#{pane_synchronized}",
  "#{pane_input_off}",
  "#{cursor_x}",
  "#{cursor_y}",
  "#{pane_pid}",
  "#{pane_tty}",
  "#{window_activity}",
  "#{@relay_typed}",
  "#{@relay_entered}",
  "#{@relay_waiting}",
].join("|");

/**
 * When persons last did something in this pane: in each session that shows it as its active pane, how many are attached and
 * the second of their last key. Changes with every key, before any program has answered it.
 */
export const personsAt = (id: string): string => `#{S:#{?#{==:#{pane_id},${id}},#{session_attached}-#{session_activity}/,}}`;

/** A pane at one moment. */
export interface PaneView {
  screen: Screen;
  /** What the screen printed, to compare with. */
  captured: string;
  dead: boolean;
  scrolling: boolean;
  /** Keys would go to other panes too, or to none. */
  keysElsewhere: boolean;
  pid: number;
  /** The device of its terminal. */
  tty: string;
  /** The second in which the window last showed something new. */
  activitySeconds: number;
  /** As `personsAt` says it. */
  persons: string;
  /** The wakes whose doorbell was last typed here, and last entered. */
  typed: string;
  entered: string;
  /** Why nothing can be typed, as it is shown on the pane. */
  waiting: string;
  /** Whose pane it is, as it is written on it. */
  part: string;
  named: string;
  home: string;
}

/** Reads a pane with one call of tmux, so that all of it is of one moment. Null when the pane is gone. */
export async function readPane({ server, id }: Pane): Promise<PaneView | null> {
  const answer = await tmux(server, [
    "display-message",
    "-p",
    "-t",
    id,
    `${FACTS}|${personsAt(id)}|#{@relay_part}|#{@relay_target}|#{@relay_home}`,
    ";",
    "capture-pane",
    "-p",
    "-e",
    "-t",
    id,
  ]);
  if (!answer.ok) return null;
  const [first = "", ...rest] = answer.text.split("\n");
  const [dead, mode, synchronized, off, x, y, pid, tty, activity, typed, entered, waiting, persons, part, named, ...home] =
    first.split("|");
  // For a pane that is gone tmux may answer with empty fields.
  if (pid === undefined || pid === "") return null;
  const captured = rest.join("\n");
  return {
    screen: readScreen(captured, { x: Number(x), y: Number(y) }),
    captured,
    dead: dead === "1",
    scrolling: mode !== "0",
    keysElsewhere: synchronized === "1" || off === "1",
    pid: Number(pid),
    tty: tty ?? "",
    activitySeconds: Number(activity),
    persons: persons ?? "",
    typed: typed ?? "",
    entered: entered ?? "",
    waiting: waiting ?? "",
    part: part ?? "",
    named: named ?? "",
    home: home.join("|"),
  };
}

/** The second in which a person who is attached last pressed a key here; 0 when nobody is. */
export function lastKeySeconds(persons: string): number {
  return Math.max(
    0,
    ...[...persons.matchAll(/(\d+)-(\d+)\//g)].filter(([, attached]) => attached !== "0").map(([, , second]) => Number(second)),
  );
}

/** Which agent is in a pane's foreground; null when there is none, as with a bare shell. */
export async function agentIn(pid: number, wanted: ProfileName | "auto"): Promise<Profile | null> {
  const programs = await foreground(pid);
  const is =
    (profile: Profile) =>
    ({ names }: Program) =>
      names.every((name) => !isShell(name)) && names.some((name) => profile.processes.test(name));
  return PROFILES.find((profile) => (wanted === "auto" || profile.name === wanted) && programs.some(is(profile))) ?? null;
}

/** A shell by any of its names is never an agent, whatever it was called as. */
export const isShell = (name: string): boolean => name !== "" && /^(?:ba|z|da|k|mk|c|tc|fi|a)?sh$/.test(name);

/** One row of `list-panes`. */
const LISTED = "#{pane_id}|#{pane_pid}|#{pane_dead}|#{@relay_part}|#{@relay_target}|#{@relay_home}";

/** Whether what is written on a pane means a part. */
export const isOf = (
  written: { part: string | undefined; named: string | undefined; home: string },
  { part, formerly = [], named, home }: PaneTarget,
): boolean =>
  (written.part === part || formerly.includes(written.part ?? "")) &&
  written.home === home &&
  (named === undefined || named === written.named);

/** Asks a server for its panes. */
type ListPanes = (server: Server) => Promise<Answer>;
const listPanes: ListPanes = (server) => tmux(server, ["list-panes", "-a", "-F", LISTED]);

/** A way to ask that asks each server once, for finding the panes of several parts at one time. */
export function listPanesOnce(): ListPanes {
  const answers = new Map<string, Promise<Answer>>();
  return (server) => {
    const name = JSON.stringify(server);
    const answer = answers.get(name) ?? listPanes(server);
    answers.set(name, answer);
    return answer;
  };
}

/** Finds the pane of a part by what is written on the pane itself, which moves with it; a pane's number may be another's tomorrow. */
export async function findPane(target: PaneTarget, list = listPanes): Promise<Pane | Missing> {
  let missing: Missing = { reason: "no_pane", detail: `no pane is marked as ${target.part}` };
  for (const server of target.servers) {
    const answer = await list(server);
    if (!answer.ok) {
      missing = whyMissing(answer, missing);
      continue;
    }
    const marked = answer.text.split("\n").flatMap((line) => {
      const [id = "", pid, dead, part, named, ...home] = line.split("|");
      return isOf({ part, named, home: home.join("|") }, target) ? [{ server, id, pid: Number(pid), dead: dead === "1" }] : [];
    });
    const pane = marked.find(({ dead }) => !dead) ?? marked[0];
    if (pane !== undefined) return { server, id: pane.id, pid: pane.pid };
  }
  return missing;
}

/** A server that is not there has no pane; one that does not answer is another matter. */
function whyMissing(answer: Extract<Answer, { ok: false }>, before: Missing): Missing {
  if (answer.reason === "no_tmux" || answer.reason === "silent") return { reason: answer.reason, detail: answer.detail };
  return before.reason === "no_pane" ? { reason: "no_pane", detail: `${before.detail}; ${answer.detail}` } : before;
}

/** Says so when the tmux there is too old. Asked once for each process. */
export async function versionProblem(): Promise<Missing | null> {
  checked ??= checkVersion();
  return checked;
}

let checked: Promise<Missing | null> | null = null;

async function checkVersion(): Promise<Missing | null> {
  const answer = await tmux({}, ["-V"]);
  if (!answer.ok) return { reason: answer.reason === "silent" ? "silent" : "no_tmux", detail: answer.detail };
  const version = versionIn(answer.text);
  const [major, minor] = TMUX_VERSION;
  if (version === null || version[0] > major || (version[0] === major && version[1] >= minor)) return null;
  return { reason: "tmux_version", detail: `${answer.text.trim()}, expected tmux ${major}.${minor} or newer` };
}

/** Writes on a part's pane how many messages are unread, for status lines to read. Nothing when there is no pane. */
export async function showUnread(target: PaneTarget, unread: number): Promise<void> {
  const pane = await findPane(target);
  if ("reason" in pane) return;
  await tmux(pane.server, ["set-option", "-p", "-t", pane.id, "@relay_unread", String(unread)]);
  if (unread === 0) await showWaiting(pane, "");
}

/** Writes on it why the doorbell could not be typed just now; empty when nothing is in the way. */
export async function showWaiting({ server, id }: Pane, reason: string): Promise<void> {
  await tmux(server, ["set-option", "-p", "-t", id, "@relay_waiting", reason]);
}
