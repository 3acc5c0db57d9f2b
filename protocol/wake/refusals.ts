/** Refusals about wakes and terminals. */
import { placeWords } from "../core/format/shell-word.ts";
import { EXIT, entry, quote } from "../core/refusals/entry.ts";

/** Code → the exit code of a refusal, and its sentence by its data. */
export const WAKE_REFUSALS = {
  stale_wake: entry(
    EXIT.refused,
    (d: { part: string; wakeId: string; state: string }) =>
      `wake ${d.wakeId} of ${quote(d.part)} is not being delivered (it is ${d.state} now), so nothing was recorded. ` +
      `Deliver nothing for it. To take what is owed now: \`relay wake lease ${placeWords([d.part])}\`.`,
  ),
  no_pane: entry(EXIT.notFound, (d: { part: string | null }, { on }) =>
    d.part === "human"
      ? `human does not run in tmux. ${on("", "To read people's mail: `relay inbox --part human`. ")}To see all parts: \`relay attach\`.`
      : `${d.part === null ? "nothing of this home runs" : `${d.part} does not run`} in tmux here. Start it: \`relay up --part ${d.part ?? "web"} -- claude\`. ` +
        "For a tmux server of another name, put RELAY_TMUX_SOCKET=NAME before the command.",
  ),
  tmux_failed: entry(EXIT.failed, (d: { reason: string }) => `tmux: ${d.reason}. Try again when that is solved.`),
};
