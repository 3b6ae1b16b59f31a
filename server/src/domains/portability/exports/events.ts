import Type from "typebox";
import { event } from "#kernel/log/event.ts";

const resource = "workspace_export";

export const ExportRequested = event("audit.workspace_export.requested", {
  resource,
  summary: "An owner asked for an archive of the whole workspace.",
  data: Type.Object({ withSecrets: Type.Boolean() }),
});

export const ExportMade = event("audit.workspace_export.made", {
  resource,
  summary: "The archive of the workspace was made, and can be downloaded.",
  data: Type.Object({
    withSecrets: Type.Boolean(),
    rows: Type.Integer(),
    files: Type.Integer(),
    bytes: Type.Integer(),
  }),
});

export const ExportFailed = event("audit.workspace_export.failed", {
  resource,
  summary: "The archive of the workspace could not be made.",
  data: Type.Object({ error: Type.String() }),
});

export const ExportDeleted = event("audit.workspace_export.deleted", {
  resource,
  summary: "An archive of the workspace was deleted.",
  data: Type.Object({ bytes: Type.Integer() }),
});
