/** The warnings while the configuration in force differs from relay.yml. spec/trust.md, "The last good version". */
import { CONFIG_PATH } from "../objects/config/config-schema.ts";
import type { Home } from "./home.ts";

/** What to say while the configuration that counts is another than the file, with every answer. */
export function configWarnings(home: Home): string[] {
  const fault = faultWarning(home);
  const outdated = [...home.store.outdated].map(
    ([file, { line, problem, good }]) =>
      `${file}${line === undefined ? "" : `:${line}`}: ${problem.replace(/\.$/, "")}. Until it is corrected, the last readable version is in force: ${good}; correct the file`,
  );
  return [...(fault === null ? [] : [fault]), ...outdated];
}

/** Warns people of settings that came by sync and do not count here. An agent can do nothing about them, so no agent is told. */
export function heldWarnings(home: Home): string[] {
  const held = home.configHeld();
  if (held.length === 0) return [];
  const [verb, those] = held.length === 1 ? ["does", "that is"] : ["do", "they are"];
  return [`${CONFIG_PATH}: ${held.join(", ")} came by sync and ${verb} not count here; if ${those} right, \`relay config accept\``];
}

function faultWarning(home: Home): string | null {
  const fault = home.configFault();
  if (fault === null) return null;
  const where = fault.line === undefined ? fault.path : `${fault.path}:${fault.line}`;
  const cure =
    fault.code === "no_home" ? "`relay config restore` restores it" : "correct it, or restore that version: `relay config restore`";
  return `${where}: ${fault.problem.replace(/\.$/, "")}. Until it is corrected, the last readable version is in force; ${cure}`;
}
