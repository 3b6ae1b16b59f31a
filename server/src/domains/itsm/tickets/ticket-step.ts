import { executor, StepFailure } from "#domains/runs/index.ts";
import { ticket } from "#domains/workflows/index.ts";

/** The operations of each kind that a step can call. */
const PLURALS: Readonly<Record<string, string>> = {
  incident: "incidents",
  change: "changes",
  problem: "problems",
  request: "requests",
};
const VERBS: Readonly<Record<string, string>> = {
  create: "create",
  get: "get",
  update: "update",
  comment: "add_comment",
  resolve: "resolve",
  escalate: "escalate",
  close: "close",
  submit: "submit",
  cancel: "cancel",
};

/** The step that works with tickets, as whoever deployed the workflow may. */
export const ticketExecutor = executor({
  type: ticket,
  async run({ operation, kind, id, fields = {} }, { perform, platform: { operations } }) {
    const verb = kind === "request" && operation === "create" ? "submit" : VERBS[operation];
    const name = `${PLURALS[kind]}.${verb}`;
    const isNew = operation === "create";
    // A request is submitted by making it.
    if (!operations.has(name) || (kind === "request" && operation === "submit")) {
      throw new StepFailure("unknown_operation", `There is no ${operation} of a ${kind}.`, {
        retryable: false,
      });
    }
    const takesBody = operation !== "get";
    const input = {
      ...(!isNew && { params: { id } }),
      ...(takesBody ? { body: fields } : { query: {} }),
    };
    const answer = (await perform(name, input)) as { readonly data: unknown };
    return { output: answer.data };
  },
});
