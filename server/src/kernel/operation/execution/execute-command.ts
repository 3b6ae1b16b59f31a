import type { Operation, Platform } from "../../contract.ts";
import { amendStoredResponse, runOnce } from "../idempotency.ts";
import { type Invocation, type InvocationResult, invocationPartition } from "../invocation.ts";
import type { PerformCall } from "../layers/call-layer.ts";
import { renderFailure } from "../problem.ts";
import { toResponse, validateInput } from "./compiled-operation.ts";
import { executeHandler, type HandlerOutcome, problemContext } from "./execute-handler.ts";

/** Runs a command's handler in one transaction, once per idempotency key, then its `afterCommit`. */
export const executeCommand: PerformCall = async (platform, op, call) => {
  if (!op.afterCommit) return commit(platform, op, call);
  let committed: HandlerOutcome | undefined;
  const response = await commit(platform, op, call, (result) => (committed = result));
  // A repetition by idempotency key gets the stored response.
  if (!committed) return response;
  const { input, value } = committed;
  const result = { value: value as never, caller: call.caller };
  const finalValue = await op.afterCommit(platform, input as never, result);
  if (finalValue === undefined) return response;
  const finalResponse = toResponse(op, finalValue, platform.settings);
  if (call.idempotencyKey !== undefined) {
    await amendStoredResponse(platform, op, call, finalResponse);
  }
  return finalResponse;
};

async function commit(
  platform: Platform,
  op: Operation,
  call: Invocation,
  onResult?: (result: HandlerOutcome | undefined) => void,
): Promise<InvocationResult> {
  if (call.idempotencyKey === undefined || call.caller.idempotencyScope === undefined) {
    const input = validateInput(op, call.input);
    const prepared = await op.prepare?.(platform, input as never, call.caller);
    const partition =
      op.partitionOf?.(prepared as never) ?? invocationPartition(op.access, call.caller);
    return platform.db.write(partition, (session) =>
      executeHandler(platform, op, call, { session, input, prepared, onResult }),
    );
  }
  return runOnce(platform, call, call.idempotencyKey, {
    operation: op.id,
    partition: invocationPartition(op.access, call.caller),
    looksBefore: op.prepare !== undefined && !call.isFirst,
    prepare: async () => {
      const input = validateInput(op, call.input);
      return { input, prepared: await op.prepare?.(platform, input as never, call.caller) };
    },
    run: (session, ready) => executeHandler(platform, op, call, { session, ...ready, onResult }),
    renderFailure: (failure) => renderFailure(op.response, failure, problemContext(call)),
  });
}
