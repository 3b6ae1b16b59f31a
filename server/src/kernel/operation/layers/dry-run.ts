import type { Act } from "../act.ts";
import { describeLeftOut, describeOutcome, reasonToLeaveOut, supportsDryRun } from "../dry-run.ts";
import { executeHandler } from "../execution/execute-handler.ts";
import { toConstraintFailure } from "../execution/constraint-failure.ts";
import { validateInput } from "../execution/compiled-operation.ts";
import { invocationPartition } from "../invocation.ts";
import type { CallLayer, PerformCall } from "./call-layer.ts";

/** Performs a dry run if the caller requested one. */
export const dryRun: CallLayer = (next) => (platform, op, call) =>
  call.isDryRun && supportsDryRun(op)
    ? performDryRun(platform, op, call)
    : next(platform, op, call);

/** Performs a command and rolls it back. Actions after the commit do not run. */
const performDryRun: PerformCall = async (platform, op, { caller, ...call }) => {
  const input = validateInput(op, call.input);
  const reason = reasonToLeaveOut(op);
  if (reason !== undefined) return describeLeftOut(reason);
  const dry = { ...call, caller: { ...caller, isDryRun: true as const } };
  const prepared = await op.prepare?.(platform, input as never, dry.caller);
  const partition = invocationPartition(op.access, caller);
  return platform.db.writeAndRollBack(partition, async (session) => {
    let act: Act | undefined;
    const onFinish = (finished: Act) => (act = finished);
    const on = { session, input, prepared, onResult: undefined, onFinish };
    const outcome = await executeHandler(platform, op, dry, on);
    if (!act) throw new Error(`${op.id} ended without its act.`);
    try {
      return await describeOutcome(outcome, { session, ctx: act.ctx, partition });
    } catch (error) {
      throw toConstraintFailure(op.fails, error) ?? error;
    }
  });
};
