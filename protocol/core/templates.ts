/** The files that `init`, `team write` and `setup` write, from `templates/`; the build bundles them as text. */
import AGENT_BLOCK from "../../templates/agent-block.md";
import AGENTS_POOL from "../../templates/agents.pool.yml";
import WORKFLOW from "../../templates/github-workflow.yml";
import PRICES from "../../templates/prices.yml";
import RELAY_MD from "../../templates/RELAY.md";
import CONFIG from "../../templates/relay.yml";
import PAGER_SERVICE from "../../templates/relay-pager.service";
import SKILL from "../../templates/skill.md";

export { AGENT_BLOCK, AGENTS_POOL, PAGER_SERVICE, PRICES, RELAY_MD, SKILL };

/** What a new configuration says. */
interface NewConfig {
  format: number;
  project: { id: string; name: string };
  main: string;
  parts: readonly string[];
  inTree: boolean;
}

/** A new `relay.yml`, with its comments. */
export function configTemplate({ format, project, main, parts, inTree }: NewConfig): string {
  const entries = parts.map((part) => `  ${JSON.stringify(part).replace(/^"([A-Za-z][\w-]*)"$/, "$1")}: {}`).join("\n");
  return CONFIG.replace("{{format}}", () => String(format))
    .replace("{{id}}", () => project.id)
    .replace("{{name}}", () => JSON.stringify(project.name))
    .replace("{{main}}", () => JSON.stringify(main))
    .replace("{{parts}}", () => entries + (inTree ? "\n# The home is files of the code: Relay never commits.\nin_tree: true" : ""));
}

/**
 * A workflow of GitHub Actions that checks a home.
 * @param branch the home's own branch; null where it is files of the code
 * @param summaries what it asks of summaries, as JSON
 * @param relay what `npx` installs Relay from; empty where that is for the user to say
 */
export function workflowTemplate(branch: string | null, summaries: string, relay: string): string {
  // What GitHub would evaluate is none of a home's to say.
  const asked = summaries.replaceAll("${{", "$ {{");
  return WORKFLOW.replace("{{summaries}}", () => JSON.stringify(asked))
    .replace("{{ref}}", () => JSON.stringify(branch === null ? "HEAD" : `origin/${branch}`))
    .replace("{{package}}", () => JSON.stringify(relay));
}
