import Type from "typebox";
import {
  ArchivedVersion,
  Definition,
  getWorkflow,
  VersionId,
  WorkflowId,
  WorkflowsRead,
  WorkflowsTrigger,
  WorkflowsWrite,
} from "#domains/workflows/index.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { PinnedDataSet, RunTested } from "../events.ts";
import { findPinnedData, PinnedData, replacePinnedData } from "../control/pinned-data.ts";
import { TracedRun } from "../run.ts";
import { runWorkflowTest, insertTestRun } from "../control/test-run.ts";

const ById = object({ id: WorkflowId });
const params = { id: "wf_01jd0000000000000000000000" };

const Outputs = Type.Record(Type.String({ maxLength: 64 }), Type.Unknown(), {
  maxProperties: 500,
  description: "Outputs by the id of a node",
});

export const testWorkflow = command({
  id: "workflows.test",
  route: "POST /api/v1/workflows/{id}/test",
  aliases: ["POST /api/workflows/{id}/test"],
  summary: "Try a workflow out, without side effects",
  description:
    "Runs the live definition, a version, or a definition that is not saved. Steps that would reach " +
    "outside or wait are not carried out: their output is what `mocks` or the pinned data say, or " +
    "null. The branch of an approval follows from its mocked output, `{ approved }`. The run is kept, " +
    "marked as a test; its end is told to nobody. A definition that is not saved also needs " +
    "`workflows:write`.",
  permission: WorkflowsTrigger,
  params: ById,
  body: object({
    input: Type.Optional(Type.Unknown({ description: "What expressions see as `trigger.input`" })),
    event: Type.Optional(Type.Unknown({ description: "What they see as `trigger.event`" })),
    versionId: Type.Optional(VersionId),
    definition: Type.Optional(Definition),
    mocks: Type.Optional(Outputs),
  }),
  bodyOptional: true,
  response: item(TracedRun),
  emits: [RunTested],
  fails: [ArchivedVersion],
  example: {
    params,
    body: { input: { order: 4711 }, mocks: { page: { status: 200, body: "ok" } } },
  },
  prepare: (platform, { params: { id }, body }, caller) =>
    runWorkflowTest(platform, caller, id, body),
  run: (ctx, _input, prepared) => insertTestRun(ctx, prepared),
});

export const getPinnedData = query({
  id: "workflows.pinned_data",
  route: "GET /api/v1/workflows/{id}/pinned-data",
  aliases: ["GET /api/workflows/{id}/pinned-data"],
  summary: "Read the outputs that test runs take for granted",
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
  route: "PUT /api/v1/workflows/{id}/pinned-data",
  aliases: ["PUT /api/workflows/{id}/pinned-data"],
  summary: "Set the outputs that test runs take for granted, by node",
  description: "In the place of all that were pinned before. They belong to the whole workspace.",
  environmentScoped: false,
  permission: WorkflowsWrite,
  params: ById,
  body: Outputs,
  response: item(PinnedData),
  emits: [PinnedDataSet],
  example: { params, body: { page: { status: 200, body: "ok" } } },
  run: (ctx, { params: { id }, body }) => replacePinnedData(ctx, id, body),
});
