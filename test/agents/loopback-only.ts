/** The settings by which each agent knows the scripted models only, sends nothing home, and asks nothing about itself. */
import path from "node:path";
import { putAll } from "../rig/scratch.ts";

/** A key that is none. */
const KEY = "sk-no-account-anywhere";

/** Writes the settings into a user's home. @returns what the agents need in their environment */
export function loopbackOnly(home: string, url: string): Record<string, string> {
  const approved = { approved: [KEY.slice(-20)], rejected: [] };
  putAll(home, {
    ".claude.json": JSON.stringify({ hasCompletedOnboarding: true, theme: "dark", customApiKeyResponses: approved }),
    ".codex/config.toml": codexConfig(url),
    ".config/opencode/opencode.json": JSON.stringify(openCode(url), null, 2),
    ".qwen/settings.json": JSON.stringify(QWEN, null, 2),
    ".pi/agent/models.json": JSON.stringify({ providers: { anthropic: { baseUrl: url } } }),
    ".pi/agent/settings.json": JSON.stringify({ defaultProvider: "anthropic", defaultModel: "claude-opus-4-8" }),
    ".gemini/settings.json": JSON.stringify(GEMINI, null, 2),
  });
  return {
    ANTHROPIC_API_KEY: KEY,
    ANTHROPIC_BASE_URL: url,
    // One whose price is known, whatever is the newest.
    ANTHROPIC_MODEL: "claude-opus-4-8",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    // On a busy machine a server is ready late, and a model that was asked meanwhile has no tools.
    MCP_CONNECTION_NONBLOCKING: "0",
    MCP_CONNECT_TIMEOUT_MS: "60000",
    DISABLE_AUTOUPDATER: "1",
    IS_SANDBOX: "1",
    CODEX_HOME: path.join(home, ".codex"),
    GEMINI_API_KEY: KEY,
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_MODEL: "gemini-2.5-flash",
    GEMINI_CLI_NO_RELAUNCH: "true",
    PI_OFFLINE: "1",
    COPILOT_PROVIDER_TYPE: "anthropic",
    COPILOT_PROVIDER_BASE_URL: url,
    COPILOT_PROVIDER_API_KEY: KEY,
    COPILOT_MODEL: "claude-sonnet-4-5",
    COPILOT_OFFLINE: "true",
    COPILOT_AUTO_UPDATE: "false",
  };
}

const codexConfig = (url: string): string => `model = "scripted"
model_provider = "loopback"
web_search = "disabled"
check_for_update_on_startup = false

[model_providers.loopback]
name = "loopback"
base_url = "${url}/v1"
wire_api = "responses"

[analytics]
enabled = false

[features]
plugins = false
apps = false
`;

const openCode = (url: string) => ({
  provider: { anthropic: { options: { baseURL: `${url}/v1`, apiKey: KEY } } },
  model: "anthropic/claude-sonnet-4-5",
  small_model: "anthropic/claude-sonnet-4-5",
  autoupdate: false,
  share: "disabled",
});

const QWEN = {
  security: { auth: { selectedType: "anthropic" } },
  model: { name: "claude-opus-4-8" },
  // It asks its model after each turn what to remember.
  memory: { enableManagedAutoMemory: false, enableManagedAutoDream: false },
  privacy: { usageStatisticsEnabled: false },
  general: { enableAutoUpdate: false },
  ui: { enableFollowupSuggestions: false },
};

const GEMINI = {
  security: { auth: { selectedType: "gemini-api-key" } },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
};
