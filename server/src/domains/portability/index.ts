import { domain } from "#kernel/domain.ts";
import { WorkspaceActivated, WorkspaceExported, WorkspaceImported } from "./events.ts";

export { releaseHeldRows } from "./import/activate-workspace.ts";
export { discardImport } from "./import/discard-import.ts";
export { WorkspaceExported } from "./events.ts";
export { exportWorkspace } from "./export-workspace.ts";
export { importWorkspace } from "./import/import-workspace.ts";
export { recordActivation, recordImport } from "./import/record-acts.ts";

export const portability = domain({
  name: "portability",
  summary: "Workspaces that move from one installation to another.",
  environmentScoped: false,
  permissions: [],
  events: [WorkspaceExported, WorkspaceImported, WorkspaceActivated],
  operations: [],
});
