/**
 * The library: what a program may use of Relay. Everything else is free to change.
 *
 * @example
 * const world = createWorld({ cwd: "/path/to/repository", part: "web" });
 * await perform(world, operations.send, { to: ["main"], subject: "Done", body: "It works." });
 */

export { allowedTools } from "./home/agents.ts";
export { type Delivery, deliveryOf, ladderOf, setDelivery } from "./home/delivery.ts";
export { currentName, isMember, members, requireMembers } from "./home/parts.ts";
export { type Heartbeat, startHeartbeat } from "./home/presence.ts";
export { livePagers, liveWaiters, registerPager, registerWaiter } from "./home/waiters.ts";
export { lastStep, lookAtWake } from "./home/wakes.ts";
export { ConfigSchema, FORMAT } from "./objects/config.ts";
export { parseThreadId } from "./objects/id.ts";
export { threadFolder } from "./objects/message.ts";
export { inboxNew, partProblem } from "./objects/part.ts";
export { presenceFolder } from "./objects/presence.ts";
export { LIMITS } from "./objects/schema.ts";
export { TeamSchema } from "./objects/team-schema.ts";
export { OUTCOMES, RUNGS, type RungName, type WakeState } from "./objects/wake.ts";
export type { WakePolicy } from "./objects/wake-policy.ts";
export {
  type AnyOperation,
  argumentNames,
  type Effect,
  type Identity,
  type Operation,
  type Shape,
  takesAgent,
  takesList,
  typeOf,
} from "./operation.ts";
export { operationList, operations } from "./operations/index.ts";
export { look } from "./operations/look.ts";
export { answer, asRefusal, type Performed, perform, type SuccessReply } from "./perform.ts";
export { EXIT, type FailureReply, failureReply, REFUSALS, Refusal, type RefusalCode, refuse } from "./refusal.ts";
export { absolute, names, readLines } from "./store/files.ts";
export { BEAT_MS, type Watch, watchFolders } from "./store/watch.ts";
export { asViewer, type Connection, createWorld, type Me, newConnection, type World, type WorldOptions, withSignal } from "./world.ts";
