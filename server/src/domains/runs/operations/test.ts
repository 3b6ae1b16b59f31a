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
    code: Type.Optional(line(100, "`mocked_error` unless given")),
    status: Type.Optional(Type.Integer({ minimum: 100, maximum: 599 })),
    body: Type.Optional(Type.Unknown()),
  }),
  { maxProperties: 500, description: "Errors by the id or key of a node: it fails with this one" },
);

export const testWorkflow = command({
  id: "workflows.test",
  effect: "ordinary",
  actsOutside: true,
  route: "POST /api/v1/workflows/{id}/test",
  aliases: ["POST /api/workflows/{id}/test"],
  summary: "Try a workflow out, without side effects",
  description:
    "Runs the live definition, a version, or a definition that is not saved. Steps that would reach " +
    "outside or wait are not carried out: what they would send is their `input`, and their output is " +
    "what `mocks` or the pinned data say, or null; `mockErrors` lets them fail. `only` tests one step " +
    "alone, also one in a loop: it sees the outputs of `runId`, `mocks` and the pinned data. The branch of an approval follows from its mocked output, `{ approved }`. The run is kept, " +
    "marked as a test; its end is told to nobody. A definition that is not saved also needs " +
    "`workflows:write`.",
  permission: WorkflowsTrigger,
  params: ById,
  body: object({
    input: Type.Optional(Type.Unknown({ description: "What expressions see as `trigger.input`" })),
    event: Type.Optional(Type.Unknown({ description: "What they see as `trigger.event`" })),
    eventId: Type.Optional(PastEventId),
    versionId: Type.Optional(VersionId),
    definition: Type.Optional(Definition),
    mocks: Type.Optional(Outputs),
    mockErrors: Type.Optional(MockedErrors),
    only: Type.Optional(
      line(
        1_000,
        "One step: `call`, `each.call` in a loop, or `each[3].call` for one item of a run",
      ),
    ),
    runId: Type.Optional(
      Type.String({
        ...RunId,
        description: "With `only`: a run whose trigger and outputs it sees",
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
