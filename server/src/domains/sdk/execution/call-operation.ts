import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { Failure, failure } from "#kernel/operation/failure.ts";
import { perform } from "#kernel/operation/perform.ts";

export interface PerformInput {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** Calls an operation by its id, and resolves to the body of its answer. */
export type CallOperation = (operation: string, input: PerformInput) => Promise<unknown>;

/** The operations of the platform, with the permissions of a caller. Refusals are thrown. */
export function operationCallerFor(
  platform: Platform,
  caller: Caller,
  instance: string,
): CallOperation {
  return async (operation, { params = {}, query = {}, body }) => {
    const op = platform.operations.get(operation);
    if (!op) throw new Error(`There is no operation ${operation}.`);
    const outcome = await perform(platform, op, {
      caller,
      input: { params, query, body },
      instance,
    });
    const answer: unknown = outcome.body === undefined ? null : JSON.parse(outcome.body);
    if (outcome.status < 400) return answer;
    // A refusal that was recorded comes as an answer.
    const { code = "refused", title = "It was refused.", detail = title } = answer as Refusal;
    throw new Failure(failure(code, outcome.status, title), { detail });
  };
}

interface Refusal {
  readonly code?: string;
  readonly title?: string;
  readonly detail?: string;
}
