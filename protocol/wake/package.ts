/** Wakes, as a package: what is owed to a part, and which process delivers it. */
import type { Package } from "../core/package.ts";
import { noteHeardBy, noteSeenBy, settleWakes } from "./files/drive-wake.ts";
import { examineWakes } from "./files/examine-wakes.ts";
import { recipientStatuses } from "./files/recipient-status.ts";

/** What wakes give to mail and `doctor`. */
export const wake: Package = {
  followAck(world, part, left, acked) {
    if (left === 0) settleWakes(world, [part]);
    else if (acked > 0) noteHeardBy(world, part);
  },
  followSeen: (world, part, seen) => noteSeenBy(world, part, seen),
  followCleared: (world, parts) => settleWakes(world, parts),
  probes: { wakes: (world) => examineWakes(world) },
  recipientStatuses: (world, message) => recipientStatuses(world, message),
};
