import Type from "typebox";
import { PLATFORM_EVENTS, platformTopics } from "#domains/bus/index.ts";
import type { JobType, WriteContext } from "#kernel/contract.ts";
import { type LogPosition, positionOf } from "#kernel/log/event.ts";
import { readResourceHistory } from "#kernel/log/resource-history.ts";
import { readTopics } from "#kernel/log/topic-log.ts";
import { attachFor } from "#kernel/condition/subject-root.ts";
import { job } from "#kernel/work/job.ts";
import { foldJournal, type JournalRecord } from "../engine/journal-record.ts";
import { readEntries } from "../store.ts";
import { resolveVisibility } from "./heard-events.ts";
import { findWaitingStep, wakeWaitingStep } from "./waiting-steps.ts";

const BATCH_EVENTS = 200;
const EVENTS_MAX = 10_000;
const UNSETTLED_MS = 200;

const PastEvents = Type.Object({ runId: Type.String(), path: Type.String() });

/**
 * Resumes a waiting step with the first matching event since the start of its run. The job runs after the wait is
 * committed, so no event is missed: existing events are found here once they are settled, and later events reach the
 * reader, which sees the wait.
 */
export const pastEventJob: JobType<typeof PastEvents> = job({
  kind: "runs.past_events",
  payload: PastEvents,
  async run(ctx, { runId, path }) {
    const { tx, services } = ctx;
    const step = await findWaitingStep(tx, runId, path);
    let after = step && (await findRunStart(ctx, runId));
    if (!step || !after) return;
    const topics = step.topic === PLATFORM_EVENTS ? platformTopics(services) : [step.topic];
    const answers = await readAnswers(ctx, runId);
    for (let read = 0; read < EVENTS_MAX; read += BATCH_EVENTS) {
      const batch = await readTopics(tx, topics, after, BATCH_EVENTS);
      const { hasMore, unsettled } = batch;
      const events = await attachFor(ctx, [step.filter], batch.events);
      const visibleTo = await resolveVisibility(ctx, events, [step.runAs]);
      const candidates = events.flatMap((event) => visibleTo(event, step) ?? []);
      const found = candidates.find((event) => !answers.has(event.id) && step.matchesPast(event));
      if (found) return wakeWaitingStep(ctx, step, found);
      const last = events.at(-1);
      if (!hasMore || !last) {
        // The reader does not receive an existing event again, even if an older transaction hides it from this query.
        const dueAt = new Date(ctx.now.getTime() + UNSETTLED_MS);
        if (unsettled !== undefined) ctx.enqueue(pastEventJob, { runId, path }, { dueAt });
        return;
      }
      after = last.position;
    }
  },
});

/** Enqueues the search for past events for steps that started to wait. */
export function lookForPastEvents(
  ctx: WriteContext<never>,
  runId: string,
  records: readonly JournalRecord[],
): void {
  for (const { path, status, wait } of records) {
    if (status === "waiting" && wait?.kind === "event" && wait.since !== "wait") {
      ctx.enqueue(pastEventJob, { runId, path });
    }
  }
}

/** The event that started the run, or the first event about the run. */
async function findRunStart(
  { tx }: WriteContext<never>,
  runId: string,
): Promise<LogPosition | undefined> {
  const run = await tx
    .selectFrom("runs")
    .select("event_id")
    .where("id", "=", runId)
    .executeTakeFirst();
  const cause = run?.event_id ? positionOf(run.event_id) : undefined;
  if (cause) return cause;
  const history = await readResourceHistory(tx, [{ id: runId }], { limit: 1 });
  return history.get(runId)?.[0]?.position;
}

/** The ids of events already received by steps of the run. The next wait needs another event. */
async function readAnswers({ tx }: WriteContext<never>, runId: string): Promise<Set<unknown>> {
  const entries = await readEntries(tx, runId);
  const steps = foldJournal(entries.flatMap(({ records }) => records));
  return new Set(
    [...steps.values()].flatMap(({ answer }) =>
      answer?.kind === "event" ? (answer.event as { readonly id?: unknown }).id : [],
    ),
  );
}
