import Type from "typebox";
import {
  ArchivedVersion,
  Definition,
  VersionId,
  WorkflowId,
  WorkflowsTrigger,
} from "#domains/workflows/index.ts";
import { command } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { line, object } from "#kernel/schema/schema.ts";
import { RunTested } from "../events.ts";
import { PastEventId } from "../triggers/chosen-event.ts";
import { Outputs } from "../control/pinned-data.ts";
import { RunId, TracedRun } from "../run.ts";
import { runWorkflowTest, insertTestRun } from "../control/test-run.ts";

const ById = object({ id: WorkflowId });
const params = { id: "wf_01jd0000000000000000000000" };

const MockedErrors = Type.Record(
  Type.String({ maxLength: 400 }),
  object({
    message: line(2_000),
    code: Type.Optional(line(100, "Default: `mocked_error`")),
    status: Type.Optional(Type.Integer({ minimum: 100, maximum: 599 })),
    body: Type.Optional(Type.Unknown()),
  }),
  {
    maxProperties: 500,
    description: "Errors by the id or key of a node. The node fails with the error",
  },
);

export const testWorkflow = command({
  id: "workflows.test",
  effect: "ordinary",
  actsOutside: true,
  route: "POST /api/v1/workflows/{id}/test",
  aliases: ["POST /api/workflows/{id}/test"],
  summary: "Run a workflow as a dry run",
  description:
    "Runs the live definition, a version, or an unsaved definition. Steps that call other systems or wait are not performed: `input` contains the data to send, and the output comes from `mocks` or the pinned data. Default output: null. `mockErrors` makes steps fail. `only` runs one step (including a step in a loop) with the outputs of `runId`, `mocks` and the pinned data. The mocked output of an approval, `{ approved }`, selects its branch. The run is stored as a test and sends no notifications. An unsaved definition also requires `workflows:write`.",
  permission: WorkflowsTrigger,
  params: ById,
  body: object({
    input: Type.Optional(Type.Unknown({ description: "Value of `trigger.input` in expressions" })),
    event: Type.Optional(Type.Unknown({ description: "Value of `trigger.event` in expressions" })),
    eventId: Type.Optional(PastEventId),
    versionId: Type.Optional(VersionId),
    definition: Type.Optional(Definition),
    mocks: Type.Optional(Outputs),
    mockErrors: Type.Optional(MockedErrors),
    only: Type.Optional(
      line(
        1_000,
        "Runs only one step: `call`, `each.call` in a loop, or `each[3].call` for one item of a run",
      ),
    ),
    runId: Type.Optional(
      Type.String({
        ...RunId,
        description: "With `only`: the run whose trigger and outputs are used",
      }),
    ),
    item: Type.Optional(Type.Unknown({ description: "With `only`, in a loop: the item" })),
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
