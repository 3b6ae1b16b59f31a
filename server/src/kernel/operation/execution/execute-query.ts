import { invocationPartition } from "../invocation.ts";
import type { PerformCall } from "../layers/call-layer.ts";
import type { ResponseType } from "../response.ts";
import { toResponse, validateInput } from "./compiled-operation.ts";

/** Runs a query's handler in a read-only transaction. */
export const executeQuery: PerformCall = async (platform, op, call) => {
  const input = validateInput(op, call.input);
  const { caller } = call;
  const prepared = await op.prepare?.(platform, input as never, caller);
  const value = await platform.db.read(invocationPartition(op.access, caller), (tx) =>
    op.run(
      {
        tx,
        now: platform.clock.now(),
        caller,
        services: platform,
        workspace: caller.workspace,
      } as never,
      input as never,
      prepared as never,
    ),
  );
  const { textInTurns, status, headers } = op.response as ResponseType;
  if (!textInTurns) return toResponse(op, value, platform.settings);
  const body = await textInTurns(value);
  return { status, headers: headers(value, platform.settings), body };
};
