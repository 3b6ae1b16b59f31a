import { domain } from "#kernel/domain.ts";
import { WorkspaceActivated, WorkspaceExported, WorkspaceImported } from "./archive-events.ts";
import { WorkspaceCreated, WorkspaceUpdated } from "./workspace.ts";
import {
  createWorkspace,
  currentWorkspace,
  getWorkspace,
  listWorkspaces,
  updateWorkspace,
  workspaceStats,
} from "./operations.ts";
import { WorkspacesCreate, WorkspacesRead, WorkspacesWrite } from "./workspace.ts";

export { WorkspaceActivated, WorkspaceExported, WorkspaceImported } from "./archive-events.ts";
export { WorkspaceCreated, WorkspaceUpdated } from "./workspace.ts";
export { haveOwnValues, insertWorkspace } from "./service.ts";
export { Slug, WorkspacesWrite } from "./workspace.ts";
export { getByKey as workspaceOf } from "./store.ts";

export const workspaces = domain({
  name: "workspaces",
  summary: "Workspaces. Each has its own members, data and settings.",
  environmentScoped: false,
  permissions: [WorkspacesRead, WorkspacesWrite, WorkspacesCreate],
  events: [
    WorkspaceCreated,
    WorkspaceUpdated,
    WorkspaceExported,
    WorkspaceImported,
    WorkspaceActivated,
  ],
  operations: [
    listWorkspaces,
    createWorkspace,
    currentWorkspace,
    getWorkspace,
    updateWorkspace,
    workspaceStats,
  ],
});
