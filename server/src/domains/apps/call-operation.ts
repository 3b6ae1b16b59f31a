import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { type FieldError, Failure, failure } from "#kernel/operation/failure.ts";
import { perform } from "#kernel/operation/perform.ts";

export interface PerformInput {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** Calls an operation by its id, and resolves to the body of its answer. Refusals are thrown. */
export type CallOperation = (operation: string, input: PerformInput) => Promise<unknown>;

/** The operations of the platform, with the permissions of a caller. */
export function operationCallerFor(
  platform: Platform,
  caller: Caller,
  instance: string,
): CallOperation {
  return async (operation, { params = {}, query, body }) => {
    const op = platform.operations.get(operation);
    if (!op) throw new Error(`There is no operation ${operation}.`);
    const input = { params, query: op.query ? (query ?? {}) : query, body };
    const outcome = await perform(platform, op, { caller, input, instance });
    const answer: unknown = outcome.body === undefined ? null : JSON.parse(outcome.body);
    if (outcome.status < 400) return answer;
    // A refusal that was recorded comes as an answer.
    const {
      code = "refused",
      title = "It was refused.",
      detail = title,
      errors,
    } = answer as Refusal;
    const particulars = { detail, ...(errors && { errors }) };
    throw new Failure(failure(code, outcome.status, title), particulars);
  };
}

interface Refusal {
  readonly code?: string;
  readonly title?: string;
  readonly detail?: string;
  readonly errors?: readonly FieldError[];
}

/** What stands in the envelope of an answer. */
export function dataOfResponse(answer: unknown): unknown {
  return (answer as { readonly data: unknown }).data;
}
