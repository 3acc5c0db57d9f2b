/**
 * The library: what a program may use of Relay. Everything else is free to change. docs/library.md says more.
 *
 * @example
 * const world = createWorld({ cwd: "/path/to/project", part: "web" });
 * await perform(world, operations.send, { to: ["main"], subject: "Done", body: "It works." });
 */

import "./operations/index.ts";

export type { Claim, Message, Part, Task, Thread } from "./answers.ts";
export { type Connection, type HeldClaim, newConnection } from "./connection-memory.ts";
export { FORMAT } from "./objects/config/config-schema.ts";
export type { OfficeEvent } from "./objects/dispatch/office-event.ts";
export { LIMITS } from "./objects/format/schema.ts";
export type { Office, Position } from "./objects/office/positions.ts";
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
} from "./objects/office/roster.ts";
export { HUMAN } from "./objects/part/part.ts";
export { onOfficeEvent } from "./office-listener.ts";
export type { AnyOperation, Effect, Identity, InputOf, Operation, OutputOf, Shape } from "./operation.ts";
export { operations } from "./operations/index.ts";
export { operationList } from "./operations/list.ts";
export { answer, type Performed, perform, type SuccessReply, worldAtRecord } from "./perform.ts";
export { EXIT, type FailureReply, type FileFault, Refusal, type RefusalCode } from "./refusal.ts";
export { asViewer, createWorld, type Me, type World, type WorldOptions, withSignal } from "./world.ts";
