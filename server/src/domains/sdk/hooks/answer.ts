import { type Response, writtenOf } from "#domains/runs/index.ts";
import type { Written } from "#kernel/operation/response.ts";

const STATUS_MIN = 200;
const STATUS_MAX = 599;
const MEMBERS = ["status", "headers", "body"];

/**
 * What a script returned, as an answer: `{ status, headers, body }` with at least a status, or anything
 * else as the body of a 200. Nothing is an empty answer.
 */
export function answerOf(returned: unknown): Written {
  return writtenOf(
    isResponse(returned)
      ? { status: returned.status, headers: textsOf(returned.headers), body: returned.body ?? null }
      : {
          status: returned === null || returned === undefined ? 204 : 200,
          headers: {},
          body: returned ?? null,
        },
  );
}

function isResponse(
  value: unknown,
): value is Pick<Response, "status"> & { readonly headers?: unknown; readonly body?: unknown } {
  if (typeof value !== "object" || value === null || !("status" in value)) return false;
  const { status } = value;
  const known = Object.keys(value).every((name) => MEMBERS.includes(name));
  return (
    known &&
    Number.isInteger(status) &&
    Number(status) >= STATUS_MIN &&
    Number(status) <= STATUS_MAX
  );
}

function textsOf(headers: unknown): Record<string, string> {
  if (typeof headers !== "object" || headers === null) return {};
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
