import type { Platform, Operation } from "../contract.ts";
import { executeCommand } from "./execution/execute-command.ts";
import { executeQuery } from "./execution/execute-query.ts";
import type { Invocation, InvocationResult } from "./invocation.ts";
import { composeLayers } from "./layers/call-layer.ts";
import { CALL_LAYERS, COMMAND_LAYERS } from "./layers/layer-order.ts";
import { describeMissing } from "./not-found.ts";

const performCommand = composeLayers(COMMAND_LAYERS, executeCommand);

const performCall = composeLayers(CALL_LAYERS, (platform, op, call) =>
  (op.kind === "query" ? executeQuery : performCommand)(platform, op, call),
);

/** Performs a call: the layers, then the handler in a transaction, then the commit. */
export async function perform(
  platform: Platform,
  op: Operation,
  invocation: Invocation,
): Promise<InvocationResult> {
  try {
    return await performCall(platform, op, invocation);
  } catch (error) {
    throw describeMissing(error, op, invocation);
  }
}
