import { findEventDeployments, planOfVersion, WorkflowsRead } from "#domains/workflows/index.ts";
import type { EventFollowerSource } from "#kernel/contributions/event-follower.ts";

const WORKFLOWS_MAX = 200;

/** The workflows that an event of a topic starts. */
export const workflowFollowers: EventFollowerSource = {
  kind: "workflow",
  permission: WorkflowsRead,
  async list({ tx, services, caller }, { names }) {
    const deployments = await findEventDeployments(tx, caller.environment, names);
    const found = deployments.slice(0, WORKFLOWS_MAX).map(async ({ versionId, workflowId }) => {
      const version = await planOfVersion({ tx, services }, versionId);
      if (version?.definition.trigger.type !== "event_bus") return [];
      const { name, trigger } = version.definition;
      const hears = trigger.eventType ? [trigger.eventType] : ["*"];
      return [{ id: workflowId, name, hears, status: "active", behind: null }];
    });
    return (await Promise.all(found)).flat();
  },
};
