import Type from "typebox";
import { invalidField } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { toPage, pageQuery } from "#kernel/operation/pagination.ts";
import { item, page } from "#kernel/operation/response.ts";
import { line, object, text } from "#kernel/schema/schema.ts";
import {
  Approval,
  DecidedApproval,
  decideApproval,
  listApprovals as list,
  listDecided,
} from "../control/approvals.ts";
import { RunResumed } from "../events.ts";
import { ApprovalsDecide } from "#domains/approvals/index.ts";
import { AlreadyDecided, NotAnApprover, Run, RunNotPaused } from "../run.ts";
import { get } from "../store.ts";
import { ByRun, runExample } from "./read.ts";

const LIST = "approvals, newest runs first";

export const resumeRun = command({
  id: "runs.resume",
  effect: "drastic",
  route: "POST /api/v1/runs/{runId}/resume",
  summary: "Approve or reject a waiting run",
  description:
    "Only for approvers of the step, given by the id of a user, or the id or name of a role. One rejection is enough to reject. The run continues when the step has the required number of approvals. Each approver can decide once. The output of the step contains `data`.",
  permission: ApprovalsDecide,
  params: ByRun,
  body: object({
    approved: Type.Boolean(),
    comment: Type.Optional(text(10_000)),
    data: Type.Optional(Type.Unknown()),
    stepId: Type.Optional(line(1_000, "Required if several steps of the run are waiting")),
  }),
  response: item(Run),
  emits: [RunResumed],
  fails: [RunNotPaused, NotAnApprover, AlreadyDecided],
  example: { ...runExample, body: { approved: true, comment: "Go ahead." } },
  async run(ctx, { params: { runId }, body }) {
    await decideApproval(ctx, runId, body);
    return get(ctx.tx, runId);
  },
});

export const listApprovals = query({
  id: "approvals.list",
  route: "GET /api/v1/approvals",
  summary: "List your pending approvals",
  permission: ApprovalsDecide,
  query: object(pageQuery),
  response: page(Approval),
  async run(ctx, { query: { limit, after } }) {
    const { cursors } = ctx.services;
    const rows = await list(ctx, {
      before: after === undefined ? undefined : parsePosition(cursors.decode(LIST, after)),
      limit: limit + 1,
    });
    return toPage(
      rows,
      limit,
      (row) => row,
      ({ runId, stepId }) => cursors.encode(LIST, [runId, stepId]),
    );
  },
});

const DECIDED = "decided approvals, newest first";

export const listDecidedApprovals = query({
  id: "approvals.list_decided",
  route: "GET /api/v1/approvals/decided",
  summary: "List decided approvals, newest first",
  description:
    "Returns your own decisions, and those about steps that you can approve. Owners see all.",
  permission: ApprovalsDecide,
  query: object(pageQuery),
  response: page(DecidedApproval),
  async run(ctx, { query: { limit, after } }) {
    const { cursors } = ctx.services;
    const [before] = after === undefined ? [] : cursors.decode(DECIDED, after);
    if (before !== undefined && typeof before !== "string") {
      throw invalidField("?after", "is not a valid cursor for this list");
    }
    const rows = await listDecided(ctx, { before, limit: limit + 1 });
    return toPage(
      rows,
      limit,
      (row) => row,
      ({ id }) => cursors.encode(DECIDED, [id]),
    );
  },
});

function parsePosition([runId, stepId]: readonly unknown[]): readonly [string, string] {
  if (typeof runId === "string" && typeof stepId === "string") return [runId, stepId];
  throw invalidField("?after", "is not a valid cursor for this list");
}
