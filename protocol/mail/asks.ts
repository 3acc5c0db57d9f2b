/** What mail asks of other packages: what follows what its readers do, what the office makes of mail to a position, and what was removed. */
import type * as z from "zod/mini";
import type { ThreadLocation } from "../core/format/id.ts";
import type { Faults } from "../core/home/broken-files.ts";
import { packageWith } from "../core/package.ts";
import type { Sent } from "../core/shapes.ts";
import type { World } from "../core/world.ts";
import type { Store } from "../store/root.ts";
import type { ShownMessage, ThreadBrief } from "./files/thread-brief.ts";
import type { Message } from "./nouns/message.ts";

/** What sending to a position needs of the office. */
export interface OfficeOfMail {
  /** Tells whether a name is a position's. */
  isPosition(world: World, name: string): boolean;
  /** Refuses mail that the positions among its recipients would not take as work. @throws Refusal */
  requireWork(world: World, from: string, to: readonly string[], positions: readonly string[]): void;
  /** Refuses mail to a thread whose work is over. @throws Refusal */
  requireOpen(world: World, thread: string, from: string): void;
  /** Sends a message that gives work, and has the work begin. */
  sendWork(world: World, thread: ThreadLocation, send: () => Message): Message;
  /** Has the work of a message begin that was sent before. @returns the message */
  startWork(world: World, message: Message): Message;
  /** A conversation that takes words. @throws Refusal */
  openConversation(world: World, name: string): Promise<{ thread: string; name: string }>;
  /** Refuses words in a thread of a conversation that is closed; does nothing of any other thread. @throws Refusal */
  requireOpenConversation(world: World, thread: string): Promise<void>;
}

/** Facts of the programs in which agents run, as mail needs them. */
export interface HostsOfMail {
  /** Variables, one of which is set in a shell that an agent calls. */
  readonly marks: readonly string[];
  /** The variable in which a client has the id of its session; undefined of one that has none. */
  sessionVariable(client: string): string | undefined;
  /** Seconds that a call of a tool may take in a client; undefined where that is not known. */
  callSeconds(client: string): number | undefined;
  /**
   * Tells whether the terminal of a session is gone, of a client whose sessions run in one process, which goes on.
   * @param processes the words of the process that started this one, and those of each that works in its folder; null where the system does not say it
   */
  isTerminalGone(
    client: string,
    processes: () => readonly [starter: readonly string[], working: readonly (readonly string[])[] | null],
  ): boolean;
}

/** Archived threads and forgotten messages, as mail asks for them. */
export interface RemovalsOfMail {
  /** Tells whether a thread has an archive. */
  hasArchive(store: Store, location: ThreadLocation): boolean;
  /** Lists the threads that have archives, those that began last first. */
  archivedThreads(store: Store): ThreadLocation[];
  /**
   * Lists a page of them. Archives are read only until it is full.
   * @param page names of the part that must have written, null for any; and how many threads are looked at
   */
  archivedPage(
    world: World,
    page: { limit: number; cursor?: string | undefined; names: ReadonlySet<string> | null; most: number },
    isWanted: (brief: z.infer<typeof ThreadBrief>) => boolean,
    problems: Faults,
  ): { threads: z.infer<typeof ThreadBrief>[]; cursor: string | null };
  /** Shows a thread out of its archives, which say who acked what. @throws Refusal `malformed_file` */
  showArchived(
    world: World,
    location: ThreadLocation,
    page: { limit: number; cursor?: string | undefined },
  ): { thread: z.infer<typeof ThreadBrief>; messages: z.infer<typeof ShownMessage>[]; cursor: string | null; problems?: Faults };
  /** Tells whether a person took a message out of this clone. */
  isForgottenHere(world: World, id: string): boolean;
  /** Lists the requests to forget messages of a thread that nobody refused, in no order. */
  requestsIn(store: Store, thread: ThreadLocation): { id: string; by: string; at: string; reason?: string | undefined; open: boolean }[];
}

declare module "../core/package.ts" {
  interface Package {
    /** The programs in which agents run. */
    hosts?(): HostsOfMail;
    /** Follows an ack of a part. @param left how many messages stay unread @param acked how many this ack took */
    followAck?(world: World, part: string, left: number, acked: number): void;
    /** Follows messages that a part was shown. */
    followSeen?(world: World, part: string, seen: readonly string[]): void;
    /** Follows the ack of the last unread message of parts. */
    followCleared?(world: World, parts: readonly string[]): void;
    /** What a sender is told of each recipient. */
    recipientStatuses?(world: World, message: Message): z.infer<typeof Sent>["recipients"];
    /** Opens a session for whoever joins it. @param session null for the current one @returns the session */
    enterSession?(world: World, session: string | null, part: string): string;
    /** Appends a dated lesson of a thread to the project's memory; parallel appends all land. */
    learn?(world: World, day: string, lesson: string, thread: string): Promise<void>;
    /** Tells whether a session has ended. */
    isSessionOver?(store: Store, session: string): boolean;
    /** Archived threads and forgotten messages. */
    removals?(): RemovalsOfMail;
    /** What sending to a position needs. */
    office?(): OfficeOfMail;
  }
}

/** Tells whether a message was sent in a session that has ended: nobody waits for an answer to it. */
export const isOfEnded = (store: Store, message: Pick<Message, "session"> | null): boolean =>
  message?.session !== undefined && packageWith("isSessionOver").isSessionOver(store, message.session);

/** The programs in which agents run, as mail asks of them. */
export const hosts = (): HostsOfMail => packageWith("hosts").hosts();

/** The office, as mail asks it. */
export const office = (): OfficeOfMail => packageWith("office").office();

/** Archived threads and forgotten messages, as mail asks for them. */
export const removals = (): RemovalsOfMail => packageWith("removals").removals();
