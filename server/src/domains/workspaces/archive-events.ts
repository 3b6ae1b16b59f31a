import Type from "typebox";
import { event } from "#kernel/log/event.ts";

const resource = "workspace";

export const WorkspaceExported = event("audit.workspace.exported", {
  resource,
  summary: "An export of the workspace was created.",
  data: Type.Object({
    withSecrets: Type.Boolean(),
    rows: Type.Integer(),
    files: Type.Integer(),
    bytes: Type.Integer(),
  }),
});

export const WorkspaceImported = event("audit.workspace.imported", {
  resource,
  summary:
    "The workspace was imported from another installation. It is paused until it is activated.",
  data: Type.Object({ slug: Type.String(), exportedAt: Type.String() }),
});

export const WorkspaceActivated = event("audit.workspace.activated", {
  resource,
  summary: "An imported workspace was activated.",
  data: Type.Object({ slug: Type.String() }),
});
