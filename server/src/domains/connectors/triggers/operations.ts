import Type from "typebox";
import { getWorkflow, WorkflowsRead, WorkflowsTrigger } from "#domains/workflows/index.ts";
import { query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { id, nullable, object, Time } from "#kernel/schema/schema.ts";
import { buildHookUrl } from "./subscription.ts";
import { listRows } from "./trigger-row.ts";

const ListenerState = Type.Object({
  triggerId: Type.String(),
  connectorId: nullable(Type.String()),
  kind: Type.Enum(["poll", "hook"]),
  status: Type.Enum(["new", "up", "down"], {
    description: "`new` until it was polled or registered",
  }),
  problem: nullable(Type.String()),
  polledAt: nullable(Time),
  url: nullable(
    Type.String({
      description: "URL of the webhook. Visible to members who can trigger the workflow",
    }),
  ),
  subscribed: Type.Boolean({
    description: "True if the URL was registered at the other system automatically",
  }),
});

export const listListeners = query({
  id: "workflows.listeners",
  route: "GET /api/v1/workflows/{id}/listeners",
  summary: "List the app triggers of a workflow with their status",
  permission: WorkflowsRead,
  params: object({ id: id("wf") }),
  response: item(
    Type.Object(
      { listeners: Type.Array(ListenerState, { maxItems: 100 }) },
      { title: "WorkflowListeners" },
    ),
  ),
  example: { params: { id: "wf_01jd0000000000000000000000" } },
  async run({ tx, services, caller }, { params }) {
    await getWorkflow(tx, params.id);
    const rows = await listRows(tx, params.id);
    const mayTrigger = caller.permissions.has(WorkflowsTrigger.name);
    return {
      listeners: rows.map(
        ({ triggerId, connectorId, status, problem, polledAt, token, subscription }) => ({
          triggerId,
          connectorId,
          kind: token === null ? ("poll" as const) : ("hook" as const),
          status,
          problem,
          polledAt: polledAt === null ? null : new Date(polledAt).toISOString(),
          url: token !== null && mayTrigger ? buildHookUrl(services, token) : null,
          subscribed: subscription !== null,
        }),
      ),
    };
  },
});
