import Type from "typebox";
import { command } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import {
  InvestigationStarted,
  KnownErrorDeclared,
  ProblemClosed,
  ProblemReopened,
  ProblemResolved,
} from "./events.ts";
import { ByProblem, example } from "./operations.ts";
import { ProblemsWrite } from "./problem.ts";
import { Problem, problemMachine, Resolution } from "./problem.ts";
import { act, dataOf, refer } from "./service.ts";

/** What all actions on a problem have in common. */
const action = {
  permission: ProblemsWrite,
  params: ByProblem,
  response: item(Problem),
  fails: [problemMachine.refusal],
};

export const investigateProblem = command({
  ...action,
  id: "problems.investigate",
  route: "POST /api/v1/itsm/problems/{id}/investigate",
  summary: "Begin to look into a problem",
  emits: [InvestigationStarted],
  example,
  async run(ctx, { params }) {
    const problem = await act(ctx, params.id, "investigate");
    ctx.emit(InvestigationStarted, refer(problem), dataOf(problem));
    return problem;
  },
});

export const declareKnownError = command({
  ...action,
  id: "problems.declare_known_error",
  route: "POST /api/v1/itsm/problems/{id}/declare_known_error",
  aliases: ["POST /api/v1/itsm/problems/{id}/declare-known-error"],
  summary: "Declare a problem a known error",
  description: "Its cause and a workaround must be known, from now or before.",
  body: object({
    rootCause: Type.Optional(Resolution),
    workaround: Type.Optional(Resolution),
  }),
  bodyOptional: true,
  emits: [KnownErrorDeclared],
  example: { ...example, body: { rootCause: "A full table", workaround: "Restart it." } },
  async run(ctx, { params, body }) {
    const problem = await act(ctx, params.id, "declare_known_error", body);
    ctx.emit(KnownErrorDeclared, refer(problem), dataOf(problem));
    return problem;
  },
});

export const resolveProblem = command({
  ...action,
  id: "problems.resolve",
  route: "POST /api/v1/itsm/problems/{id}/resolve",
  summary: "Say that a problem is done away with, and how",
  body: object({ resolution: Resolution }),
  emits: [ProblemResolved],
  example: { ...example, body: { resolution: "The table was made larger." } },
  async run(ctx, { params, body }) {
    const problem = await act(ctx, params.id, "resolve", body);
    ctx.emit(ProblemResolved, refer(problem), dataOf(problem));
    return problem;
  },
});

export const closeProblem = command({
  ...action,
  id: "problems.close",
  route: "POST /api/v1/itsm/problems/{id}/close",
  summary: "Close a resolved problem",
  emits: [ProblemClosed],
  example,
  async run(ctx, { params }) {
    const problem = await act(ctx, params.id, "close");
    ctx.emit(ProblemClosed, refer(problem), dataOf(problem));
    return problem;
  },
});

export const reopenProblem = command({
  ...action,
  id: "problems.reopen",
  route: "POST /api/v1/itsm/problems/{id}/reopen",
  summary: "Look into a problem again that was thought to be over",
  description:
    "It is no known error any more, and has no resolution; its cause and workaround stay.",
  emits: [ProblemReopened],
  example,
  async run(ctx, { params }) {
    const problem = await act(ctx, params.id, "reopen");
    ctx.emit(ProblemReopened, refer(problem), dataOf(problem));
    return problem;
  },
});
