import type { Caller } from "#kernel/access/caller.ts";
import type { Operation, Platform } from "#kernel/contract.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import { Failure } from "#kernel/operation/failure.ts";
import type { RawInput } from "#kernel/operation/invocation.ts";
import { perform } from "#kernel/operation/perform.ts";
import { renderFailure, toFailure } from "#kernel/operation/problem.ts";
import type { CallParts } from "./tool-input.ts";

/** A call of one operation by an agent. */
export interface AgentCall extends CallParts {
  readonly environment: EnvironmentName;
  readonly isDryRun: boolean;
  readonly idempotencyKey?: string | undefined;
  readonly ifMatch?: string | undefined;
}

export interface AgentAnswer {
  readonly status: number;
  readonly value: unknown;
}

/** The input of a call, without the parts that the operation does not have. */
export function toRawInput(op: Operation, { params, query, body }: CallParts): RawInput {
  return { params, query: op.query ? query : undefined, body: op.body ? body : undefined };
}

/** Performs an operation as the agent, in its own transaction. */
export async function invokeOperation(
  platform: Platform,
  caller: Caller,
  op: Operation,
  call: AgentCall,
): Promise<AgentAnswer> {
  const { params, query, body, environment, ...rest } = call;
  const { request: _, ...agent } = caller;
  const invocation = {
    caller: { ...agent, environment },
    input: toRawInput(op, { params, query, body }),
    instance: "/mcp",
    ...rest,
  };
  try {
    platform.maintenance.assertOpen(op, caller);
    const { status, body: text } = await perform(platform, op, invocation);
    return { status, value: parseBody(text) };
  } catch (error) {
    const { requestId } = caller;
    // The library would send the message of an internal error.
    if (!(error instanceof Failure)) {
      platform.log.error(
        { requestId, err: error, operation: op.id },
        "the call of an agent failed",
      );
    }
    const context = { instance: "/mcp", requestId };
    const { status, body: text } = renderFailure(op.response, toFailure(error), context);
    return { status, value: parseBody(text) };
  }
}

/** Parses JSON; returns the text of other responses. */
function parseBody(text: string | undefined): unknown {
  if (text === undefined || text === "") return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
