import Type from "typebox";
import {
  getWorkflow,
  WorkflowId,
  WorkflowsRead,
  WorkflowsWrite,
} from "#domains/workflows/index.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { line, object } from "#kernel/schema/schema.ts";
import {
  changePinnedData,
  findPinnedData,
  Outputs,
  PinnedData,
  replacePinnedData,
  TooMuchPinned,
} from "../control/pinned-data.ts";
import { PinnedDataSet } from "../events.ts";

const ById = object({ id: WorkflowId });
const params = { id: "wf_01jd0000000000000000000000" };
const ByNode = object({
  id: WorkflowId,
  key: line(400, "Id of a node, or `each.call` for a node in a loop"),
});

export const getPinnedData = query({
  id: "workflows.pinned_data",
  route: "GET /api/v1/workflows/{id}/pinned-data",
  aliases: ["GET /api/workflows/{id}/pinned-data"],
  summary: "Get the pinned data of a workflow",
  environmentScoped: false,
  permission: WorkflowsRead,
  params: ById,
  response: item(PinnedData),
  example: { params },
  async run({ tx }, { params: { id } }) {
    await getWorkflow(tx, id);
    return findPinnedData(tx, id);
  },
});

export const setPinnedData = command({
  id: "workflows.pin_data",
  effect: "ordinary",
  route: "PUT /api/v1/workflows/{id}/pinned-data",
  aliases: ["PUT /api/workflows/{id}/pinned-data"],
  summary: "Set the pinned data of a workflow",
  description: "Replaces all pinned data. It is shared by the whole workspace.",
  environmentScoped: false,
  permission: WorkflowsWrite,
  params: ById,
  body: Outputs,
  response: item(PinnedData),
  emits: [PinnedDataSet],
  example: { params, body: { page: { status: 200, body: "ok" } } },
  run: (ctx, { params: { id }, body }) => replacePinnedData(ctx, id, body),
});

export const pinOutput = command({
  id: "workflows.pin_output",
  effect: "ordinary",
  route: "PUT /api/v1/workflows/{id}/pinned-data/{key}",
  aliases: ["PUT /api/workflows/{id}/pinned-data/{key}"],
  summary: "Set the pinned data of a node",
  description: "The pinned data of other nodes is kept, even with concurrent requests.",
  environmentScoped: false,
  permission: WorkflowsWrite,
  params: ByNode,
  body: object({ output: Type.Unknown() }),
  response: item(PinnedData),
  emits: [PinnedDataSet],
  example: { params: { ...params, key: "each.call" }, body: { output: { status: 200 } } },
  fails: [TooMuchPinned],
  run: (ctx, { params: { id, key }, body: { output } }) =>
    changePinnedData(ctx, id, { key, output: output ?? null }),
});

export const unpinOutput = command({
  id: "workflows.unpin_output",
  route: "DELETE /api/v1/workflows/{id}/pinned-data/{key}",
  aliases: ["DELETE /api/workflows/{id}/pinned-data/{key}"],
  summary: "Delete the pinned data of a node",
  environmentScoped: false,
  permission: WorkflowsWrite,
  params: ByNode,
  allowNoop: true,
  response: item(PinnedData),
  emits: [PinnedDataSet],
  example: { params: { ...params, key: "each.call" } },
  run: (ctx, { params: { id, key } }) => changePinnedData(ctx, id, { key, output: undefined }),
});
