import { executor, StepFailure, type StepTools } from "#domains/runs/index.ts";
import { ticket } from "#domains/workflows/index.ts";
import { ticketKinds } from "./ticket.ts";

/** Operation verbs available to steps. */
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

/** Executes ticket steps with the permissions of the workflow's deployer. */
export const ticketExecutor = executor({
  type: ticket,
  async run({ operation, kind, id, fields = {} }, tools) {
    const { perform, platform } = tools;
    const verb = kind === "request" && operation === "create" ? "submit" : VERBS[operation];
    const ticketKind = ticketKinds(platform).find((candidate) => candidate.kind === kind);
    const name = `${ticketKind?.plural}.${verb}`;
    const isNew = operation === "create";
    // A request is submitted when it is created.
    if (!platform.operations.has(name) || (kind === "request" && operation === "submit")) {
      throw new StepFailure(
        "unknown_operation",
        `The operation ${operation} does not exist for a ${kind}.`,
        {
          retryable: false,
        },
      );
    }
    const takesBody = operation !== "get";
    const input = {
      ...(!isNew && { params: { id } }),
      ...(takesBody ? { body: fields } : { query: {} }),
    };
    const response = (await perform(name, input)) as { readonly data: unknown };
    if (isNew && ticketKind) await linkToRequest(tools, ticketKind.plural, response.data);
    return { output: response.data };
  },
});

/** Links a new ticket with the request that the run fulfils. */
async function linkToRequest(
  { run, perform, log }: Pick<StepTools, "run" | "perform" | "log">,
  plural: string,
  ticketMade: unknown,
): Promise<void> {
  if (run.triggerType !== "request") return;
  const { input } = run.trigger as { readonly input?: { readonly id?: unknown } };
  const { id } = ticketMade as { readonly id?: unknown };
  if (typeof input?.id !== "string" || typeof id !== "string") return;
  try {
    await perform(`${plural}.add_link`, { params: { id }, body: { ticketId: input.id } });
  } catch (error) {
    // The permission to create tickets does not include linking, so the ticket is created without the link.
    if (!(error instanceof StepFailure)) throw error;
    log("warn", `The ticket was not linked to the request: ${error.message}`);
  }
}
