import type { Operation, WriteContext } from "../contract.ts";
import type { PerformInput } from "./call-operation.ts";
import { Failure } from "./failure.ts";
import { validateInput } from "./execution/compiled-operation.ts";
import { authorise } from "./layers/authorisation.ts";

/**
 * Performs a command within the transaction of another one, with the permissions of its caller: what it writes and
 * emits commits with the rest. The outer command declares the events. If-Match is about the outer one alone. A failure
 * is thrown, also one that the command would commit with by itself.
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
