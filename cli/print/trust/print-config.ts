/** Prints for people: the configuration that counts. */
import type { Printer } from "../style.ts";
import { plainLine } from "../words.ts";

/** The text of relay.yml, or of its last good version, and which of its settings do not count here. */
export const printConfigShow: Printer<"config_show"> = ({ text, waiting, problem }, style) =>
  [
    ...(problem === null ? [] : [style.dim("# the last good version")]),
    text.trimEnd(),
    ...waiting.map((setting) => style.yellow(`# not accepted on this machine: ${plainLine(setting)}`)),
  ].join("\n");

/** The settings that a person accepted on this machine. */
export const printConfigAccept: Printer<"config_accept"> = ({ accepted }, style) =>
  accepted.length === 0 ? "Every setting of relay.yml is in force." : `${style.green("Accepted")} on this machine: ${accepted.join(", ")}.`;

/** Whether relay.yml was restored, where the former file is kept, and whether it was pushed. */
export const printConfigRestore: Printer<"config_restore"> = ({ restored, kept, sent }, style) =>
  [
    restored
      ? `${style.green("Restored")} relay.yml${kept === null ? "" : `; the former file is kept in .relay/${kept}`}.`
      : "relay.yml can be read, so Relay did not change it.",
    ...(sent === undefined ? [] : [sent ? "It was pushed." : "There was nothing to push."]),
  ].join("\n");
