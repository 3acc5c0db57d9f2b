/** The workflow that checks a home on its host. */

import { openHome } from "../../core/home/home.ts";
import { workflowTemplate } from "../../core/templates.ts";
import type { World } from "../../core/world.ts";
import { workflowPath } from "../../git/home/ci-workflow.ts";
import { isHome, type Site } from "../../git/home/create-home.ts";
import { branchName, repositoryAt } from "../../git/home/repository.ts";
import { installedFrom } from "../files/install-source.ts";

/** The workflow that is to be written, and where; `why` it cannot say where runners get Relay. */
interface Workflow {
  at: string;
  text: string;
  why: string | null;
}

/** @throws Refusal `not_in_git`, `file_differs`; nothing was written then */
export async function planWorkflow(world: World, { home }: Site, asked: string | null): Promise<Workflow> {
  const repository = asked === null ? null : repositoryAt(home);
  const relay = await installedFrom(process.argv[1]);
  const branch = repository === null ? asked : branchName(repository);
  const text = workflowTemplate(branch, isHome(home) ? summariesOf(home) : "{}", "from" in relay ? relay.from : "");
  return { at: workflowPath(world.cwd, text), text, why: "why" in relay ? relay.why : null };
}

/** What a home asks of summaries, as a workflow says it. */
function summariesOf(home: string): string {
  const { headings, minLength, fields } = openHome(home).config().summaries;
  return JSON.stringify({
    ...(headings.length === 0 ? {} : { headings }),
    ...(minLength === 0 ? {} : { min_length: minLength }),
    ...(fields.length === 0 ? {} : { fields }),
  });
}

/** What to say of a workflow that was laid. @param isSet whether it says where runners get Relay */
export function unknownPackage({ at, why }: Workflow, isSet: boolean): string[] {
  if (isSet) return [];
  const because = why === null ? "" : ` (${why})`;
  return [`RELAY_PACKAGE in ${at} is empty${because}: set it to a git URL or a tarball of Relay that runners can reach`];
}
