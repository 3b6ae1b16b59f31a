import { domain } from "#kernel/domain.ts";
import * as exportEvents from "./exports/events.ts";
import { exportJob, retireExportsJob } from "./exports/jobs.ts";
import { exportOperations } from "./exports/operations.ts";
import {
  ImportStarted,
  ImportTaskCompleted,
  ImportTaskFailed,
  ImportTaskRequested,
} from "./imports/events.ts";
import { importTaskJob, retireImportsJob } from "./imports/jobs.ts";
import { importOperations } from "./imports/operations.ts";

export { exportObject } from "./exports/workspace-export.ts";
export type { ArchiveSummary } from "./imports/archive-import.ts";
export { TASKS, type Task } from "./imports/events.ts";

export const portability = domain({
  name: "portability",
  summary: "Export and import of whole workspaces.",
  environmentScoped: false,
  permissions: [],
  events: [
    ...Object.values(exportEvents),
    ImportStarted,
    ImportTaskRequested,
    ImportTaskCompleted,
    ImportTaskFailed,
  ],
  operations: [...exportOperations, ...importOperations],
  jobs: [exportJob, retireExportsJob, importTaskJob, retireImportsJob],
});
