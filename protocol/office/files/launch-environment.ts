/**
 * The environment that agents of the office are started with: a list of names, kept from the commands that people type. What a server or
 * a runner has itself is whatever its client left of it. spec/office.md, "Environment".
 */

import { HOSTS, hostOf, isHost } from "../../agents/hosts/index.ts";
import { orElse } from "../../core/format/file-error.ts";
import type { World } from "../../core/world.ts";
import { readText } from "../../store/read/read-file.ts";
import { readJson } from "../../store/read/read-json.ts";
import { place } from "../../store/write/publish.ts";
import type { AgentFile } from "../nouns/agent-file.ts";
import { inOffice, OFFICE, officeToWrite } from "./office-folder.ts";
import { isLaunched } from "./trusted-office.ts";

/** The programs that can be started. */
export type Program = NonNullable<AgentFile["runner"]>;

const ENVIRONMENT = `${OFFICE}/environment.json`;
const BYTES = 1_048_576;

/** What every program gets. */
const COMMON =
  /^(?:HOME|PATH|USER|LOGNAME|SHELL|LANG|LC_[A-Z]+|TZ|TMPDIR|TERM|XDG_[A-Z_]+|SSL_CERT_(?:FILE|DIR)|NODE_EXTRA_CA_CERTS|[A-Z]+_PROXY|[a-z]+_proxy)$/;
/** Whether a variable is one of a program's own: its keys and settings. Any other command reads its keys from where its settings are. */
const isOwn = (program: Program, name: string): boolean => isHost(program) && hostOf(program).variables?.test(name) === true;
/** Whether it says in which session, and for which folder, a program runs that set it for those that it starts. */
const isOfSession = (name: string): boolean => HOSTS.some(({ ofSession }) => ofSession?.test(name) === true);

type Variables = Readonly<Record<string, string>>;

/** The variables of an environment that agents may get. */
function allowed(env: World["env"]): Variables {
  const isAllowed = (name: string): boolean =>
    (COMMON.test(name) || HOSTS.some(({ variables }) => variables?.test(name) === true)) && !isOfSession(name);
  return Object.fromEntries(
    Object.entries(env)
      .filter((entry): entry is [string, string] => typeof entry[1] === "string" && isAllowed(entry[0]))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** What agents would get of this command's environment. */
export const environmentToSave = (world: World): Variables => allowed(world.env);

/**
 * Keeps this command's environment for the agents that are started later: only what is on the list, for this user alone. Called by what
 * people type; a server's, and an agent's own, is not taken.
 */
export function saveEnvironment(world: World): void {
  if (world.connection.lasting || isLaunched(world)) return;
  const office = officeToWrite(world.home().store);
  const text = `${JSON.stringify(environmentToSave(world))}\n`;
  if (orElse(null, () => readText(office, ENVIRONMENT, BYTES)) !== text) place(office, ENVIRONMENT, text, 0o600);
}

/**
 * What a program is started with: what a person's command kept, else what this process has of the list; of keys and settings
 * those of that program only.
 */
export function launchEnvironment(world: World, program: Program): Record<string, string> {
  const given = savedEnvironment(world) ?? allowed(world.env);
  return Object.fromEntries(Object.entries(given).filter(([name]) => COMMON.test(name) || isOwn(program, name)));
}

/** What was kept; null where nothing was. */
const savedEnvironment = (world: World): Variables | null =>
  inOffice(world.home().store, null, (office) => {
    const saved = readJson<World["env"]>(office, ENVIRONMENT, BYTES);
    return saved === null ? null : allowed(saved);
  });
