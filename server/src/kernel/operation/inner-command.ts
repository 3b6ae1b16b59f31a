import type { Operation, WriteContext } from "../contract.ts";
import type { PerformInput } from "./call-operation.ts";
import { Failure } from "./failure.ts";
import { validateInput } from "./execution/compiled-operation.ts";
import { authorise } from "./layers/authorisation.ts";

/**
 * Performs a command in the transaction of another command, with the permissions of its caller: its writes and
 * events commit with the rest. The outer command declares the events. If-Match applies to the outer command
 * only. A failure is thrown, even one that the command alone would commit.
 */
export async function performWithin(
  ctx: WriteContext<never>,
  op: Operation,
  { params = {}, body }: PerformInput,
): Promise<unknown> {
  if (op.kind !== "command" || op.prepare || op.afterCommit || op.issuesCredential) {
    throw new Error(`${op.id} can't be a part of another command.`);
  }
  authorise(op, ctx.caller);
  const input = validateInput(op, { params, query: undefined, body });
  const inner = { ...ctx, expectRevision: () => undefined };
  const value = await op.run(inner as never, input as never, undefined as never);
  if (value instanceof Failure) throw value;
  return value;
}
