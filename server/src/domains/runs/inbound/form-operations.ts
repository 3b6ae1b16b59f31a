import Type from "typebox";
import { FileTooLarge, QuotaExceeded, type ReceivedFile } from "#domains/files/index.ts";
import { findInputErrors } from "#domains/workflows/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { htmlErrorRendering } from "#kernel/html/error-page.ts";
import { Failure, RateLimited } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { html, type HtmlResponse } from "#kernel/operation/response.ts";
import { classifyAddress } from "#kernel/outbound/ssrf-guard.ts";
import { line, object } from "#kernel/schema/schema.ts";
import { isOver } from "../engine/store.ts";
import { startEvents } from "../events.ts";
import type { PreparedStart } from "../start/start-run.ts";
import { toAnswerText } from "./answer-text.ts";
import { formPage, sentPage } from "./form-page.ts";
import { type ShownPage, takeFormPage } from "./form-submission.ts";
import { readBody } from "./hook-input.ts";
import { dropUploads, findInbound, type FoundTrigger, startFound } from "./hook-trigger.ts";
import { awaitNextForm, FORM_WAIT_MAX_MS, type Steps } from "../calls/next-form.ts";
import { awaitAnswer, respondModeOf, WebhookRunFailed, writeInbound } from "./run-answer.ts";
import { toWebhookResponse } from "./webhook-response.ts";

/**
 * Pages per minute of one form or chat. A lower limit per client address keeps one client from blocking the others.
 */
const PAGES_PER_MINUTE = 600;
const PAGES_OF_ADDRESS = 60;

export const inboundParams = object({
  workspace: line(200),
  token: line(200),
  triggerId: Type.Optional(line(40, "Id of an additional trigger")),
});
export const inboundQuery = object({
  environment: Type.Optional(
    Type.Enum(["production", "staging", "development"], {
      description: "Environment. Default: `production`",
    }),
  ),
});
export const inboundExample = {
  params: { workspace: "default", token: "Zm9yIGV4YW1wbGUgb25seSBub3QgdXNl" },
};

export interface InboundInput {
  readonly params: {
    readonly workspace: string;
    readonly token: string;
    readonly triggerId?: string;
  };
  readonly query: { readonly environment?: "production" | "staging" | "development" };
}

/** Finds the trigger of a page, and applies the rate limit. */
export async function openInbound<K extends "form" | "chat">(
  platform: Platform,
  type: K,
  { params, query: { environment = "production" } }: InboundInput,
  { address }: Pick<Caller, "address">,
): Promise<FoundTrigger<K>> {
  const { workspace, token, triggerId } = params;
  const words = triggerId === undefined ? [] : [triggerId];
  const limitTo = (name: string, most: number): void => {
    const { rateLimit } = platform.settings;
    // A limit of 0 means no limit.
    platform.rateLimit.assert(name, rateLimit === 0 ? 0 : Math.min(rateLimit, most));
  };
  limitTo(`${type} from ${classifyAddress(address)}`, PAGES_OF_ADDRESS);
  const [found] = await findInbound(platform, type, { workspace, token, words, environment });
  if (!found) throw new Error("A trigger was found that is none.");
  limitTo(`${type} ${found.target.workflowId} ${found.named.id}`, PAGES_PER_MINUTE);
  return found;
}

export const showForm = query({
  id: "hooks.show_form",
  route: "GET /forms/{workspace}/{token}",
  aliases: ["GET /forms/{workspace}/{token}/{triggerId}"],
  summary: "Show the form of a workflow",
  description: "The page of a `form` trigger. Its URL is `trigger.url`. It works without scripts.",
  access: "public",
  params: inboundParams,
  query: inboundQuery,
  response: html(htmlErrorRendering),
  fails: [RateLimited],
  example: inboundExample,
  async prepare(platform, input, caller) {
    const { named } = await openInbound(platform, "form", input, caller);
    return formPage(named.trigger);
  },
  run: async (_ctx, _input, page) => page,
});

interface SentForm {
  readonly found: FoundTrigger<"form">;
  readonly runId: string;
}

export const sendForm = command({
  id: "hooks.send_form",
  route: "POST /forms/{workspace}/{token}",
  aliases: ["POST /forms/{workspace}/{token}/{triggerId}"],
  summary: "Submit the form of a workflow",
  description:
    "Accepts the form of the page. The last page starts a run with the values as `trigger.input`. The next page is the form of a further step, the response of the run, or a confirmation. If a value is not valid, the page is shown again.",
  access: "public",
  readsRequest: "files",
  longRunning: true,
  params: inboundParams,
  query: inboundQuery,
  response: html(htmlErrorRendering),
  emits: startEvents,
  // Only the last page starts a run.
  allowNoop: true,
  fails: [RateLimited, WebhookRunFailed, FileTooLarge, QuotaExceeded],
  example: inboundExample,
  async prepare(platform, input, caller) {
    const found = await openInbound(platform, "form", input, caller);
    const { body, uploads } = await readBody(platform, found, caller);
    const made = await takePage(platform, found, { body, uploads, caller }).catch(
      async (error: unknown) => {
        await dropUploads(platform, found, uploads);
        throw error;
      },
    );
    if (!("prepared" in made)) await dropUploads(platform, found, uploads);
    return made;
  },
  async run(ctx, _input, made): Promise<HtmlResponse & { readonly sent?: SentForm }> {
    if (!("prepared" in made)) {
      return { ...made.page, ...(made.status !== undefined && { status: made.status }) };
    }
    const { found, prepared } = made;
    const answer = await writeInbound(ctx, found, prepared);
    const page = sentPage(found.named.trigger, toAnswerText(answer));
    const goesOn =
      answer.isOpen ||
      (found.target.version.plan.asksSender &&
        answer.status !== "duplicate" &&
        !isOver(answer.status));
    return goesOn ? { ...page, sent: { found, runId: answer.runId } } : page;
  },
  async afterCommit(platform, _input, { value, caller }) {
    const { sent } = value as { readonly sent?: SentForm };
    if (!sent) return undefined;
    const { found, runId } = sent;
    const { workspace, version } = found.target;
    const wait = { waitMs: FORM_WAIT_MAX_MS, gone: caller.disconnected };
    if (version.plan.asksSender) {
      const partition = { workspace, environment: found.environment };
      const { plan } = version;
      const mode = respondModeOf(found);
      const isAnswered = (steps: Steps): boolean =>
        mode === "at_once" ||
        (mode === "respond_step" && toWebhookResponse(plan, steps) !== undefined);
      const from = { runId, graph: plan.graph, sender: undefined, isAnswered };
      const next = await awaitNextForm(platform, partition, from, wait);
      if (next.path !== undefined) return { goTo: next.path };
    }
    const answer = await awaitAnswer(platform, found, runId, {
      ...wait,
      ...(version.plan.asksSender && { waitMs: 0 }),
    });
    if (answer.status === "failed" && !answer.response) throw new Failure(WebhookRunFailed);
    return sentPage(found.named.trigger, toAnswerText(answer));
  },
});

/** The next page of a form, or the run started by the last page. */
type TakenPage =
  | ShownPage
  | { readonly found: FoundTrigger<"form">; readonly prepared: PreparedStart };

async function takePage(
  platform: Platform,
  found: FoundTrigger<"form">,
  {
    body,
    uploads,
    caller,
  }: {
    readonly body: unknown;
    readonly uploads: readonly ReceivedFile[] | undefined;
    readonly caller: Caller;
  },
): Promise<TakenPage> {
  const { trigger } = found.named;
  const taken = takeFormPage(trigger, body, (answers) => findInputErrors(trigger, answers));
  if (!("answers" in taken)) return taken;
  const submittedAt = platform.clock.now().toISOString();
  const fields = { input: taken.answers, submittedAt, ...(uploads && { uploads }) };
  return { found, prepared: await startFound(platform, found, caller, fields) };
}
