/** Writes the file of a unit, and adds a member to one so that its comments stay. spec/office.md, "Office files". */
import { withoutUndefined } from "../../core/format/frontmatter.ts";
import { readEditableYaml, readYaml } from "../../core/format/yaml.ts";
import { slugOf } from "./name.ts";
import { parseUnit, type UnitKind } from "./unit.ts";

/** The text of a unit's file from its fields, in their order; one without a value is left out. */
export function formatUnit(fields: object): string {
  const { document } = readYaml("");
  document.contents = document.createNode(withoutUndefined(fields)) as typeof document.contents;
  return document.toString({ lineWidth: 0, defaultStringType: "QUOTE_DOUBLE", defaultKeyType: "PLAIN" });
}

/**
 * Adds an agent to the members of a unit, as the last; all else, comments too, stays as it is.
 * @returns the new text, or null where the agent is a member already
 * @throws FileError, with everything that is wrong, where the file cannot be read, or could not be afterwards
 */
export function withMember(kind: UnitKind, source: string, agent: string): string | null {
  const { members } = parseUnit(kind, source);
  if (members.some((member) => member.kind === "agent" && member.slug === slugOf(agent))) return null;
  const { document } = readEditableYaml(source);
  const agents = ["members", "agents"];
  if (document.get("members") === null) document.delete("members");
  if (Array.isArray((document.getIn(agents) as { items?: unknown } | undefined)?.items)) document.addIn(agents, agent);
  else document.setIn(agents, document.createNode([agent], { flow: true }));
  const text = document.toString({ lineWidth: 0 });
  parseUnit(kind, text);
  return text;
}
