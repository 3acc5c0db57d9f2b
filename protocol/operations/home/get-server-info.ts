import * as z from "zod/mini";
import { findSession } from "../../home/session/sessions.ts";
import { defineOperation } from "../../operation.ts";
import { SessionId } from "../shapes.ts";

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
    return {
      // No dashboard serves this home: there is none yet.
      dashboardUrl: null,
      dashboardAvailable: false,
      // A number all the same: agents put it into JSON that they write with a shell.
      port: 0,
      sessionId: findSession(world, input.session_id),
      instanceId: world.env["RELAY_INSTANCE"] ?? null,
      home: world.home().store.root,
    };
  },
});
