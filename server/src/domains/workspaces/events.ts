import { changeEvent, event } from "#kernel/log/event.ts";
import { Workspace } from "./workspace.ts";

export const WorkspaceCreated = event("workspace.created", {
  resource: "workspace",
  summary: "A workspace was made.",
  data: Workspace,
});

export const WorkspaceUpdated = changeEvent("workspace.updated", {
  resource: "workspace",
  summary: "The settings of a workspace were changed.",
  data: Workspace,
});
