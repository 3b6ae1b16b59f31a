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
    summary: "Begin to look into a problem",
    event: InvestigationStarted,
  }),
  transition("declare_known_error", {
    effect: "ordinary",
    aliases: [`POST ${problemKind.path}/{id}/declare-known-error`],
    summary: "Declare a problem a known error",
    description: "Its cause and a workaround must be known, from now or before.",
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
    summary: "Say that a problem is done away with, and how",
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
    summary: "Look into a problem again that was thought to be over",
    description:
      "It is no known error any more, and has no resolution; its cause and workaround stay.",
    event: ProblemReopened,
  }),
];
