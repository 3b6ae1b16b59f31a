import Type from "typebox";
import { event } from "#kernel/log/event.ts";

const resource = "workspace_export";

export const ExportRequested = event("audit.workspace_export.requested", {
  resource,
  summary: "An owner requested an export of the workspace.",
  data: Type.Object({ withSecrets: Type.Boolean() }),
});

export const ExportMade = event("audit.workspace_export.made", {
  resource,
  summary: "An export of the workspace was completed.",
  data: Type.Object({
    withSecrets: Type.Boolean(),
    rows: Type.Integer(),
    files: Type.Integer(),
    bytes: Type.Integer(),
  }),
});

export const ExportFailed = event("audit.workspace_export.failed", {
  resource,
  summary: "An export of the workspace failed.",
  data: Type.Object({ error: Type.String() }),
});

export const ExportDeleted = event("audit.workspace_export.deleted", {
  resource,
  summary: "An export of the workspace was deleted.",
  data: Type.Object({ bytes: Type.Integer() }),
});
