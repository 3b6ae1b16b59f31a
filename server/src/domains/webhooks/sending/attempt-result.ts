import type { Platform } from "#kernel/contract.ts";
import { retryAfterMs } from "#kernel/outbound/retry-after.ts";
import { retryDelayMs } from "./backoff.ts";
import type { AttemptResult } from "./attempt.ts";
import type { PendingDelivery } from "./pending-delivery.ts";
import type { Target } from "./target.ts";

const GONE = 410;
/** The most attempts before the last one that are stored. */
const EARLIER_MAX = 50;

/** The decision after an attempt. */
export type AttemptVerdict =
  | { readonly kind: "succeeded" }
  | { readonly kind: "retrying"; readonly dueAt: Date }
  | { readonly kind: "failed"; readonly gone: boolean };

export interface DeliveryResult {
  readonly delivery: PendingDelivery;
  readonly attempt: AttemptResult;
  readonly verdict: AttemptVerdict;
}

/** Decides by the response and the number of attempts. */
export function judgeAttempt(
  { policy }: Pick<Target, "policy">,
  delivery: Pick<PendingDelivery, "attempts" | "attemptsBefore">,
  attempt: AttemptResult,
  random: number,
): AttemptVerdict {
  const { status, at } = attempt;
  if (status !== null && status >= 200 && status < 300) return { kind: "succeeded" };
  const gone = status === GONE;
  const attempts = delivery.attempts - delivery.attemptsBefore + 1;
  if (gone || attempts > policy.retries) return { kind: "failed", gone };
  const delayMs = Math.max(retryDelayMs(policy, attempts, random), requestedPauseMs(attempt));
  return { kind: "retrying", dueAt: new Date(at.getTime() + attempt.durationMs + delayMs) };
}

/** The pause that the endpoint requested, which is allowed only with 429 and 503. */
export function requestedPauseMs({ status, retryAfter, at }: AttemptResult): number {
  const mayAsk = status === 429 || status === 503;
  return (mayAsk ? retryAfterMs(retryAfter, at.getTime()) : undefined) ?? 0;
}

/**
 * Writes many results at once. The last attempt is appended to the earlier ones; a row with another attempt in the
 * meantime is skipped. A success resets the failure count.
 */
const SAVE_RESULTS = `
  with outcome as (
    select * from unnest($1::text[], $2::text[], $3::smallint[], $4::text[], $5::timestamptz[],
                         $6::timestamptz[], $7::smallint[], $8::text[], $9::int[], $10::text[],
                         $11::text[])
      as o (webhook_id, id, attempts, status, due_at, at, response_status, body, duration_ms, error, url)
  ), written as (
    update deliveries d
       set status = o.status, due_at = o.due_at, attempts = d.attempts + 1, url = o.url,
           earlier_attempts = ${earlierAttemptsSql("d")},
           last_attempt_at = o.at, last_response_status = o.response_status,
           last_response_body = o.body, last_duration_ms = o.duration_ms, last_error = o.error
      from outcome o
     where d.webhook_id = o.webhook_id and d.id = o.id and d.attempts = o.attempts
  )
  update webhooks w set consecutive_failures = 0
   where w.consecutive_failures > 0
     and w.id in (select webhook_id from outcome where status = 'succeeded')`;

/** SQL for the earlier attempts with the last one added: bounded, with shortened bodies. */
export function earlierAttemptsSql(row: string): string {
  return `case when ${row}.last_attempt_at is null then ${row}.earlier_attempts
    else (case when jsonb_array_length(${row}.earlier_attempts) >= ${EARLIER_MAX}
               then ${row}.earlier_attempts - 0
               else coalesce(${row}.earlier_attempts, '[]') end) || jsonb_build_object(
      'number', ${row}.attempts, 'at', ${row}.last_attempt_at, 'status', ${row}.last_response_status,
      'durationMs', ${row}.last_duration_ms, 'error', ${row}.last_error,
      'body', left(${row}.last_response_body, 4096)) end`;
}

/** Saves all results except dead letters, which need a separate transaction each. */
export async function saveResults(
  platform: Platform,
  results: readonly DeliveryResult[],
): Promise<void> {
  const column = <T>(pick: (result: DeliveryResult) => T): T[] => results.map(pick);
  await platform.db.system(SAVE_RESULTS, [
    column(({ delivery }) => delivery.webhookId),
    column(({ delivery }) => delivery.id),
    column(({ delivery }) => delivery.attempts),
    column(({ verdict }) => verdict.kind),
    column(({ verdict }) => (verdict.kind === "retrying" ? verdict.dueAt : null)),
    column(({ attempt }) => attempt.at),
    column(({ attempt }) => attempt.status),
    column(({ attempt }) => attempt.body),
    column(({ attempt }) => attempt.durationMs),
    column(({ attempt }) => attempt.error),
    column(({ attempt }) => attempt.url),
  ]);
}
