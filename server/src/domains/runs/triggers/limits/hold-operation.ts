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
    key: nullable(Type.String({ description: "For those who may read traces" })),
    held: Type.Integer({ description: "Events that wait for a run" }),
    heard: Type.Integer({ description: "Events since it began" }),
    dropped: Type.Integer({ description: "Events that begin no run: over a limit that drops" }),
    failures: Type.Integer({
      description: "Attempts to begin its runs that failed, one after the other",
    }),
    reason: nullable(
      Type.String({
        description:
          "Why the last attempt failed. After ten it waits for the next event, which tries once more",
      }),
    ),
    since: Time,
    dueAt: nullable(
      Type.String({ ...Time, description: "When the next run begins; null when none waits" }),
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
  summary: "List what the triggers of a workflow hold, in this environment",
  description:
    "Events that wait because of `debounce`, `batch` or `rateLimit`, by the key that they have in common; the first 200 that are due.",
  permission: WorkflowsRead,
  params: object({ id: WorkflowId }),
  response: item(Type.Object({ held: Type.Array(HeldEvents) }, { title: "WorkflowHeldEvents" })),
  example: { params: { id: "wf_01jd0000000000000000000000" } },
  async run({ tx, caller }, { params: { id } }) {
    await getWorkflow(tx, id);
    const rows = (await queryRows(tx, LIST, [id, SHOWN_MAX])) as Static<typeof HeldEvents>[];
    // A key is a part of an event, which not everybody may see.
    const showsKeys = caller.permissions.has(TracesRead.name);
    return { held: rows.map((row) => ({ ...row, key: showsKeys ? row.key : null })) };
  },
});
