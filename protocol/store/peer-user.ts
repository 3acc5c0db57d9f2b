/** The user at the other end of a connection of this machine with itself. spec/commands.md, "Dashboard". */
import fs from "node:fs";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { orElse } from "../core/format/file-error.ts";
import { isOthers } from "./beside/own-folder.ts";

/** Columns of the system's table of connections. */
const [LOCAL, REMOTE, STATE, USER] = [1, 2, 3, 7] as const;
const [ESTABLISHED, LISTENS] = ["01", "0A"];
/** A connection on which nothing comes is looked up this much later, with all that came by then. */
const LOOK_MS = 20;

/** The port at the end of an address in that table, which is hexadecimal. */
const portOf = (address: string | undefined): number => Number.parseInt(address?.split(":")[1] ?? "", 16);

/**
 * The users whose programs are connected to a port of this machine, by the system's table of connections.
 * @param table text of `/proc/net/tcp`, or of `/proc/net/tcp6`
 * @returns by the port of the other end, the ids of users; none of an end that is closed, whose user the system tells no more. Null where the
 * table does not have the port at all
 */
export function peersIn(table: string, port: number): Map<number, number[]> | null {
  const peers = new Map<number, number[]>();
  let has = false;
  for (const row of table.split("\n")) {
    const cells = row.trim().split(/\s+/);
    const [local, isPeer] = [portOf(cells[LOCAL]), portOf(cells[REMOTE]) === port];
    has ||= isPeer || (cells[STATE] === LISTENS && local === port);
    // Several addresses of this machine may have a connection from one port.
    if (isPeer && cells[STATE] === ESTABLISHED) peers.set(local, [...(peers.get(local) ?? []), Number(cells[USER])]);
  }
  return has ? peers : null;
}

/** The connections of a server whose users were not looked up yet: one look at the system's table is for all that came since the last. */
export class NewPeers {
  #fresh = new Set<Duplex & { remotePort?: number }>();
  #look: NodeJS.Timeout | undefined;

  #server: { port: number };
  #refuse: (socket: Duplex) => void;

  /**
   * @param server which listens at loopback addresses
   * @param refuse ends a connection of another user's program, or of one that is gone
   */
  constructor(server: { port: number }, refuse: (socket: Duplex) => void) {
    this.#server = server;
    this.#refuse = refuse;
  }

  /** Takes a connection that came. */
  add(socket: Socket): void {
    this.#fresh.add(socket);
    this.#look ??= setTimeout(() => this.#lookUp(), LOOK_MS).unref();
  }

  /** Tells whether what came on a connection may be answered; never before its user is known, where the system tells users. */
  mayAnswer(socket: Duplex): boolean {
    if (this.#fresh.has(socket)) this.#lookUp();
    return socket.writable;
  }

  #lookUp(): void {
    clearTimeout(this.#look);
    const fresh = [...this.#fresh];
    this.#fresh.clear();
    this.#look = undefined;
    const tables = ["tcp", "tcp6"].flatMap(
      (name) => orElse(null, () => peersIn(fs.readFileSync(`/proc/net/${name}`, "latin1"), this.#server.port)) ?? [],
    );
    for (const socket of tables.length === 0 ? [] : fresh) {
      const users = tables.flatMap((peers) => peers.get(socket.remotePort ?? 0) ?? []);
      if (users.length === 0 || users.some(isOthers)) this.#refuse(socket);
    }
  }
}
