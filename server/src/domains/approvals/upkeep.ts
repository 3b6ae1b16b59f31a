/**
 * Jobs of pending approvals: recount after a change of people, remind approvers, expire. Each kind of subject declares
 * these jobs, because they append its events.
 */
import Type from "typebox";
import type { WriteContext } from "#kernel/contract.ts";
import type { EventType } from "#kernel/log/event.ts";
import { reader } from "#kernel/readers/reader.ts";
import { job } from "#kernel/work/job.ts";
import type { ApprovalRecord } from "./approval.ts";
import { listPending } from "./store.ts";

const BATCH_APPROVALS_MAX = 100;
const REMINDERS_MAX = 10;
const HOUR_MS = 3_600_000;
const ENVIRONMENTS = ["production", "staging", "development"] as const;

/** Events that can change who decides. */
const CHANGES_OF_PEOPLE = [
  "user.deactivated",
  "user.activated",
  "user.updated",
  "audit.role.assigned",
  "audit.role.unassigned",
  "audit.role.updated",
  "audit.role.deleted",
  "team.updated",
  "team.deleted",
];

interface Upkeep<E extends EventType> {
  readonly kind: string;
  /** Prefix of the job names. */
  readonly plural: string;
  readonly emits: readonly E[];
  /** Further events that can change who decides. */
  readonly recountOn?: readonly string[];
  /** True if the subjects belong to no environment. */
  readonly isOfWorkspace?: boolean;
  /** Each function locks the subject and applies the result to it. */
  readonly recount: (ctx: WriteContext<E>, subjectId: string) => Promise<void>;
  readonly expire: (ctx: WriteContext<E>, subjectId: string) => Promise<void>;
  /** Resolves to the approval, if a reminder was sent. Without it, approvers are not reminded. */
  readonly remind?: (
    ctx: WriteContext<E>,
    subjectId: string,
  ) => Promise<ApprovalRecord | undefined>;
}

type Timed = Pick<ApprovalRecord, "subjectId" | "expiresAt" | "remindAfterHours" | "reminders">;

export function approvalUpkeep<E extends EventType>(declaration: Upkeep<E>) {
  const { kind, plural, emits, recountOn = [], recount, expire, remind } = declaration;
  const environments = declaration.isOfWorkspace ? (["production"] as const) : ENVIRONMENTS;
  const recountJob = job({
    kind: `${plural}.recount_approvals`,
    payload: Type.Object({ after: Type.Unknown({ description: "The id of the last one" }) }),
    concurrency: 1,
    emits,
    async run(ctx, { after }) {
      // Jobs of earlier versions contain a ticket number instead of an id.
      const start = typeof after === "string" ? after : "";
      const limit = BATCH_APPROVALS_MAX;
      const pending = await listPending(ctx.tx, { kind, after: start, limit });
      for (const { subjectId } of pending) await recount(ctx, subjectId);
      const last = pending.at(-1);
      if (pending.length === limit && last) ctx.enqueue(recountJob, { after: last.id }, KEYED);
    },
  });
  const bySubject = Type.Object({ subjectId: Type.String() });
  const expiryJob = job({
    kind: `${plural}.expire_approval`,
    payload: bySubject,
    emits,
    run: (ctx, { subjectId }) => expire(ctx, subjectId),
  });
  const reminderJob = job({
    kind: `${plural}.remind_approvers`,
    payload: bySubject,
    emits,
    async run(ctx, { subjectId }) {
      const approval = await remind?.(ctx, subjectId);
      if (approval) scheduleReminder(ctx, approval, ctx.now);
    },
  });
  const scheduleReminder = (ctx: WriteContext<never>, approval: Timed, since: Date): void => {
    const { remindAfterHours, reminders, subjectId } = approval;
    if (remindAfterHours === null || reminders >= REMINDERS_MAX) return;
    const dueAt = new Date(since.getTime() + remindAfterHours * HOUR_MS);
    ctx.enqueue(reminderJob, { subjectId }, { key: subjectId, dueAt, onConflict: "move" });
  };
  const peopleReader = reader({
    name: `${plural}.departures`,
    on: [...CHANGES_OF_PEOPLE, ...recountOn],
    startsAt: "beginning",
    async handle({ because, caller: { workspace } }, events) {
      const last = events.at(-1);
      if (!last || !workspace) return;
      const ctx = because(last);
      for (const environment of environments) {
        ctx.switchPartition({ workspace: workspace.key, environment });
        ctx.enqueue(recountJob, { after: "" }, KEYED);
      }
    },
  });
  return {
    jobs: remind ? [recountJob, expiryJob, reminderJob] : [recountJob, expiryJob],
    peopleReader,
    /** Schedules the expiry and the first reminder. A new step schedules a new reminder. */
    schedule(ctx: WriteContext<never>, approval: Timed, since: Date): void {
      const { expiresAt, subjectId } = approval;
      scheduleReminder(ctx, approval, since);
      if (expiresAt === null) return;
      const dueAt = new Date(expiresAt);
      ctx.enqueue(expiryJob, { subjectId }, { key: subjectId, dueAt });
    },
  };
}

const KEYED = { key: "all", onConflict: "move" } as const;
