import { WorkflowsRead } from "#domains/workflows/index.ts";
import { tableSource } from "#kernel/contributions/report-source.ts";
import { type SqlView, viewColumns } from "#kernel/contributions/sql-view.ts";

const text = (sql: string) => ({ sql, kind: "text" as const });
const time = (sql: string) => ({ sql, kind: "time" as const, type: "timestamptz" });

export const runsSource = tableSource({
  kind: "runs",
  summary: "Workflow runs. Dry runs have `test` true.",
  permission: WorkflowsRead,
  from: "runs r join workflows w on w.id = r.workflow_id",
  key: [{ sql: "r.id", type: "text" }],
  time: "createdAt",
  fields: {
    id: text("r.id"),
    workflowId: text("r.workflow_id"),
    workflowName: text("w.name"),
    versionId: text("r.version_id"),
    status: text("r.status"),
    triggerType: text("r.trigger_type"),
    test: { sql: "(r.test is not null)", kind: "boolean" },
    startedBy: text("(r.actor ->> 'id')"),
    eventId: text("r.event_id"),
    parentRunId: text("r.parent_run_id"),
    correlationId: text("r.correlation_id"),
    errorCode: text("(r.error ->> 'code')"),
    createdAt: time("r.created_at"),
    startedAt: time("r.started_at"),
    finishedAt: time("r.finished_at"),
    durationMs: {
      sql: "round(extract(epoch from r.finished_at - r.started_at) * 1000)",
      kind: "number",
      toJson: Number,
    },
  },
});

export const runsSqlView: SqlView = {
  name: "runs",
  summary: "Workflow runs.",
  permission: WorkflowsRead,
  columns: viewColumns({
    text: "id workflow_id status trigger_type parent_run_id run_as correlation_id",
    timestamptz: "created_at started_at finished_at",
  }),
};
