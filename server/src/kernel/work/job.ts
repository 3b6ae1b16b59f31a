import type { Static, TSchema } from "typebox";
import type { JobAttempt, JobOptions, JobType, Platform, WriteContext } from "../contract.ts";
import type { Transaction } from "../db/database.ts";
import type { Causation, EventType } from "../log/event.ts";
import { newId } from "../schema/id.ts";

const RETRY_DELAY_MAX_MS = 3_600_000;

/** Declares a kind of job. */
export function job<
  Payload extends TSchema,
  const E extends readonly EventType[] = [],
  Result = undefined,
>(about: {
  readonly kind: string;
  readonly payload: Payload;
  readonly emits?: E;
  readonly attemptsMax?: number;
  readonly timeoutMs?: number;
  readonly retryDelayMs?: (attempt: number) => number;
  readonly everyMs?: number;
  readonly concurrency?: number;
  /** The part with external effects. Runs at least once: every attempt has the same job id. */
  effect?(platform: Platform, payload: Static<Payload>, attempt: JobAttempt): Promise<Result>;
  /**
   * The part that changes state, exactly once: it commits together with the end of the job. "again" starts the next
   * turn of a recurring job immediately.
   */
  run(
    ctx: WriteContext<E[number]>,
    payload: Static<Payload>,
    result: Result,
  ): Promise<"again" | undefined | void>;
}): JobType<Payload> {
  return {
    attemptsMax: 10,
    timeoutMs: 30_000,
    retryDelayMs: (attempt: number) => Math.min(1_000 * 2 ** (attempt - 1), RETRY_DELAY_MAX_MS),
    concurrency: 8,
    ...about,
  } as unknown as JobType<Payload>;
}

/**
 * Its cause is the last event that the transaction appended, if it was enqueued together with an event. On a second
 * job with the same key: a running one takes another turn, because it may already have read its data; a failed one
 * starts again; a waiting one is kept or moved.
 */
const ENQUEUE = `
  insert into jobs (id, kind, key, payload, due_at, correlation_id, causation_id, depth, created_at)
  values ($1, $2, $3, $4, $5, $6, case when $11 then coalesce(last_event_id(), $7) else $7 end, $8, $9)
  on conflict (workspace_id, environment, kind, key) where key is not null do update
     set next_payload = case when jobs.claimed_at is null then null else excluded.payload end,
         next_due_at = case when jobs.claimed_at is null then null else excluded.due_at end,
         payload = case when jobs.claimed_at is null then excluded.payload else jobs.payload end,
         due_at = case when jobs.claimed_at is null then excluded.due_at else jobs.due_at end,
         attempts = case when jobs.claimed_at is null then 0 else jobs.attempts end,
         failed_at = null, correlation_id = excluded.correlation_id,
         causation_id = excluded.causation_id, depth = excluded.depth
   where $10 or jobs.failed_at is not null or jobs.claimed_at is not null`;

export function enqueue(
  session: Transaction,
  work: {
    readonly job: JobType;
    readonly payload: unknown;
    readonly options: JobOptions;
    readonly now: Date;
    readonly cause: Causation;
    readonly isCausedByEvent?: boolean;
  },
): void {
  const { job: type, payload, options, now, cause, isCausedByEvent = false } = work;
  session.post(ENQUEUE, [
    newId("job", now.getTime()),
    type.kind,
    options.key ?? null,
    JSON.stringify(payload),
    options.dueAt ?? now,
    cause.correlationId,
    cause.causationId ?? null,
    cause.depth,
    now,
    options.onConflict === "move",
    isCausedByEvent,
  ]);
}
