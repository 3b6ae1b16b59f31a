import { listeningDeployments, planOf, type PlannedVersion } from "#domains/workflows/index.ts";
import type { RecordedEvent } from "#kernel/log/event.ts";
import { causeOf } from "#kernel/log/event-log.ts";
import type { ReadContext } from "#kernel/operation/operation.ts";
import { compileSince } from "#kernel/log/subscription-start.ts";
import type { Start } from "../engine/start-run.ts";
import { compileWanted, shownEvent } from "./event-matcher.ts";

/** A deployed workflow that events start. */
export interface Listener {
  readonly topic: string;
  readonly version: PlannedVersion;
  /** Whose permissions its runs have. */
  readonly deployedBy: string;
  /** Which of them; undefined for all. */
  readonly permissions: readonly string[] | undefined;
  readonly wants: (event: RecordedEvent) => boolean;
}

/** The workflows that events on these topics may start, read anew each time: a change counts from its commit on. */
export async function listenersOn(
  ctx: ReadContext,
  topics: readonly string[],
): Promise<readonly Listener[]> {
  const { tx, services, caller } = ctx;
  const listeners: Listener[] = [];
  for (const one of await listeningDeployments(tx, caller.environment, topics)) {
    const version = await planOf({ tx, services }, one.versionId);
    if (!version) continue;
    const hearsFrom = compileSince(one.since);
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
export function startOf(event: RecordedEvent, listener: Listener): Start {
  const { version, deployedBy, permissions } = listener;
  return {
    workspace: event.workspace,
    environment: event.environment,
    version,
    triggerType: "event_bus",
    trigger: { type: "event_bus", event: shownEvent(event) },
    actor: event.actor,
    runAs: deployedBy,
    permissions,
    cause: causeOf(event),
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
  const means = compileWanted(trigger);
  // Told of its own runs, it would start more of them, each of which would start more.
  const isOwn = ({ resource, data }: RecordedEvent): boolean =>
    resource.type === "run" && data["workflowId"] === workflowId;
  return (event: RecordedEvent) => means(event) && !isOwn(event);
}
