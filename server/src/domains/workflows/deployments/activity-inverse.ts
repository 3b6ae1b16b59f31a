/** Inverse operations for archiving a workflow, and for activating or deactivating its trigger in one environment. */
import { switchInverse } from "#kernel/undo/switch-inverse.ts";
import {
  WorkflowActivated,
  WorkflowArchived,
  WorkflowDeactivated,
  WorkflowUnarchived,
} from "../events.ts";
import { archiveWorkflow, unarchiveWorkflow } from "../operations.ts";
import { DeploymentsCreate, WorkflowsWrite } from "../permissions.ts";
import { lock } from "../store.ts";
import { activateWorkflow, deactivateWorkflow } from "./operations.ts";
import { findDeployment } from "./store.ts";

/** Triggers deactivated by archiving have their own events. */
export const archiveInverse = switchInverse({
  resourceType: "workflow",
  permission: WorkflowsWrite,
  field: "archived",
  on: { event: WorkflowArchived.type, operation: archiveWorkflow },
  off: { event: WorkflowUnarchived.type, operation: unarchiveWorkflow },
  async lock({ tx }, id) {
    const { revision, status } = await lock(tx, id);
    return { id, revision, isOn: status === "archived" };
  },
});

export const triggerInverse = switchInverse({
  resourceType: "workflow",
  permission: DeploymentsCreate,
  field: "active",
  on: { event: WorkflowActivated.type, operation: activateWorkflow },
  off: { event: WorkflowDeactivated.type, operation: deactivateWorkflow },
  async lock({ tx, caller }, id) {
    const { revision } = await lock(tx, id);
    const deployment = await findDeployment(tx, id, caller.environment);
    return { id, revision, isOn: deployment?.enabled ?? false };
  },
});
