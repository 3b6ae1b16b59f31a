import type { WriteContext } from "#kernel/contract.ts";
import type { JournalRecord, StepWait } from "./journal-record.ts";

const UPSERT_WAIT = `
  insert into run_waits (run_id, path, topic, event_type, filter)
  values ($1, $2, $3, $4, $5)
  on conflict (run_id, path) do update
     set topic = excluded.topic, event_type = excluded.event_type, filter = excluded.filter,
         since_epoch = excluded.since_epoch, since = excluded.since`;
const DELETE_WAITS =
  "delete from run_waits where run_id = $1 and ($2::text[] is null or path = any($2))";
const DELETE_CALLS = "delete from run_calls where run_id = $1";
// A call that arrived while the step began to wait was delivered as a message. Another attempt must not use it again.
const DELETE_CALL = "delete from run_calls where run_id = $1 and path = $2 and taken_by is null";
const UPSERT_APPROVAL = `
  insert into run_approvals (run_id, path, approvers, quorum, message, expires_at, created_at)
  values ($1, $2, $3, $4, $5, $6, $7)
  on conflict (run_id, path) do update
     set approvers = excluded.approvers, quorum = excluded.quorum, message = excluded.message,
         expires_at = excluded.expires_at, created_at = excluded.created_at, decided_by = '{}'`;
const DELETE_APPROVALS =
  "delete from run_approvals where run_id = $1 and ($2::text[] is null or path = any($2))";

interface WaitingRun {
  readonly run: { readonly id: string };
  readonly hasWaits: boolean;
  readonly takesCalls: boolean;
}

/** Updates the tables of event waits, open approvals and stored calls to match the journal of a run. */
export function saveWaits(
  ctx: WriteContext<never>,
  { run: { id }, hasWaits, takesCalls }: WaitingRun,
  records: readonly JournalRecord[],
  hasEnded: boolean,
): void {
  if (hasEnded) {
    if (hasWaits || takesCalls) deleteWaits(ctx, id);
    return;
  }
  for (const { path, wait, status } of records) {
    if (wait?.kind === "event") {
      if (status === "waiting") upsertWait(ctx, id, path, wait);
      else void deleteEventWaits(ctx, id, [path]);
    } else if (wait?.kind === "approval") {
      if (status === "paused") upsertApproval(ctx, id, path, wait);
      else void ctx.send(DELETE_APPROVALS, [id, [path]]);
    } else if (wait?.kind === "call" && status !== "waiting") {
      void ctx.send(DELETE_CALL, [id, path]);
    }
  }
}

/** Deletes all waits, approvals and stored calls of a run. */
export function deleteWaits(ctx: WriteContext<never>, runId: string): void {
  void deleteEventWaits(ctx, runId, null);
  void ctx.send(DELETE_APPROVALS, [runId, null]);
  void ctx.send(DELETE_CALLS, [runId]);
}

/** Deletes the event waits of the steps at these paths, or all waits of the run. */
export function deleteEventWaits(
  ctx: WriteContext<never>,
  runId: string,
  paths: readonly string[] | null,
): Promise<unknown> {
  // Returns the promise of the transaction itself: a derived promise could reject without a handler.
  return ctx.send(DELETE_WAITS, [runId, paths]);
}

type WaitOfKind<Kind extends StepWait["kind"]> = Extract<StepWait, { readonly kind: Kind }>;

function upsertWait(
  ctx: WriteContext<never>,
  id: string,
  path: string,
  wait: WaitOfKind<"event">,
): void {
  const filter = wait.filter ? JSON.stringify(wait.filter) : null;
  void ctx.send(UPSERT_WAIT, [id, path, wait.topic, wait.eventType ?? null, filter]);
}

function upsertApproval(
  ctx: WriteContext<never>,
  id: string,
  path: string,
  wait: WaitOfKind<"approval">,
): void {
  const { approvers, quorum, message = null, untilMs } = wait;
  const expiresAt = untilMs === undefined ? null : new Date(untilMs);
  void ctx.send(UPSERT_APPROVAL, [id, path, approvers, quorum, message, expiresAt, ctx.now]);
}
