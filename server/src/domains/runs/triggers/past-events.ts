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
 * Answers a step that waits with the first event that came since its run began. It runs once the wait
 * is committed, so that no event is missed: one that is there by now is found here, as soon as it
 * is settled, and any other comes to the reader, which sees the wait.
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
        // An event that is there already is not new to the reader, though an older transaction keeps it from this look.
        const dueAt = new Date(ctx.now.getTime() + UNSETTLED_MS);
        if (unsettled !== undefined) ctx.enqueue(pastEventJob, { runId, path }, { dueAt });
        return;
      }
      after = last.position;
    }
  },
});

/** Enqueues the look at past events for steps that began to wait. */
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

/** The event that started the run, or the first one about it. */
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

/** The ids of events that steps of the run have heard: the next wait is for another one. */
async function readAnswers({ tx }: WriteContext<never>, runId: string): Promise<Set<unknown>> {
  const entries = await readEntries(tx, runId);
  const steps = foldJournal(entries.flatMap(({ records }) => records));
  return new Set(
    [...steps.values()].flatMap(({ answer }) =>
      answer?.kind === "event" ? (answer.event as { readonly id?: unknown }).id : [],
    ),
  );
}
