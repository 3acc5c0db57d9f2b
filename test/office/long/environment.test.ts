/** The environment that agents of the office get: a list of names, kept from what people type, for this user alone. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { newConnection } from "../../../protocol/index.ts";
import { launchEnvironment, saveEnvironment } from "../../../protocol/office/files/launch-environment.ts";
import { ringing } from "../../../protocol/office/files/local-files.ts";
import { officePrograms } from "../../../protocol/office/files/office-programs.ts";
import { act } from "../../rig/clones.ts";
import { homeWith, officeFolder, worldAt } from "../../rig/home.ts";
import { relay } from "../../rig/processes.ts";
import { put } from "../../rig/scratch.ts";

/** What a person's terminal may have. */
const TERMINAL = {
  ...{ HOME: "/home/u", PATH: "/usr/bin", LANG: "C.UTF-8", LC_ALL: "C", TERM: "xterm", XDG_CONFIG_HOME: "/home/u/.config" },
  ...{ HTTPS_PROXY: "http://p:1", https_proxy: "http://p:1", SSL_CERT_FILE: "/c", NODE_EXTRA_CA_CERTS: "/d" },
  ...{ ANTHROPIC_API_KEY: "a-key", CLAUDE_CONFIG_DIR: "/c", OPENAI_API_KEY: "o-key", CODEX_HOME: "/x", GEMINI_API_KEY: "g-key" },
  // Of somebody else, of this shell, or of the session that the command was typed in.
  ...{ AWS_SECRET_ACCESS_KEY: "s", GITHUB_TOKEN: "s", NODE_OPTIONS: "--require=/x", LD_PRELOAD: "/x", BASH_ENV: "/x", GIT_DIR: "/x" },
  ...{ CLAUDECODE: "1", CLAUDE_CODE_ENTRYPOINT: "cli", CLAUDE_CODE_SESSION_ID: "1", CLAUDE_PROJECT_DIR: "/p", CODEX_SANDBOX: "1" },
  ...{ CLAUDE_CODE_MESSAGING_SOCKET: "/s", CLAUDE_CODE_MESSAGING_TOKEN: "t", CLAUDE_CODE_CHILD_NOTES_DIR: "/n", CLAUDE_EFFORT: "low" },
  ...{
    GEMINI_CLI_TRUST_WORKSPACE: "true",
    CODEX_THREAD_ID: "1",
    GEMINI_CLI: "1",
    RELAY_PART: "web",
    RELAY_WAKE_ID: "w",
    MY_PATH: "/x",
    PATHS: "/x",
  },
};
const saved = (folder: string): string => path.join(officeFolder(folder), "environment.json");
const COMMON = "HOME HTTPS_PROXY LANG LC_ALL NODE_EXTRA_CA_CERTS PATH SSL_CERT_FILE TERM XDG_CONFIG_HOME XDG_STATE_HOME https_proxy".split(
  " ",
);

test("each program gets the common variables and its own keys, and no other program's", async () => {
  const folder = await homeWith("web");
  saveEnvironment(worldAt(folder, { env: TERMINAL }));
  expect((fs.statSync(saved(folder)).mode & 0o777).toString(8)).toBe("600");
  const names = (program: Parameters<typeof launchEnvironment>[1]): string[] =>
    Object.keys(launchEnvironment(worldAt(folder, { env: { PATH: "/elsewhere", ANTHROPIC_API_KEY: "other" } }), program)).sort();
  expect(names("claude")).toEqual([...COMMON, "ANTHROPIC_API_KEY", "CLAUDE_CONFIG_DIR"].sort());
  expect(names("codex")).toEqual([...COMMON, "OPENAI_API_KEY", "CODEX_HOME"].sort());
  expect(names("gemini")).toEqual([...COMMON, "GEMINI_API_KEY"].sort());
  expect(names("command")).toEqual([...COMMON].sort());
  expect(launchEnvironment(worldAt(folder), "claude")).toMatchObject({ PATH: "/usr/bin", ANTHROPIC_API_KEY: "a-key" });
});

test("a server and an agent of the office keep nothing; where nothing was kept, what the process itself has of the list counts", async () => {
  const folder = await homeWith("web");
  saveEnvironment(worldAt(folder, { env: TERMINAL, connection: newConnection(true) }));
  saveEnvironment(worldAt(folder, { env: { ...TERMINAL, RELAY_OFFICE_TOKEN: "x" } }));
  expect(fs.existsSync(saved(folder))).toBe(false);
  const own = launchEnvironment(worldAt(folder, { env: TERMINAL }), "codex");
  expect([own["OPENAI_API_KEY"], own["GITHUB_TOKEN"], own["ANTHROPIC_API_KEY"]]).toEqual(["o-key", undefined, undefined]);
});

test("a command that a person types about the office keeps its environment", async () => {
  const folder = await homeWith("web");
  await relay(folder, ["office", "init"], { env: { ANTHROPIC_API_KEY: "first" } });
  await relay(folder, ["trust", "office"], { env: { ANTHROPIC_API_KEY: "second", SECRET: "x" } });
  expect(JSON.parse(fs.readFileSync(saved(folder), "utf8"))).toMatchObject({ ANTHROPIC_API_KEY: "second" });
  expect(fs.readFileSync(saved(folder), "utf8")).not.toContain("SECRET");
});

test("a kept environment that is no map of variables is not believed", async () => {
  const folder = await homeWith("web");
  saveEnvironment(worldAt(folder, { env: { PATH: "/evil" } }));
  fs.writeFileSync(saved(folder), "[1]");
  expect(launchEnvironment(worldAt(folder, { env: { PATH: "/usr/bin" } }), "command")["PATH"]).not.toBe("/evil");
});

test("a file of the home says neither which programs run nor with which variables, and doctor names it", async () => {
  const folder = await homeWith("web");
  const planted = ["run/office/environment.json", "local/office/runners.json", "local/office/ring/t-20260131-k3f9x2ab"];
  for (const name of planted) {
    const at = path.join(folder, ".relay", name);
    put(at, JSON.stringify({ PATH: "/evil", command: ["/evil"] }), 0o600);
  }
  const world = worldAt(folder, { env: { PATH: "/usr/bin" } });
  expect([launchEnvironment(world, "command")["PATH"], officePrograms(world), ringing(world.home().store)]).toEqual(["/usr/bin", {}, []]);
  const { findings } = await act(folder, undefined, "doctor");
  expect(findings.filter(({ code }: { code: string }) => code === "not_believed").map(({ path: at }: { path: string }) => at)).toEqual(
    planted.sort(),
  );
});
