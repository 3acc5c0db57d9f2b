/** Laying a state of the model out on a disk, as a machine finds it that was started again. */
import fs from "node:fs";
import path from "node:path";
import type { Laid } from "./laid.ts";
import type { Call } from "./trace.ts";

/** So long ago everything was written when the machine is there again: no mark of a living process is fresh. */
const DOWN_S = 3_600;

/** The boot of the machine that lost its power: none of its processes can be seen from the boot after it. */
const OTHER_BOOT = "0ddb0075";
const bootId = (): string => fs.readFileSync("/proc/sys/kernel/random/boot_id", "latin1").slice(0, 8);

/** Every word of a process of this boot as one of an earlier boot. */
export const ofOtherBoot = {
  name: (name: string): string => name.replaceAll(bootId(), OTHER_BOOT),
  bytes: (bytes: Buffer): Buffer =>
    bytes.includes(bootId()) ? Buffer.from(bytes.toString("latin1").replaceAll(bootId(), OTHER_BOOT), "latin1") : bytes,
};

/** The same calls by a process of an earlier boot. */
export const callOfOtherBoot = (call: Call): Call => ({
  ...call,
  path: ofOtherBoot.name(call.path),
  ...("from" in call ? { from: ofOtherBoot.name(call.from) } : {}),
  ...("bytes" in call ? { bytes: ofOtherBoot.bytes(call.bytes) } : {}),
});

/** Writes a state over what lies below some folders. @param roots absolute paths */
export function layOut(roots: readonly string[], laid: Laid): void {
  for (const root of roots) fs.rmSync(root, { recursive: true, force: true });
  const first = new Map<number, string>();
  const writtenS = Date.now() / 1_000 - DOWN_S;
  for (const [at, { inode, kind, mode, bytes }] of laid) {
    const same = first.get(inode);
    if (kind === "folder") fs.mkdirSync(at, { recursive: true, mode });
    else if (kind === "link") fs.symlinkSync(bytes.toString("utf8"), at);
    else if (same !== undefined) fs.linkSync(same, at);
    else {
      fs.writeFileSync(at, bytes, { mode });
      fs.utimesSync(at, writtenS, writtenS);
      first.set(inode, at);
    }
  }
  for (const [at, { kind }] of laid) if (kind === "folder") fs.utimesSync(at, writtenS, writtenS);
}

/** What tells nothing of a home: what belongs to a moment of this machine, and what git keeps for itself. */
const DISPOSABLE = /^(run|\.git)(\/|$)/;
/** A process in the name of a file, and what makes the name its own. */
const PROCESS = /\d+-\d+-[0-9a-f]{8}-\d+(-\d+)?([.-]\d+)?/g;
const nameless = (text: string): string => text.replaceAll(PROCESS, "process");

/** Every file of a home by its path, with its text; folders that hold none are nothing. */
export function filesOf(home: string): Map<string, string> {
  const files = new Map<string, string>();
  const walk = (at: string): void => {
    for (const entry of fs.readdirSync(path.join(home, at), { withFileTypes: true })) {
      const name = at === "" ? entry.name : `${at}/${entry.name}`;
      if (DISPOSABLE.test(name)) continue;
      if (entry.isDirectory()) walk(name);
      else if (entry.isFile()) files.set(nameless(name), nameless(fs.readFileSync(path.join(home, name), "latin1")));
    }
  };
  if (fs.existsSync(home)) walk("");
  return files;
}
