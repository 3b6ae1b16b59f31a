import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { Failure, failure } from "#kernel/operation/failure.ts";
import { perform } from "#kernel/operation/perform.ts";

export interface PerformInput {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** Calls an operation by its id, and resolves to the body of its response. */
export type CallOperation = (operation: string, input: PerformInput) => Promise<unknown>;

/** Calls operations with the permissions of a caller; throws their failures. */
export function operationCallerFor(
  platform: Platform,
  caller: Caller,
  instance: string,
): CallOperation {
  return async (operation, { params = {}, query = {}, body: requestBody }) => {
    const op = platform.operations.get(operation);
    if (!op) throw new Error(`There is no operation ${operation}.`);
    const response = await perform(platform, op, {
      caller,
      input: { params, query, body: requestBody },
      instance,
    });
    const body: unknown = response.body === undefined ? null : JSON.parse(response.body);
    if (response.status < 400) return body;
    // A failure that was recorded with an event is returned as a response, not thrown.
    const { code = "refused", title = "It was refused.", detail = title } = body as ProblemBody;
    throw new Failure(failure(code, response.status, title), { detail });
  };
}

interface ProblemBody {
  readonly code?: string;
  readonly title?: string;
  readonly detail?: string;
}
