import {
  type Dedupe,
  findEventDeployments,
  type HoldRule,
  holdRuleOf,
  type PlannedVersion,
  planOfVersion,
  triggersOfType,
} from "#domains/workflows/index.ts";
import { CAUSATION_DEPTH_MAX, type RecordedEvent } from "#kernel/log/event.ts";
import type { Condition } from "#kernel/condition/condition.ts";
import { attachFor } from "#kernel/condition/subject-root.ts";
import { compileSubscriptionStart } from "#kernel/log/subscription-start.ts";
import type { ReadContext, WriteContext } from "#kernel/contract.ts";
import { reader } from "#kernel/readers/reader.ts";
import { takeKey } from "../start/dedupe.ts";
import { nextRunId } from "../start/queued-start.ts";
import { queuedStart, type RunStart, writeRunStart } from "../start/start-run.ts";
import { type StartEvent, startEvents } from "../events.ts";
import { compileEventMatch, eventTopics } from "./event-matcher.ts";
import { toRunStart } from "./event-start.ts";
import { OpenHolds } from "./limits/held-events.ts";
import { resolveVisibility } from "./heard-events.ts";
import { wakeWaitingStep, findWaitingSteps } from "./waiting-steps.ts";
import { takeLinkWithin } from "../start/chain-bound.ts";
import { chainEvents, tellChainCut } from "../start/chain-cut.ts";

/** A deployed workflow with an event trigger. */
export interface EventTrigger {
  readonly id: string;
  readonly topic: string;
  readonly version: PlannedVersion;
  /** The user whose permissions its runs have. */
  readonly deployedBy: string;
  /** A subset of the user's permissions; undefined for all. */
  readonly permissions: readonly string[] | undefined;
  readonly filter: Condition | null | undefined;
  readonly matches: (event: RecordedEvent) => boolean;
  readonly limits: TriggerLimits;
}

interface TriggerLimits {
  readonly dedupe?: Dedupe | undefined;
  readonly hold?: HoldRule | undefined;
}

/** Finds event triggers by topic. Read again for every batch, so a change applies from its commit. */
async function findEventTriggers(
  ctx: ReadContext,
  topics: readonly string[],
): Promise<readonly EventTrigger[]> {
  const { tx, services, caller } = ctx;
  const triggers: EventTrigger[] = [];
  for (const deployment of await findEventDeployments(tx, caller.environment, topics)) {
    const version = await planOfVersion({ tx, services }, deployment.versionId);
    if (!version) continue;
    const isSubscribed = compileSubscriptionStart(deployment.since);
    const { triggerId } = deployment;
    const matchesTrigger = findTriggerMatch(version, triggerId);
    triggers.push({
      id: triggerId,
      topic: deployment.topic,
      version,
      deployedBy: deployment.deployedBy,
      permissions: deployment.permissions,
      filter: findTrigger(version, triggerId)?.filter,
      matches: (event) => isSubscribed(event) && matchesTrigger(event),
      limits: findLimits(version, triggerId),
    });
  }
  return triggers;
}

function findLimits(version: PlannedVersion, id: string): TriggerLimits {
  const trigger = findTrigger(version, id);
  return trigger ? { dedupe: trigger.dedupe, hold: holdRuleOf(trigger) } : {};
}

/** Returns an event trigger of a definition. Default: the first. */
export function findTrigger(
  { definition }: Pick<PlannedVersion, "definition">,
  triggerId?: string,
) {
  const events = triggersOfType(definition, "event_bus");
  return events.find(({ id }) => triggerId === undefined || id === triggerId)?.trigger;
}

/** Versions never change, so their predicates are cached for as long as their plans. */
const matchCache = new WeakMap<PlannedVersion, Map<string, (event: RecordedEvent) => boolean>>();

function findTriggerMatch(version: PlannedVersion, id: string): (event: RecordedEvent) => boolean {
  let matches = matchCache.get(version);
  if (!matches) matchCache.set(version, (matches = new Map()));
  let matchesTrigger = matches.get(id);
  if (!matchesTrigger) matches.set(id, (matchesTrigger = compileTriggerMatch(version, id)));
  return matchesTrigger;
}

/** Compiles a trigger to an event predicate that ignores topics. */
export function compileTriggerMatch(
  version: Pick<PlannedVersion, "workflowId" | "definition">,
  triggerId?: string,
) {
  const { workflowId } = version;
  const trigger = findTrigger(version, triggerId);
  if (!trigger) return () => false;
  const matchesTrigger = compileEventMatch(trigger);
  // A workflow ignores events of its runs, because they would start an endless loop.
  const isOwn = ({ resource, data }: RecordedEvent): boolean =>
    resource.type === "run" && data["workflowId"] === workflowId;
  return (event: RecordedEvent) => matchesTrigger(event) && !isOwn(event);
}

/** Starts a run, unless the limits of the trigger hold its event. */
async function beginRun(
  ctx: WriteContext<StartEvent>,
  { id, limits: { dedupe, hold } }: EventTrigger,
  start: RunStart,
  holds: OpenHolds,
): Promise<void> {
  const prepared = queuedStart(ctx.services, start);
  const earlier = dedupe && (await takeKey(ctx, prepared.run, { rule: dedupe, triggerId: id }));
  if (earlier !== undefined) return;
  if (hold && !(await holds.add(ctx, hold, start, id))) return;
  await writeRunStart(ctx, prepared);
}

interface ListeningRow {
  readonly workspace: string;
  readonly environment: string;
}

/** The partitions in which a trigger or a waiting step receives one of the topics. */
const LISTENING_PARTITIONS = `
  select d.workspace_id as workspace, d.environment
    from workflow_triggers t
    join workflow_deployments d on d.workflow_id = t.workflow_id and d.environment = t.environment
   where t.workspace_id = any($1::uuid[]) and t.topic = any($2::text[]) and d.enabled
  union
  select w.workspace_id, w.environment from run_waits w
   where w.workspace_id = any($1::uuid[]) and w.topic = any($2::text[])`;

/**
 * Reads the event log. An event starts runs of workflows with a matching trigger, and wakes steps that wait for it.
 * Both commit together with the cursor, so each event takes effect exactly once.
 */
export const eventTriggerReader = reader({
  name: "runs.triggers",
  on: ["*"],
  startsAt: "end",
  emits: [...startEvents, ...chainEvents],
  async selectParts({ services }, parts) {
    const all = parts.flatMap(({ counts }) => counts);
    const topics = new Set(all.flatMap((typeCount) => eventTopics(services, typeCount)));
    const keys = new Set(parts.map(({ partition }) => partition.workspace));
    const rows = await services.db.system<ListeningRow>(LISTENING_PARTITIONS, [
      [...keys],
      [...topics],
    ]);
    const listening = new Set(rows.map(({ workspace, environment }) => workspace + environment));
    return ({ partition }) => listening.has(partition.workspace + partition.environment);
  },
  async handleSummary(ctx, typeCounts) {
    const { tx, now, services } = ctx;
    const topics = [
      ...new Set(typeCounts.flatMap((typeCount) => eventTopics(services, typeCount))),
    ];
    const [triggers, waiting] = await Promise.all([
      findEventTriggers(ctx, topics),
      findWaitingSteps(tx, topics),
    ]);
    const usedTopics = new Set([...triggers, ...waiting].map(({ topic }) => topic));
    const types = typeCounts
      .filter((typeCount) =>
        eventTopics(services, typeCount).some((topic) => usedTopics.has(topic)),
      )
      .map(({ type }) => type);
    if (types.length === 0) return;
    const conditions = [...triggers, ...waiting].map(({ filter }) => filter);
    const events = await attachFor(ctx, conditions, await ctx.events(types));
    const visibleTo = await resolveVisibility(ctx, events, [
      ...triggers.map(({ deployedBy }) => deployedBy),
      ...waiting.map(({ runAs }) => runAs),
    ]);
    const openWaits = new Set(waiting);
    const wakeUps: Promise<void>[] = [];
    const holds = new OpenHolds();
    for (const event of events) {
      const onTopics = eventTopics(services, event);
      for (const trigger of triggers) {
        if (event.depth >= CAUSATION_DEPTH_MAX || !onTopics.includes(trigger.topic)) continue;
        const { deployedBy: runAs, permissions } = trigger;
        const visible = visibleTo(event, { runAs, permissions });
        if (!visible || !trigger.matches(visible)) continue;
        // Ids follow the order of events, because due and queued runs are processed in id order.
        const start = { ...toRunStart(visible, trigger), id: nextRunId(now.getTime()) };
        const { workspace, cause } = start;
        const { workflowId } = trigger.version;
        const link = { workspace, workflowId, ...cause };
        if (!(await takeLinkWithin(ctx, link))) {
          await tellChainCut(ctx.because(event), link);
          continue;
        }
        await beginRun(ctx.because(event), trigger, start, holds);
      }
      for (const step of openWaits) {
        if (!onTopics.includes(step.topic)) continue;
        const visible = visibleTo(event, step);
        if (!visible || !step.matches(visible)) continue;
        openWaits.delete(step);
        wakeUps.push(wakeWaitingStep(ctx.because(event), step, visible));
      }
    }
    holds.save();
    await Promise.all(wakeUps);
  },
});
