import { AuditRead } from "#domains/audit/index.ts";
import { AUDIT } from "#domains/bus/index.ts";
import { findMembersWithPermission, readPrincipals } from "#domains/identity/accounts/index.ts";
import {
  listeningDeployments,
  type PlannedVersion,
  planOfVersion,
} from "#domains/workflows/index.ts";
import { causationOf } from "#kernel/log/event-log.ts";
import { eventFiltersFor, positionInFilter, applyFilter } from "#kernel/log/event-visibility.ts";
import { CAUSATION_DEPTH_MAX, type RecordedEvent } from "#kernel/log/event.ts";
import { compileSubscriptionStart } from "#kernel/log/subscription-start.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { reader } from "#kernel/readers/reader.ts";
import { idsInOrder } from "#kernel/schema/id.ts";
import { queuedStart, type RunStart, writeRunStart } from "../start/start-run.ts";
import { startEvents } from "../events.ts";
import { compileEventMatch, visibleEvent, topicsOf } from "./event-matcher.ts";
import { wakeWaitingStep, stepsWaitingOn } from "./waiting-steps.ts";

/** A deployed workflow that events start. */
export interface EventTrigger {
  readonly topic: string;
  readonly version: PlannedVersion;
  /** Whose permissions its runs have. */
  readonly deployedBy: string;
  /** Which of them; undefined for all. */
  readonly permissions: readonly string[] | undefined;
  readonly wants: (event: RecordedEvent) => boolean;
}

/** The workflows that events on these topics may start, read anew each time: a change counts from its commit on. */
async function eventTriggersOn(
  ctx: ReadContext,
  topics: readonly string[],
): Promise<readonly EventTrigger[]> {
  const { tx, services, caller } = ctx;
  const listeners: EventTrigger[] = [];
  for (const one of await listeningDeployments(tx, caller.environment, topics)) {
    const version = await planOfVersion({ tx, services }, one.versionId);
    if (!version) continue;
    const hearsFrom = compileSubscriptionStart(one.since);
    const means = meantBy(version);
    listeners.push({
      topic: one.topic,
      version,
      deployedBy: one.deployedBy,
      permissions: one.permissions,
      wants: (event) => hearsFrom(event) && means(event),
    });
  }
  return listeners;
}

/** What it takes to start a run because of an event. */
function startForEvent(event: RecordedEvent, listener: EventTrigger): RunStart {
  const { version, deployedBy, permissions } = listener;
  return {
    workspace: event.workspace,
    environment: event.environment,
    version,
    triggerType: "event_bus",
    trigger: { type: "event_bus", event: visibleEvent(event) },
    actor: event.actor,
    runAs: deployedBy,
    permissions,
    cause: causationOf(event),
    eventId: event.id,
  };
}

/** Versions never change, and neither does what they mean; kept for as long as their plan is. */
const compiled = new WeakMap<PlannedVersion, (event: RecordedEvent) => boolean>();

function meantBy(version: PlannedVersion): (event: RecordedEvent) => boolean {
  let means = compiled.get(version);
  if (!means) compiled.set(version, (means = compileMeant(version)));
  return means;
}

function compileMeant({ workflowId, definition }: PlannedVersion) {
  const { trigger } = definition;
  if (trigger.type !== "event_bus") return () => false;
  const means = compileEventMatch(trigger);
  // Told of its own runs, it would start more of them, each of which would start more.
  const isOwn = ({ resource, data }: RecordedEvent): boolean =>
    resource.type === "run" && data["workflowId"] === workflowId;
  return (event: RecordedEvent) => means(event) && !isOwn(event);
}

/**
 * From the log to runs: an event starts the workflows that listen for it and goes to the steps that
 * wait for it. Runs and words commit together with the cursor, so that each event does so exactly once.
 */
export const followEvents = reader({
  name: "runs.triggers",
  on: ["*"],
  startsAt: "end",
  emits: startEvents,
  async handleSummary(ctx, kinds) {
    const { tx, now, services } = ctx;
    const topics = [...new Set(kinds.flatMap((kind) => topicsOf(services, kind)))];
    const [listeners, waiting] = await Promise.all([
      eventTriggersOn(ctx, topics),
      stepsWaitingOn(tx, topics),
    ]);
    const heardTopics = new Set([...listeners, ...waiting].map(({ topic }) => topic));
    const types = kinds
      .filter((kind) => topicsOf(services, kind).some((topic) => heardTopics.has(topic)))
      .map(({ type }) => type);
    if (types.length === 0) return;
    const events = await ctx.events(types);
    const heardBy = await hearing(ctx, events, [
      ...listeners.map(({ deployedBy }) => deployedBy),
      ...waiting.map(({ runAs }) => runAs),
    ]);
    const patient = new Set(waiting);
    // Runs are taken up, and let in where few may run at a time, in the order of their events.
    const nextId = idsInOrder("run", now.getTime());
    const told: Promise<void>[] = [];
    for (const event of events) {
      const places = topicsOf(services, event);
      for (const one of listeners) {
        if (event.depth >= CAUSATION_DEPTH_MAX || !places.includes(one.topic)) continue;
        const heard = heardBy(event, one.deployedBy, one.permissions);
        if (!heard || !one.wants(heard)) continue;
        const start = { ...startForEvent(heard, one), id: nextId() };
        await writeRunStart(ctx.because(event), queuedStart(services, start));
      }
      for (const one of patient) {
        if (!places.includes(one.topic)) continue;
        const heard = heardBy(event, one.runAs, one.permissions);
        if (!heard || !one.wants(heard)) continue;
        patient.delete(one);
        told.push(wakeWaitingStep(ctx.because(event), one, heard));
      }
    }
    await Promise.all(told);
  },
});

/**
 * The audit log has a permission of its own, and what is told of some things is not for everyone; a
 * workflow must not be the way around either.
 */
async function hearing(
  ctx: ReadContext,
  events: readonly RecordedEvent[],
  userIds: readonly string[],
): Promise<HeardBy> {
  const people = [...new Set(userIds)];
  const auditors = events.some(({ topic }) => topic === AUDIT)
    ? await findMembersWithPermission(ctx, AuditRead, people)
    : new Set<string>();
  const lenses = await eventFiltersFor(positionInFilter(ctx), events);
  const personOf = await readPrincipals(ctx, lenses.size > 0 ? people : []);
  return (event, userId, permissions) => {
    if (event.topic !== AUDIT) return applyFilter(lenses, event, personOf(userId));
    const isConfined = permissions !== undefined && !permissions.includes(AuditRead.name);
    return auditors.has(userId) && !isConfined ? event : undefined;
  };
}

/** An event as somebody hears of it, or a token of theirs with these permissions; undefined if they do not. */
type HeardBy = (
  event: RecordedEvent,
  userId: string,
  permissions: readonly string[] | undefined,
) => RecordedEvent | undefined;
