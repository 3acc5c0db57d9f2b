import { expect, test } from "vitest";
import { homeWith } from "../rig/home.ts";
import { connect, relay } from "../rig/processes.ts";

test("a message travels over MCP and the command line", async () => {
  const folder = await homeWith("web", "api");
  const api = await connect(folder, { args: ["--part", "api"] });
  const sent = await api.call("send", { to: ["web"], subject: "Hello", body: "First." });
  expect(sent).toMatchObject({ success: true });
  const seen = await relay(folder, ["inbox", "--part", "web", "--json"]);
  expect(seen.json.messages[0]).toMatchObject({ messageId: expect.stringContaining(sent.messageId), subject: "Hello", from: "api" });
  await api.close();
});
