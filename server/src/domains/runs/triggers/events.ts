import { AuditRead } from "#domains/audit/index.ts";
import { AUDIT } from "#domains/bus/index.ts";
import { holdersOf } from "#domains/identity/accounts/index.ts";
import { DEPTH_MAX, type RecordedEvent } from "#kernel/event.ts";
import { idsInOrder } from "#kernel/id.ts";
import type { ReadContext } from "#kernel/operation.ts";
import { reader } from "#kernel/reader.ts";
import { plainBeginning, writeBeginning } from "../engine/starting.ts";
import { startEvents } from "../events.ts";
import { listenersOn, startOf } from "./listening.ts";
import { topicsOf } from "./matching.ts";
import { tell, waitingOn } from "./waiting.ts";

/**
 * From the log to runs: an event starts the workflows that listen for it and goes to the steps that
 * wait for it. Runs and words commit together with the cursor, so that each event does so exactly once.
 */
export const followEvents = reader({
  name: "runs.triggers",
  on: ["*"],
  startsAt: "end",
  emits: startEvents,
  async handle(ctx, events) {
    const { tx, now, services } = ctx;
    const placed = events.map((event) => ({ event, topics: topicsOf(services, event) }));
    const topics = [...new Set(placed.flatMap((one) => one.topics))];
    const [listeners, waiting] = await Promise.all([
      listenersOn(ctx, topics),
      waitingOn(tx, topics),
    ]);
    if (listeners.length + waiting.length === 0) return;
    const mayHear = await hearing(ctx, events, [
      ...listeners.map(({ deployedBy }) => deployedBy),
      ...waiting.map(({ runAs }) => runAs),
    ]);
    const patient = new Set(waiting);
    // Runs are taken up, and let in where few may run at a time, in the order of their events.
    const nextId = idsInOrder("run", now.getTime());
    const told: Promise<void>[] = [];
    for (const { event, topics: places } of placed) {
      for (const one of listeners) {
        if (event.depth >= DEPTH_MAX || !places.includes(one.topic)) continue;
        if (!one.wants(event) || !mayHear(event, one.deployedBy, one.permissions)) continue;
        const start = { ...startOf(event, one), id: nextId() };
        await writeBeginning(ctx.because(event), plainBeginning(services, start));
      }
      for (const one of patient) {
        if (!places.includes(one.topic) || !one.wants(event)) continue;
        if (!mayHear(event, one.runAs, one.permissions)) continue;
        patient.delete(one);
        told.push(tell(ctx.because(event), one, event));
      }
    }
    await Promise.all(told);
  },
});

/** The audit log has a permission of its own; a workflow must not be the way around it. */
async function hearing(
  ctx: ReadContext,
  events: readonly RecordedEvent[],
  userIds: readonly string[],
): Promise<MayHear> {
  if (!events.some(({ topic }) => topic === AUDIT)) return () => true;
  const auditors = await holdersOf(ctx, AuditRead, [...new Set(userIds)]);
  return ({ topic }, userId, permissions) =>
    topic !== AUDIT ||
    (auditors.has(userId) && (permissions === undefined || permissions.includes(AuditRead.name)));
}

/** Whether somebody may hear of an event, or a token of theirs with these permissions. */
type MayHear = (
  event: RecordedEvent,
  userId: string,
  permissions: readonly string[] | undefined,
) => boolean;
