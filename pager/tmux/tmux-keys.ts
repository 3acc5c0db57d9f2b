/**
 * Types into a pane. The check and the typing are one command to tmux, which carries it out before it takes a key
 * from anybody or a character from a program: nothing comes between. spec/waking.md, "Waking in tmux".
 */
import { type Look, type Pane, personsAt } from "./pane.ts";
import { textOf } from "./screen.ts";
import { tmux } from "./tmux-command.ts";

/** A text that holds in a `#{...}` of tmux, as an extended regular expression: what could mean something else there is a dot. */
const pattern = (text: string): string => text.replace(/[^A-Za-z0-9 _-]/gu, ".");

/** The number of the first row that shows a text, from 1; 0 when none does. */
const rowOf = (text: string): string => `#{C/r:^${pattern(text)}$}`;

const both = (a: string, b: string): string => `#{&&:${a},${b}}`;
const same = (a: string, b: string): string => `#{==:${a},${b}}`;
const cursorRow = (above: number): string => `#{e|+:#{cursor_y},${1 - above}}`;

/** What must still be as it was seen: nobody scrolls, nobody pressed a key, and the cursor is where it was in its line. */
function unchanged({ screen, persons }: Look, id: string): string[] {
  return [
    same("#{pane_in_mode}", "0"),
    same("#{pane_dead}", "0"),
    same("#{cursor_x}", String(screen.cursor.x)),
    same(personsAt(id), persons),
  ];
}

/** Whether the cursor's line is the one that was seen; it may have been moved by what came above it. */
function lineUnchanged({ screen }: Look): string[] {
  const { y } = screen.cursor;
  const text = textOf(screen.rows[y]);
  const rule = new RegExp(`^${pattern(text)}$`, "u");
  const first = screen.rows.findIndex((row) => rule.test(textOf(row)));
  // tmux tells only the first such row; where that is another one, nothing may have moved.
  return first === y ? [same(rowOf(text), cursorRow(0))] : [same(rowOf(text), String(first + 1)), same("#{cursor_y}", String(y))];
}

/**
 * Pastes a line into an input that was seen empty.
 * @param line one line of plain characters
 * @returns whether it was typed: it is not when anything changed since the look, or somebody else typed for a wake meanwhile
 */
export async function pasteLine({ server, id }: Pane, look: Look, wakeId: string, line: string): Promise<boolean> {
  const buffer = `relay-${wakeId}`;
  const condition = [...unchanged(look, id), ...lineUnchanged(look), same("#{@relay_typed}", look.typed)].reduce(both);
  const paste = `paste-buffer -p -d -b ${buffer} -t ${id} ; set-option -p -t ${id} @relay_typed ${wakeId} ; display-message -p yes`;
  const answer = await tmux(server, [
    ...["set-buffer", "-b", buffer, "--", line, ";"],
    ...["if-shell", "-F", "-t", id, condition, paste, `delete-buffer -b ${buffer}`],
  ]);
  return answer.ok && answer.text.trim() === "yes";
}

/**
 * Presses Enter on a line that was seen in the input, once for a wake.
 * @param rows the rows that the line fills, as they are drawn; the cursor is at the end of the last
 * @returns whether it was pressed
 */
export async function pressEnter({ server, id }: Pane, look: Look, wakeId: string, rows: readonly string[]): Promise<boolean> {
  const lines = rows.map((row, index) => same(rowOf(row), cursorRow(rows.length - 1 - index)));
  const condition = [...unchanged(look, id), ...lines, `#{!=:#{@relay_entered},${wakeId}}`].reduce(both);
  const enter = `send-keys -t ${id} Enter ; set-option -p -t ${id} @relay_entered ${wakeId} ; display-message -p yes`;
  const answer = await tmux(server, ["if-shell", "-F", "-t", id, condition, enter]);
  return answer.ok && answer.text.trim() === "yes";
}

/** How long a doorbell may be. */
const LINE_LENGTH = 200;

/** A line as it may be typed: no control or invisible characters, no line break, and nothing in front that agents take for a command. */
export function typeable(line: string): string {
  return line
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, " ")
    .replace(/[\p{Cf}\p{Cs}\p{Co}\p{Cn}]/gu, "")
    .replace(/\s+/gu, " ")
    .replace(/^[\s/!@#$&?\\;]+/u, "")
    .slice(0, LINE_LENGTH)
    .replace(/[\s;\\]+$/u, "");
}
