/** Prints for people: the configuration that counts. */
import type { Printer } from "../style.ts";

export const printConfigShow: Printer = ({ text, problem }, style) =>
  (problem === null ? text : `${style.dim("# the last good version")}\n${text}`).trimEnd();

export const printConfigAccept: Printer = ({ accepted }, style) =>
  accepted.length === 0
    ? "Every setting is in force as relay.yml has it."
    : `${style.green("Accepted")} on this machine: ${accepted.join(", ")}.`;

export const printConfigRestore: Printer = ({ restored, kept, sent }, style) =>
  [
    restored
      ? `${style.green("Restored")} relay.yml${kept === null ? "" : `; what was there is kept in .relay/${kept}`}.`
      : "relay.yml can be read, so it stays as it is.",
    ...(sent === undefined ? [] : [sent ? "It was pushed." : "There was nothing to push."]),
  ].join("\n");
