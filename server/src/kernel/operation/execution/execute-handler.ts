import { assertCredentialValid } from "../../access/authenticator.ts";
import type { Operation, Platform } from "../../contract.ts";
import type { Transaction } from "../../db/database.ts";
import { isUndoable } from "../../undo/inverse.ts";
import { Act } from "../act.ts";
import { Failure } from "../failure.ts";
import type { Invocation, InvocationResult, RawInput } from "../invocation.ts";
import { type ProblemContext, renderFailure } from "../problem.ts";
import { toResponse } from "./compiled-operation.ts";
import { toConstraintFailure } from "./constraint-failure.ts";

/** The handler's input and result. */
export interface HandlerOutcome {
  readonly input: RawInput;
  readonly value: unknown;
}

/** Runs a command's handler in an open transaction. */
export async function executeHandler(
  platform: Platform,
  op: Operation,
  call: Invocation,
  on: {
    readonly session: Transaction;
    readonly input: RawInput;
    readonly prepared: unknown;
    readonly onResult: ((result: HandlerOutcome | undefined) => void) | undefined;
    readonly onFinish?: (act: Act) => void;
  },
): Promise<InvocationResult> {
  const { caller, ifMatch } = call;
  // An earlier attempt may have been rolled back.
  on.onResult?.(undefined);
  const act = new Act({ session: on.session, services: platform, caller, ifMatch });
  try {
    if (op.issuesCredential) {
      await assertCredentialValid(platform, act.ctx.tx, caller.credential);
    }
    const value = await op.run(act.ctx, on.input as never, on.prepared as never);
    // A change without an event would be invisible to audit, webhooks and workflows.
    const silent = act.emitted.length === 0 && !op.allowNoop && !op.ephemeral;
    if (silent) throw new Error(`${op.id} changed state without an event.`);
    act.finish();
    on.onFinish?.(act);
    if (value instanceof Failure) {
      return renderFailure(op.response, value, problemContext(call));
    }
    on.onResult?.({ input: on.input, value });
    const response = toResponse(op, value, platform.settings);
    // Undo is offered to users. Programs request it separately.
    const isOffered = caller.credential?.kind === "session" && isUndoable(platform, act.emitted);
    return isOffered
      ? { ...response, headers: { ...response.headers, "x-undoable": "true" } }
      : response;
  } catch (error) {
    throw toConstraintFailure(op.fails, error) ?? error;
  }
}

export function problemContext({ instance, caller }: Invocation): ProblemContext {
  return { instance, requestId: caller.requestId };
}
