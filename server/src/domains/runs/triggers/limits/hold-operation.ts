import Type, { type Static } from "typebox";
import { getWorkflow, TracesRead, WorkflowId, WorkflowsRead } from "#domains/workflows/index.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { nullable, object, Time } from "#kernel/schema/schema.ts";

const SHOWN_MAX = 200;

const HeldEvents = Type.Object(
  {
    triggerId: Type.String(),
    kind: Type.Enum(["debounce", "batch", "rateLimit"]),
    key: nullable(Type.String({ description: "Only with permission to view traces" })),
    held: Type.Integer({ description: "Number of events that wait for a run" }),
    heard: Type.Integer({ description: "Number of events since the start" }),
    dropped: Type.Integer({ description: "Number of dropped events over the limit" }),
    failures: Type.Integer({
      description: "Number of consecutive failed attempts to start its runs",
    }),
    reason: nullable(
      Type.String({
        description:
          "Error of the last attempt. After ten failed attempts, the next attempt is made when another event arrives",
      }),
    ),
    since: Time,
    dueAt: nullable(
      Type.String({ ...Time, description: "Time of the next run. Null if no event is waiting" }),
    ),
  },
  { title: "HeldEvents" },
);

const LIST = `
  select trigger_id as "triggerId", kind, key, cardinality(events) as held, heard, dropped, failures, reason, since,
         case when cardinality(events) > 0 then due_at end as "dueAt"
    from trigger_holds where workflow_id = $1
   order by due_at, trigger_id, hash limit $2`;

export const listHeldEvents = query({
  id: "workflows.held_events",
  route: "GET /api/v1/workflows/{id}/held-events",
  summary: "List held events of the triggers of a workflow",
  description:
    "Returns events delayed by `debounce`, `batch` or `rateLimit`, grouped by key. Returns the 200 groups that are " +
    "due first.",
  permission: WorkflowsRead,
  params: object({ id: WorkflowId }),
  response: item(Type.Object({ held: Type.Array(HeldEvents) }, { title: "WorkflowHeldEvents" })),
  example: { params: { id: "wf_01jd0000000000000000000000" } },
  async run({ tx, caller }, { params: { id } }) {
    await getWorkflow(tx, id);
    const rows = (await queryRows(tx, LIST, [id, SHOWN_MAX])) as Static<typeof HeldEvents>[];
    // A key is part of an event, which not all readers can see.
    const showsKeys = caller.permissions.has(TracesRead.name);
    return { held: rows.map((row) => ({ ...row, key: showsKeys ? row.key : null })) };
  },
});
