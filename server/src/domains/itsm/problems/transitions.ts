import Type from "typebox";
import { object } from "#kernel/schema/schema.ts";
import {
  InvestigationStarted,
  KnownErrorDeclared,
  ProblemClosed,
  ProblemReopened,
  ProblemResolved,
} from "./events.ts";
import { problemCommands, problemKind } from "./kind.ts";
import { Resolution } from "./problem.ts";

const { transition } = problemCommands;

export const problemTransitions = [
  transition("investigate", {
    effect: "ordinary",
    summary: "Start the investigation of a problem",
    event: InvestigationStarted,
  }),
  transition("declare_known_error", {
    effect: "ordinary",
    aliases: [`POST ${problemKind.path}/{id}/declare-known-error`],
    summary: "Declare a problem a known error",
    description: "Requires a root cause and a workaround, in the problem or in the request.",
    body: object({
      rootCause: Type.Optional(Resolution),
      workaround: Type.Optional(Resolution),
    }),
    example: { rootCause: "A full table", workaround: "Restart it." },
    event: KnownErrorDeclared,
    fields: (_ctx, _problem, body) => body,
  }),
  transition("resolve", {
    effect: "ordinary",
    summary: "Resolve a problem",
    body: object({ resolution: Resolution }),
    example: { resolution: "The table was made larger." },
    event: ProblemResolved,
    fields: (_ctx, _problem, body) => body,
  }),
  transition("close", {
    effect: "ordinary",
    summary: "Close a resolved problem",
    event: ProblemClosed,
  }),
  transition("reopen", {
    effect: "ordinary",
    summary: "Reopen a problem",
    description:
      "The problem is no longer a known error, and its resolution is cleared. Root cause and workaround are kept.",
    event: ProblemReopened,
  }),
];
