import Type from "typebox";
import { event } from "#kernel/log/event.ts";
import { nullable } from "#kernel/schema/schema.ts";

const resource = "archive_import";
export const TASKS = ["check", "load", "activate", "discard"] as const;
export type Task = (typeof TASKS)[number];

const Task = { task: Type.Enum([...TASKS]) };

export const ImportStarted = event("audit.archive_import.started", {
  resource,
  summary: "An operator started the upload of a workspace archive.",
  data: Type.Object({ fileName: Type.String(), bytes: Type.Integer() }),
});

export const ImportTaskRequested = event("audit.archive_import.task_requested", {
  resource,
  summary: "The check, load, activation or removal of an archive was requested.",
  data: Type.Object({ ...Task, slug: nullable(Type.String()) }),
});

export const ImportTaskCompleted = event("audit.archive_import.task_completed", {
  resource,
  summary: "An archive was checked, loaded, activated or discarded.",
  data: Type.Object(Task),
});

export const ImportTaskFailed = event("audit.archive_import.task_failed", {
  resource,
  summary: "The check, load, activation or removal of an archive failed.",
  data: Type.Object({ ...Task, error: Type.String() }),
});
