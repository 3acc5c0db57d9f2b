/** What doctor finds of an office on this machine. */

import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { act } from "../rig/clones.ts";
import { officeHome } from "../rig/dispatches.ts";
import { officeFolder } from "../rig/home.ts";

test("doctor names untrusted files, missing programs, a killed runner, and an abandoned start", async () => {
  const folder = await officeHome("web");
  const codes = async (): Promise<string[]> =>
    (await act(folder, undefined, "doctor")).findings
      .map(({ code }: { code: string }) => code)
      .filter((code: string) => /office|program|runner|launch|worktree/.test(code));
  expect(await codes()).toEqual(["program_missing"]);
  const bin = path.join(folder, "claude");
  fs.writeFileSync(bin, "#!/bin/sh\n", { mode: 0o755 });
  await act(folder, undefined, "office_runner", { program: "claude", argv: [bin] });
  expect(await codes()).toEqual([]);
  const run = officeFolder(folder);
  fs.mkdirSync(path.join(run, "launches/t-20260131-k3f9x2ab.1.1"), { recursive: true });
  fs.writeFileSync(path.join(run, "runner"), "999999999-1-0-0\n");
  fs.appendFileSync(path.join(folder, ".relay/org/agents/auditor.md"), "More.\n");
  fs.utimesSync(path.join(run, "runner"), 0, 0);
  expect((await codes()).sort()).toEqual(["launch_left", "office_untrusted", "runner_lost"]);
});
