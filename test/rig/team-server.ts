/** Servers of the team's tools, each with the token of a turn that a test plays. */
import { createDispatch } from "../../protocol/office/files/create-dispatch.ts";
import { localDispatches } from "../../protocol/office/files/next-turn.ts";
import { readDispatch } from "../../protocol/office/files/read-dispatch.ts";
import { issueToken } from "../../protocol/office/files/token.ts";
import { begin } from "./dispatches.ts";
import { worldAt } from "./home.ts";
import { type Agent, connect } from "./processes.ts";
import { until } from "./scratch.ts";

const servers: Agent[] = [];
/** Ends the servers of a test. */
export const closeTeamServers = async (): Promise<void> => void (await Promise.all(servers.splice(0).map((server) => server.close())));

/** A server of the team's tools; with a token it is that of a turn. */
export async function teamServer(folder: string, token?: string, ...args: string[]): Promise<Agent> {
  const env: Record<string, string> = { RELAY_NO_RUNNER: "1", ...(token === undefined ? {} : { RELAY_OFFICE_TOKEN: token }) };
  const server = await connect(folder, { args: ["--tools", "team", ...args], env });
  servers.push(server);
  return server;
}

/** Begins the next turn of a dispatch, and starts a server with the token of that turn. */
export async function serverOf(folder: string, id: string) {
  const world = worldAt(folder);
  const next = begin(world, id);
  const token = issueToken(world, id, next.turn);
  return { next, token, server: await teamServer(folder, token) };
}

/** A turn that runs, of work that a person gave a position, and a server with its token. */
export async function turnOf(folder: string, recipient: string) {
  const world = worldAt(folder);
  const { dispatch } = createDispatch(world, { initiator: "web", recipient, text: "Build.", parent: null });
  return { dispatch, world, ...(await serverOf(folder, dispatch.id)) };
}

/** The dispatch that another led to, once it is there with its mail. */
export const childOf = (folder: string, parent: string): Promise<string> =>
  until("work was given", () =>
    localDispatches(worldAt(folder)).find((id) => {
      const state = readDispatch(worldAt(folder), id);
      return state?.dispatch.parent === parent && state.untaken.length > 0;
    }),
  );

/** The id of the dispatch of a context. */
export const idOf = (folder: string, context: string): string =>
  localDispatches(worldAt(folder)).find((id) => readDispatch(worldAt(folder), id)?.dispatch.context === context) as string;
