/** One home as a page: its id and token, and the worlds in which its files are read and written. */
import { randomBytes } from "node:crypto";
import path from "node:path";
import { asReader } from "../../protocol/core/reading-world.ts";
import { createWorld, type World, type WorldOptions } from "../../protocol/index.ts";
import { requireMembers } from "../../protocol/mail/files/members.ts";
import { readText } from "../../protocol/store/read/read-file.ts";
import { place } from "../../protocol/store/write/publish.ts";
import { findMachineStore, machineStore } from "../../protocol/trust/files/machine.ts";
import { Stream } from "./stream.ts";

/** What this machine keeps of the page of a home, so that a browser that opened it once opens it again after a restart. */
interface Kept {
  /** 32 hexadecimal characters: the path of the page, which no other server of this machine knows. */
  id: string;
  /** 64 hexadecimal characters each: what the cookie holds, and what only pages are told, to know their server again. */
  token: string;
  proof: string;
  /** The port that it was served on last. */
  port: number;
}

/** A home that is shown. */
export interface Page extends Kept {
  /** The name of the project, for people. */
  name: string;
  /** Absolute path of the folder that holds the home; of a home at an unusual place, its own. */
  folder: string;
  /** Absolute real path of the home. */
  root: string;
  /** Who the person at the page is. */
  part: string;
  /** The world in which nothing is written. */
  reader: World;
  /** The world in which the person writes; null where the page only shows. */
  writer: World | null;
  stream: Stream;
}

const KEPT_PATH = "dashboard.json";

/** Which home, for whom. `home` is the value of `--home`; without it, the home around the working directory is meant. */
export interface PageOptions extends Pick<WorldOptions, "env" | "home"> {
  part: string;
  readOnly: boolean;
}

/** Opens the page of a home. @throws Refusal `no_home`, `unknown_part` */
export function openPage({ home, part, readOnly, env = process.env }: PageOptions): Page {
  const world = createWorld({ home, part, env, person: true });
  requireMembers(world, [part]);
  const { root } = world.home().store;
  const secret = (): string => randomBytes(32).toString("hex");
  const kept = keptOf(world) ?? { id: secret().slice(0, 32), token: secret(), proof: secret(), port: 0 };
  const at = path.basename(root).startsWith(".") || path.basename(root) === "relay-home" ? path.dirname(root) : root;
  const reader = asReader(world);
  return { ...kept, name: path.basename(at), folder: at, root, part, reader, writer: readOnly ? null : world, stream: new Stream() };
}

/** Pages with names that tell them apart: of homes that have one name, as much of the path as it takes. */
export function toldApart(pages: readonly Page[]): Page[] {
  const endOf = ({ folder }: Page, length: number): string => folder.split(path.sep).slice(-length).join("/");
  return pages.map((page) => {
    const others = pages.filter(({ folder }) => folder !== page.folder);
    let length = 1;
    while (length < page.folder.length && others.some((other) => endOf(other, length) === endOf(page, length))) length += 1;
    return { ...page, name: endOf(page, length) };
  });
}

/** What is kept; null where nothing is, or it is spoiled. */
function keptOf(world: World): Kept | null {
  try {
    const store = findMachineStore(world);
    const said = store === null ? null : (JSON.parse(readText(store, KEPT_PATH, 4_096) ?? "null") as Kept | null);
    return said !== null && /^[0-9a-f]{32}$/.test(said.id) && /^[0-9a-f]{128}$/.test(said.token + said.proof) && Number.isInteger(said.port)
      ? said
      : null;
  } catch {
    return null;
  }
}

/** Keeps the secrets and the port of a page for the next start. @returns why it could not be kept; empty where it was */
export function keepPage({ id, token, proof, writer }: Page, port: number): string[] {
  if (writer === null) return [];
  try {
    place(machineStore(writer), KEPT_PATH, `${JSON.stringify({ id, token, proof, port } satisfies Kept)}\n`, 0o600);
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}
