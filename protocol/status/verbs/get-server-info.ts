import * as z from "zod/mini";
import { findSession } from "../../board/files/sessions.ts";
import { defineOperation } from "../../core/operation.ts";
import { SessionId } from "../../core/shapes.ts";
import { servedDashboard } from "../files/dashboard-hold.ts";

/** Says which server this is. */
export const get_server_info = defineOperation({
  name: "get_server_info",
  tool: "plugin",
  command: "info",
  summary: "Show the home, the session, and where the dashboard is",
  when: "See the current session, and where people watch.",
  effect: "read",
  identity: "optional",
  input: () => ({ session_id: SessionId }),
  output: () => ({
    dashboardUrl: z.nullable(z.string()),
    dashboardAvailable: z.boolean(),
    port: z.number(),
    sessionId: z.nullable(z.string()),
    instanceId: z.nullable(z.string()),
    home: z.string(),
  }),
  async run(world, input) {
    const { store } = world.home();
    const served = world.past === undefined ? servedDashboard(world) : null;
    return {
      // Without the secret path: a server at another port that knows it is given the cookie.
      dashboardUrl: served === null ? null : `${new URL(served.url).origin}/`,
      dashboardAvailable: served !== null,
      // A number all the same: agents put it into JSON that they write with a shell.
      port: served?.port ?? 0,
      sessionId: findSession(world, input.session_id),
      instanceId: world.env["RELAY_INSTANCE"] ?? null,
      home: world.past?.home ?? store.root,
    };
  },
});
