import type { Caller } from "../access/caller.ts";
import type { Platform } from "../contract.ts";
import { Failure, failure, type FieldError } from "./failure.ts";
import { perform } from "./perform.ts";

export interface PerformInput {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  /** A repeated call with the same key returns the same response. */
  readonly idempotencyKey?: string | undefined;
}

/** Calls an operation by id and resolves to the body of its response. Throws its failures. */
export type CallOperation = (operation: string, input: PerformInput) => Promise<unknown>;

/** Calls operations with the permissions of a caller. */
export function operationCallerFor(
  platform: Platform,
  caller: Caller,
  instance: string,
): CallOperation {
  return async (id, { params = {}, query, body, idempotencyKey }) => {
    const operation = platform.operations.get(id);
    if (!operation) throw new Error(`There is no operation ${id}.`);
    const input = { params, query: operation.query ? (query ?? {}) : query, body };
    const response = await perform(platform, operation, {
      caller,
      input,
      instance,
      idempotencyKey,
    });
    const responseBody: unknown = response.body === undefined ? null : JSON.parse(response.body);
    if (response.status < 400) return responseBody;
    // A failure recorded with an event is returned as a response, not thrown.
    throw toFailure(response.status, responseBody as ProblemBody);
  };
}

interface ProblemBody {
  readonly code?: string;
  readonly title?: string;
  readonly detail?: string;
  readonly errors?: readonly FieldError[];
}

function toFailure(status: number, problem: ProblemBody): Failure {
  const { code = "refused", title = "The request was rejected.", detail = title, errors } = problem;
  return new Failure(failure(code, status, title), { detail, ...(errors && { errors }) });
}

/** The `data` of a response's envelope. */
export function dataOfResponse(response: unknown): unknown {
  return (response as { readonly data: unknown }).data;
}
