import { NobodyBehind } from "#domains/identity/accounts/index.ts";
import { canSeeTrace, TracesRead } from "#domains/workflows/index.ts";
import Type from "typebox";
import { Failure } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { toPage, pageQuery } from "#kernel/operation/pagination.ts";
import { unwrapped, item, page, withSuccess } from "#kernel/operation/response.ts";
import { line, object } from "#kernel/schema/schema.ts";
import { ArtifactDisabled, ArtifactId } from "../artifacts/artifact.ts";
import { ById } from "../artifacts/operations.ts";
import { get } from "../artifacts/store.ts";
import { ArtifactsExecute, ArtifactsRead } from "../permissions.ts";
import { ArtifactExecuted } from "./events.ts";
import {
  Execution,
  ExecutionId,
  ExecutionOutcome,
  ExecutionSummary,
  redactExecution,
} from "./execution.ts";
import { recordExecution, runArtifact } from "./run-artifact.ts";
import * as store from "./store.ts";

const example = { params: { id: "art_01jd0000000000000000000000" } };
const LIST = "executions of an artifact, newest first";
/** Sorts after every id. */
const AFTER_ALL = "~";

const AnyObject = Type.Record(Type.String(), Type.Unknown());

export const executeArtifact = command({
  id: "artifacts.execute",
  effect: "ordinary",
  actsOutside: true,
  route: "POST /api/flowsdk/artifacts/{id}/execute",
  aliases: [
    "POST /api/v1/flowsdk/artifacts/{id}/execute",
    "POST /api/v1/sdk/artifacts/{id}/execute",
    "POST /api/v1/sdk/artifacts/{id}/invoke",
  ],
  summary: "Execute an artifact",
  description:
    "Runs with the permissions that both you and the author have, in the environment of the request. A failing script returns 200 with `success: false` and its `runtimeError`; an input that does not match is rejected (422). Drafts can be executed, disabled artifacts can't (409).",
  permission: ArtifactsExecute,
  // The artifact belongs to the workspace, its execution to an environment.
  environmentScoped: true,
  params: ById,
  body: object({
    inputPayload: Type.Optional(AnyObject),
    previousPayload: Type.Optional(AnyObject),
    triggerType: Type.Optional(line(100)),
  }),
  bodyOptional: true,
  longRunning: true,
  response: unwrapped(Type.Object({ success: Type.Boolean(), data: ExecutionOutcome })),
  emits: [ArtifactExecuted],
  fails: [ArtifactDisabled, NobodyBehind],
  example: { ...example, body: { inputPayload: { name: "Ada" }, triggerType: "manual" } },
  async prepare(platform, { params, body }, caller) {
    const { workspace, environment } = caller;
    if (!workspace) throw new Error("An artifact belongs to a workspace.");
    const partition = { workspace: workspace.key, environment };
    const artifact = await platform.db.read(partition, (tx) => get(tx, params.id));
    if (artifact.status === "disabled") throw new Failure(ArtifactDisabled);
    const { inputPayload = {}, previousPayload, triggerType = "manual" } = body ?? {};
    const execution = await runArtifact(platform, {
      artifact,
      caller,
      input: inputPayload,
      triggerType,
      signal: caller.disconnected,
      ...(previousPayload && { previous: previousPayload }),
    });
    return { artifact, execution };
  },
  async run(ctx, _, { artifact, execution }) {
    const { cause, principal } = ctx.caller;
    recordExecution(ctx, artifact, execution, { runAs: principal?.id, cause });
    const { status, outcome } = execution;
    return { success: status === "completed" || status === "aborted", data: outcome };
  },
});

export const listExecutions = query({
  id: "artifacts.list_executions",
  route: "GET /api/flowsdk/artifacts/{id}/executions",
  aliases: [
    "GET /api/v1/flowsdk/artifacts/{id}/executions",
    "GET /api/v1/sdk/artifacts/{id}/executions",
  ],
  summary: "List executions of an artifact, newest first",
  permission: ArtifactsRead,
  environmentScoped: true,
  params: ById,
  query: object(pageQuery),
  response: withSuccess(page(ExecutionSummary)),
  example,
  async run({ tx, services }, { params, query: { limit, after } }) {
    await get(tx, params.id);
    const [before = AFTER_ALL] = after === undefined ? [] : services.cursors.decode(LIST, after);
    const rows = await store.list(tx, params.id, { before: String(before), limit: limit + 1 });
    return toPage(
      rows,
      limit,
      (row) => row,
      ({ id }) => services.cursors.encode(LIST, [id]),
    );
  },
});

export const getExecution = query({
  id: "artifacts.get_execution",
  route: "GET /api/flowsdk/artifacts/{id}/executions/{executionId}",
  aliases: [
    "GET /api/v1/flowsdk/artifacts/{id}/executions/{executionId}",
    "GET /api/v1/sdk/artifacts/{id}/executions/{executionId}",
  ],
  summary: "Get an execution with its log",
  description: `Input and output are visible to the user that the execution acted as, and with the permission \`${TracesRead.name}\`; for others they are \`redacted\`.`,
  permission: ArtifactsRead,
  environmentScoped: true,
  params: object({ id: ArtifactId, executionId: ExecutionId }),
  response: withSuccess(item(Execution)),
  example: { params: { ...example.params, executionId: "exe_01jd0000000000000000000000" } },
  async run({ tx, caller }, { params }) {
    const { runAs, ...execution } = await store.get(tx, params.id, params.executionId);
    return canSeeTrace(caller, runAs) ? execution : redactExecution(execution);
  },
});
