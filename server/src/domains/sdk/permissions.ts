import { permission } from "#kernel/access/permission.ts";

export const ArtifactsRead = permission("artifacts:read", "View artifacts and their executions", [
  "builder",
  "agent",
  "change_manager",
  "viewer",
  "auditor",
]);
export const ArtifactsWrite = permission("artifacts:write", "Create, update and test artifacts", [
  "builder",
]);
export const ArtifactsExecute = permission("artifacts:execute", "Execute artifacts", [
  "builder",
  "agent",
  "change_manager",
  "member",
]);
export const PacksInstall = permission("packs:install", "Install, upgrade and uninstall packs", [
  "builder",
]);
