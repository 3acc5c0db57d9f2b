/** Every operation as a list: who asks for it evaluates all of them. */
import type { AnyOperation } from "./core/operation.ts";
import { operations } from "./operations.ts";

/** The operations in the order in which help and tool lists show them. */
export const operationList: readonly AnyOperation[] = Object.values(operations);
