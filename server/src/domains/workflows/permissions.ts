import { permission } from "#kernel/access/permission.ts";

export const WorkflowsRead = permission("workflows:read", "View workflows and their runs", [
  "builder",
  "viewer",
  "auditor",
]);
export const WorkflowsWrite = permission(
  "workflows:write",
  "Create, update and archive workflows",
  ["builder"],
);
export const WorkflowsTrigger = permission("workflows:trigger", "Run workflows manually", [
  "builder",
  "agent",
  "change_manager",
]);
export const DeploymentsCreate = permission(
  "deployments:create",
  "Deploy versions to an environment",
  ["builder"],
);
