import { changeEvent, event } from "#kernel/log/event.ts";
import { Report } from "./report.ts";

export const ReportCreated = event("report.created", {
  resource: "report",
  summary: "A report was saved.",
  data: Report,
});
export const ReportUpdated = changeEvent("report.updated", {
  resource: "report",
  summary: "A report was changed.",
  data: Report,
});
export const ReportDeleted = event("report.deleted", {
  resource: "report",
  summary: "A report was deleted.",
  data: Report,
});

export const reportEvents = [ReportCreated, ReportUpdated, ReportDeleted] as const;
