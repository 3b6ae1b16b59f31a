import { executor, StepFailure } from "#domains/runs/index.ts";
import { ticket } from "#domains/workflows/index.ts";
import { ticketKinds } from "./ticket.ts";

/** The verbs of operations that a step can call. */
const VERBS: Readonly<Record<string, string>> = {
  create: "create",
  get: "get",
  update: "update",
  comment: "add_comment",
  attach: "add_attachment",
  resolve: "resolve",
  escalate: "escalate",
  close: "close",
  submit: "submit",
  cancel: "cancel",
};

/** The step that works with tickets, by the permissions of the person who deployed the workflow. */
export const ticketExecutor = executor({
  type: ticket,
  async run({ operation, kind, id, fields = {} }, { perform, platform }) {
    const verb = kind === "request" && operation === "create" ? "submit" : VERBS[operation];
    const ticketKind = ticketKinds(platform).find((candidate) => candidate.kind === kind);
    const name = `${ticketKind?.plural}.${verb}`;
    const isNew = operation === "create";
    // A request is submitted by making it.
    if (!platform.operations.has(name) || (kind === "request" && operation === "submit")) {
      throw new StepFailure("unknown_operation", `There is no ${operation} of a ${kind}.`, {
        retryable: false,
      });
    }
    const takesBody = operation !== "get";
    const input = {
      ...(!isNew && { params: { id } }),
      ...(takesBody ? { body: fields } : { query: {} }),
    };
    const response = (await perform(name, input)) as { readonly data: unknown };
    return { output: response.data };
  },
});
