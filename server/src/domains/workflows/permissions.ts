import { permission } from "#kernel/access/permission.ts";

export const WorkflowsRead = permission("workflows:read", "See workflows and their runs", [
  "builder",
  "viewer",
  "auditor",
]);
export const WorkflowsWrite = permission("workflows:write", "Make, change and archive workflows", [
  "builder",
]);
export const WorkflowsTrigger = permission("workflows:trigger", "Run a workflow by hand", [
  "builder",
  "agent",
  "change_manager",
]);
export const DeploymentsCreate = permission(
  "deployments:create",
  "Deploy a version to an environment",
  ["builder"],
);
