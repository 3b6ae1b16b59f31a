import { event } from "#kernel/log/event.ts";
import { Export } from "./export.ts";

const about = { resource: "export", data: Export };

export const ExportRequested = event("export.requested", {
  ...about,
  summary: "Somebody asked for an export.",
});
export const ExportCompleted = event("export.completed", {
  ...about,
  summary: "An export is ready to be downloaded.",
});
export const ExportFailed = event("export.failed", {
  ...about,
  summary: "An export could not be finished.",
});
export const ExportCancelled = event("export.cancelled", {
  ...about,
  summary: "An export was cancelled.",
});
export const ExportExpired = event("export.expired", {
  ...about,
  summary: "An export was deleted, since its time was over.",
});

export const exportEvents = [
  ExportRequested,
  ExportCompleted,
  ExportFailed,
  ExportCancelled,
  ExportExpired,
] as const;
