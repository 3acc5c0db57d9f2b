/** The user at the other end of a connection of this machine with itself. spec/commands.md, "Dashboard". */
import fs from "node:fs";
import { orElse } from "../core/format/file-error.ts";
import { isOthers } from "./beside/own-folder.ts";

/** Columns of the system's table of connections. */
const [LOCAL, REMOTE, STATE, USER] = [1, 2, 3, 7] as const;
const [ESTABLISHED, LISTENS] = ["01", "0A"];

/** The port at the end of an address in that table, which is hexadecimal. */
const portOf = (address: string | undefined): number => Number.parseInt(address?.split(":")[1] ?? "", 16);

/**
 * The user whose program connected to a port of this machine, by the system's table of connections.
 * @param table text of `/proc/net/tcp`, or of `/proc/net/tcp6`
 * @returns the user's id; "gone" where the connection is closed at the other end, whose user the system then tells no more; null where the
 * table does not have the port at all
 */
export function peerIn(table: string, port: number, peerPort: number): number | "gone" | null {
  const rows = table.split("\n").map((row) => row.trim().split(/\s+/));
  const peer = rows.find((row) => portOf(row[LOCAL]) === peerPort && portOf(row[REMOTE]) === port);
  if (peer?.[STATE] === ESTABLISHED) return Number(peer[USER]);
  return peer !== undefined || rows.some((row) => row[STATE] === LISTENS && portOf(row[LOCAL]) === port) ? "gone" : null;
}

/**
 * Tells whether a program of another user connected, or one that is gone. False where the system has no such table.
 * @param port that this process listens on, at a loopback address
 * @param peerPort the other end's
 */
export function isOthersPeer(port: number, peerPort: number): boolean {
  const found = ["tcp", "tcp6"].map((name) => orElse(null, () => peerIn(fs.readFileSync(`/proc/net/${name}`, "latin1"), port, peerPort)));
  const user = found.find((each) => typeof each === "number") ?? found.find((each) => each === "gone") ?? null;
  return user !== null && (user === "gone" || isOthers(user));
}
