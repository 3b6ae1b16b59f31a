import {
  findEventDeployments,
  planOfVersion,
  triggersOfType,
  WorkflowsRead,
} from "#domains/workflows/index.ts";
import { mayHear } from "#domains/bus/index.ts";
import { type Authority, readRights } from "#domains/identity/accounts/index.ts";
import type { ReadContext } from "#kernel/contract.ts";
import { eventFiltersFor, visibilityContext, applyFilter } from "#kernel/log/event-visibility.ts";
import type { EventFollowerSource } from "#kernel/contributions/event-follower.ts";
import type { RecordedEvent } from "#kernel/log/event.ts";

/**
 * Resolves which events these users can see. Topics need permissions, and some event data is filtered by user.
 * Workflows must not bypass either, and users who left see nothing.
 */
export async function resolveVisibility(
  ctx: ReadContext,
  events: readonly RecordedEvent[],
  userIds: readonly string[],
): Promise<EventVisibility> {
  const rightsOf = await readRights(ctx, userIds);
  const filters = await eventFiltersFor(visibilityContext(ctx), events);
  return (event, authority) => {
    const rights = rightsOf(authority);
    if (!rights || !mayHear(rights, event.topic)) return undefined;
    return applyFilter(filters, event, rights.principal);
  };
}

/** An event as visible to a user or a token with fewer permissions. Undefined if it is hidden. */
type EventVisibility = (event: RecordedEvent, authority: Authority) => RecordedEvent | undefined;

const WORKFLOWS_MAX = 200;

/** The workflows started by an event of a topic. */
export const workflowFollowers: EventFollowerSource = {
  kind: "workflow",
  permission: WorkflowsRead,
  async list({ tx, services, caller }, { names }) {
    const deployments = await findEventDeployments(tx, caller.environment, names);
    const byWorkflow = Map.groupBy(deployments, ({ workflowId }) => workflowId);
    const found = [...byWorkflow]
      .slice(0, WORKFLOWS_MAX)
      .map(async ([workflowId, [deployment]]) => {
        const version = deployment && (await planOfVersion({ tx, services }, deployment.versionId));
        if (!version) return [];
        const { definition } = version;
        const { name } = definition;
        const events = triggersOfType(definition, "event_bus");
        const heard = events.filter(({ trigger }) => names.includes(trigger.topic));
        const hears = [...new Set(heard.map(({ trigger }) => trigger.eventType ?? "*"))];
        return [{ id: workflowId, name, hears, status: "active", behind: null }];
      });
    return (await Promise.all(found)).flat();
  },
};
