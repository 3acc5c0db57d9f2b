/** A server with the four tools of the plugin that write, and nothing on a disk: the stand-in for one that keeps its state in memory. */
import { randomUUID } from "node:crypto";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import * as z from "zod";

const messages = [];
const tasks = new Map();
const server = new McpServer({ name: "in-memory", version: "1" });

function tool(name, inputSchema, act) {
  server.registerTool(name, { description: name, inputSchema }, (input) => {
    const structuredContent = { success: true, ...act(input) };
    return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
  });
}

const agent_id = z.string();
const task_id = z.string();
const now = () => new Date().toISOString();

tool("send_message", { agent_id, to: z.string(), content: z.string() }, ({ agent_id: from, to, content }) => {
  const message = { id: randomUUID(), seq: messages.length + 1, from, to, content, timestamp: now() };
  messages.push(message);
  return { message_id: message.id, seq: message.seq };
});
tool(
  "create_task",
  { agent_id, title: z.string(), description: z.string(), priority: z.enum(["critical", "high", "medium", "low"]) },
  ({ agent_id: by, ...said }) => {
    const id = randomUUID();
    tasks.set(id, { id, ...said, status: "todo", created_by: by, created_at: now(), history: [] });
    return { task_id: id };
  },
);
tool("claim_task", { agent_id, task_id }, ({ agent_id: agent, task_id: id }) => {
  const task = tasks.get(id);
  if (task.assignee !== undefined) return { success: false, error: `claimed by ${task.assignee}` };
  Object.assign(task, { assignee: agent, status: "in_progress", updated_at: now() });
  task.history.push(`${task.updated_at} ${agent}: claimed`);
  return { task_id: id, status: task.status };
});
tool("update_task", { agent_id, task_id, status: z.string() }, ({ agent_id: agent, task_id: id, status }) => {
  const task = tasks.get(id);
  Object.assign(task, { status, updated_at: now() });
  task.history.push(`${task.updated_at} ${agent}: ${status}`);
  return { task_id: id, status };
});

await server.connect(new StdioServerTransport());
