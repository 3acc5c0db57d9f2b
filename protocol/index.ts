/**
 * The library: what a program may use of Relay. Everything else is free to change. docs/library.md says more.
 *
 * @example
 * const world = createWorld({ cwd: "/path/to/project", part: "web" });
 * await perform(world, operations.send, { to: ["main"], subject: "Done", body: "It works." });
 */

import { usePackages } from "./packages.ts";

export type { Claim, Message, Part, Task, Thread } from "./answers.ts";
export { FORMAT } from "./core/config/config-schema.ts";
export { type Connection, type HeldClaim, newConnection } from "./core/connection-memory.ts";
export { LIMITS } from "./core/format/schema.ts";
export { HUMAN } from "./core/names.ts";
export type { AnyOperation, Effect, Identity, InputOf, Operation, OutputOf, Shape } from "./core/operation.ts";
export { answer, type Performed, perform, type SuccessReply, worldAtRecord } from "./core/perform.ts";
export { EXIT, type FailureReply, type FileFault, Refusal, type RefusalCode } from "./core/refusal.ts";
export { asViewer, createWorld, type Me, type World, type WorldOptions, withSignal } from "./core/world.ts";
export { operationList } from "./list.ts";
export { onOfficeEvent } from "./office/files/office-listener.ts";
export type { OfficeEvent } from "./office/nouns/office-event.ts";
export type { Office, Position } from "./office/nouns/positions.ts";
export {
  deriveOfficeRoster,
  deriveProjectRoster,
  deriveRoster,
  deriveWorkgroupRoster,
  hasSubRoster,
  positionMap,
  type Roster,
  type RosterEntry,
  readOffice,
} from "./office/nouns/roster.ts";
export { operations } from "./operations.ts";

usePackages();
