/** Refusals of the disk, and of files that cannot be read. */
import { EXIT, entry, quote } from "./entry.ts";

/** A file that is there but not as SPEC.md says it must be. */
export interface FileFault {
  /** Path inside the home, with `/`. */
  path: string;
  /** Line counted from 1, where it is known. */
  line?: number | undefined;
  problem: string;
}

/** Code → the exit code of a refusal, and its sentence by its data. */
export const DISK_REFUSALS = {
  unsupported_format: entry(
    EXIT.format,
    (d: { path: string; given: unknown; supported: number }) =>
      `${d.path}: format ${quote(d.given)} is not known to this version of Relay, which reads format ${d.supported}. ` +
      "Upgrade Relay, or correct the number if it is a typing error.",
  ),
  no_good_config: entry(
    EXIT.notFound,
    (d: { path: string }) => `this machine keeps no readable version of ${d.path}, so there is none to restore. Correct the file by hand.`,
  ),
  malformed_file: entry(
    EXIT.format,
    (d: FileFault) =>
      `${d.path}${d.line === undefined ? "" : `:${d.line}`}: ${d.problem}. The file was left as it is. ` +
      "Correct it by hand, or restore it from git; `relay doctor` says more.",
  ),
  file_full: entry(
    EXIT.refused,
    (d: { path: string; bytes: number; most: number }) =>
      `${d.path} would have ${d.bytes} bytes; expected at most ${d.most}. Nothing was written. Write less, or shorten the file by hand first.`,
  ),
  outside_home: entry(
    EXIT.disk,
    (d: { path: string }) =>
      `${d.path} leads out of the home (a symbolic link, or a name such as ".."), so Relay does not read or write it. Remove the link.`,
  ),
  not_a_folder: entry(
    EXIT.disk,
    (d: { path: string }) =>
      `${d.path} is a file, and a folder must be at its place. Move the file out of the home, then try again: what was recorded below it comes back.`,
  ),
  disk_full: entry(
    EXIT.disk,
    (d: { path: string }) =>
      `no space or no inode is left to write ${d.path}. No file was written by half. Free some space, then try again.`,
  ),
  not_readable: entry(
    EXIT.disk,
    (d: { path: string }) =>
      `${d.path} cannot be read (permission denied), so nothing was written. Correct its owner or its permissions; \`relay doctor\` names all such files.`,
  ),
  not_writable: entry(
    EXIT.disk,
    (d: { path: string; reason: string }) =>
      `${d.path} cannot be written (${d.reason}), so nothing was written. In a sandbox, add the home to the writable roots. ` +
      "Otherwise correct its permissions; `relay doctor` shows them.",
  ),
  no_state_folder: entry(
    EXIT.disk,
    (d: { folder: string | null; reason: string }) =>
      `this machine has no safe folder to keep what you allow: ${d.reason}. Nothing was written. ` +
      "Make `.local/state` in your home folder your own (`chmod go-w`). Or set XDG_STATE_HOME to a folder that only you can write, outside of every project.",
  ),
  disk_error: entry(
    EXIT.disk,
    (d: { path: string; reason: string }) => `${d.path}: the disk reports an error: ${d.reason}. Run \`relay doctor\`, then try again.`,
  ),
  busy: entry(EXIT.disk, (d: { path: string }) => `another process is changing ${d.path} and did not finish in time. Try again.`),
};
