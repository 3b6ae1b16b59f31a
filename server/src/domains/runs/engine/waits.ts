import type { StepError } from "#domains/workflows/index.ts";
import type { WriteContext } from "#kernel/contract.ts";
import type { Execution } from "./execution.ts";
import { type JournalRecord, verdictOf, type Wait } from "./journal-record.ts";

const WAIT = `
  insert into run_waits (run_id, path, topic, event_type, filter, since_epoch)
  values ($1, $2, $3, $4, $5, $6)
  on conflict (run_id, path) do update
     set topic = excluded.topic, event_type = excluded.event_type, filter = excluded.filter,
         since_epoch = excluded.since_epoch, since = excluded.since`;
const WAIT_NO_MORE =
  "delete from run_waits where run_id = $1 and ($2::text[] is null or path = any($2))";
const ASK = `
  insert into run_approvals (run_id, path, approvers, quorum, message, expires_at, created_at)
  values ($1, $2, $3, $4, $5, $6, $7)
  on conflict (run_id, path) do update
     set approvers = excluded.approvers, quorum = excluded.quorum, message = excluded.message,
         expires_at = excluded.expires_at, created_at = excluded.created_at, decided_by = '{}'`;
const ASK_NO_MORE =
  "delete from run_approvals where run_id = $1 and ($2::text[] is null or path = any($2))";

/** Keeps the lists of those who wait for an event, and for people, as the journal has it. */
export function saveWaits(
  ctx: WriteContext<never>,
  { facts, hasWaits }: Pick<Execution, "facts" | "hasWaits">,
  records: readonly JournalRecord[],
  over: boolean,
): void {
  const { id } = facts;
  if (over) {
    if (hasWaits) deleteWaits(ctx, id);
    return;
  }
  for (const { path, wait, status } of records) {
    if (wait?.kind === "event") {
      if (status === "waiting") waitFor(ctx, id, path, wait);
      else void endWait(ctx, id, [path]);
    } else if (wait?.kind === "approval") {
      if (status === "paused") ask(ctx, id, path, wait);
      else void ctx.send(ASK_NO_MORE, [id, [path]]);
    }
  }
}

/** Nothing of the run waits any more. */
export function deleteWaits(ctx: WriteContext<never>, runId: string): void {
  void endWait(ctx, runId, null);
  void ctx.send(ASK_NO_MORE, [runId, null]);
}

/** The steps at these paths, or all, wait for no event any more. */
export async function endWait(
  ctx: WriteContext<never>,
  runId: string,
  paths: readonly string[] | null,
): Promise<void> {
  await ctx.send(WAIT_NO_MORE, [runId, paths]);
}

type WaitOf<Kind extends Wait["kind"]> = Extract<Wait, { readonly kind: Kind }>;

function waitFor(ctx: WriteContext<never>, id: string, path: string, wait: WaitOf<"event">): void {
  const filter = wait.filter ? JSON.stringify(wait.filter) : null;
  const { epoch } = ctx.services;
  void ctx.send(WAIT, [id, path, wait.topic, wait.eventType ?? null, filter, epoch]);
}

function ask(ctx: WriteContext<never>, id: string, path: string, wait: WaitOf<"approval">): void {
  const { approvers, quorum, message = null, untilMs } = wait;
  const expires = untilMs === undefined ? null : new Date(untilMs);
  void ctx.send(ASK, [id, path, approvers, quorum, message, expires, ctx.now]);
}

/** What comes of a step that has waited: an answer, or that it waited in vain. */
export function resultOfWait(
  record: JournalRecord,
): { readonly output: unknown; readonly branch?: string } | { readonly error: StepError } {
  const { path, wait, answer } = record;
  if (answer?.kind === "event") return { output: answer.event };
  if (answer?.kind === "child" && answer.status === "completed") return { output: answer.output };
  if (answer?.kind === "child") {
    const message = answer.error?.message ?? `The run was ${answer.status}.`;
    return { error: { code: "subworkflow_failed", message } };
  }
  const branch = verdictOf(record);
  if (wait?.kind === "approval" && branch) {
    const { decisions } = wait;
    const data = decisions.findLast((one) => one.data !== undefined)?.data ?? null;
    return { output: { approved: branch === "approved", data, decisions }, branch };
  }
  if (wait?.kind === "delay") return { output: null };
  const code = wait?.kind === "approval" ? "approval_expired" : "wait_expired";
  return { error: { code, message: `${path} waited in vain.`, retryable: false } };
}
