/** Steps that ask through a form: the page and its submission. */
import {
  assertOwnFiles,
  discardFiles,
  FileTooLarge,
  QuotaExceeded,
  type ReceivedFile,
  receiveFiles,
  releaseReceived,
} from "#domains/files/index.ts";
import { isBefore, waitForForm } from "#domains/workflows/index.ts";
import type { Platform } from "#kernel/contract.ts";
import type { Partition } from "#kernel/db/database.ts";
import { htmlErrorRendering } from "#kernel/html/error-page.ts";
import { document, type HtmlDocument, markup } from "#kernel/html/markup.ts";
import { parseAnyBody } from "#kernel/http/request-body.ts";
import { Failure, failure, NotFound, RateLimited, TooLarge } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { html, type HtmlResponse } from "#kernel/operation/response.ts";
import { line, object } from "#kernel/schema/schema.ts";
import { toStorableJson } from "#kernel/schema/json-value.ts";
import {
  foldJournal,
  type JournalRecord,
  stepMessage,
  type StepWait,
  type WaitAnswer,
} from "../engine/journal-record.ts";
import { runActor } from "../engine/run-context.ts";
import { runRef, toRunSummary } from "../engine/run-summary.ts";
import { appendMessages, isOver, readJournals } from "../engine/store.ts";
import { RunCalled } from "../events.ts";
import { toAnswerText } from "../inbound/answer-text.ts";
import { formPage, sentPage } from "../inbound/form-page.ts";
import { takeFormPage } from "../inbound/form-submission.ts";
import { fileFieldsOf } from "../inbound/hook-input.ts";
import { WebhookRunFailed } from "../inbound/run-answer.ts";
import { toWebhookResponse } from "../inbound/webhook-response.ts";
import { RunId } from "../run.ts";
import type { WaitOptions } from "../run-watch.ts";
import { toRunContext } from "../start/queued-start.ts";
import { insertUploads } from "../start/run-files.ts";
import { outputSizeError } from "../steps/step-error.ts";
import { lock, readEntries } from "../store.ts";
import { WaitOver } from "./call-state.ts";
import { awaitNextForm, FORM_WAIT_MAX_MS, type Steps } from "./next-form.ts";
import { type OpenedStep, openStep } from "./opened-step.ts";

const FormSent = failure("form_sent", 409, "This form has already been submitted.");
const FormClosed = failure("form_closed", 410, "This form is closed.");

const params = object({ runId: RunId, token: line(2_000) });
const example = {
  params: {
    runId: "run_01jd0000000000000000000000",
    token: "YXNr.Zm9yIGV4YW1wbGUgb25seSBub3QgdXNl",
  },
};

type FormWait = Extract<StepWait, { readonly kind: "form" }>;
type FormAnswer = Extract<WaitAnswer, { readonly kind: "form" }>["form"];

/** The form of a waiting step; undefined before the step waits. */
function openForm(record: JournalRecord | undefined): FormWait | undefined {
  const { status, wait, answer } = record ?? {};
  const isReached = record && status !== "ready" && status !== "running";
  // After a failed attempt the step waits for a retry, not for a form.
  const isOpening = !isReached || (status === "waiting" && !wait);
  if (isOpening && !answer) return undefined;
  const refusal = findRefusal(record);
  if (refusal) throw refusal;
  return wait?.kind === "form" ? wait : undefined;
}

/** The reason why a step accepts no submission. */
function findRefusal(record: JournalRecord | undefined): Failure | undefined {
  if (record?.answer) return new Failure(FormSent);
  const isOpen = record?.status === "waiting" && record.wait?.kind === "form";
  return isOpen ? undefined : new Failure(FormClosed);
}

async function openFormStep(
  platform: Platform,
  address: { readonly runId: string; readonly token: string },
  caller: { readonly address: string },
): Promise<OpenedStep> {
  const opened = await openStep(platform, address, caller).catch((error: unknown) => {
    throw error instanceof Failure && error.type === WaitOver ? new Failure(FormClosed) : error;
  });
  if (opened.node.type.type !== waitForForm.type) throw new Failure(NotFound);
  return opened;
}

/**
 * The next page for the sender of a submitted form, whose connection may have broken before the page arrived. For a
 * form open to everyone with the address this could be another person.
 */
async function findPageAfter(
  platform: Platform,
  opened: OpenedStep,
): Promise<HtmlResponse | undefined> {
  const { wait, answer } = opened.record ?? {};
  if (wait?.kind !== "form" || answer?.kind !== "form" || wait.shownTo !== "sender") {
    return undefined;
  }
  const sent = { opened, wait, submittedAt: answer.form.submittedAt };
  const page = await awaitPageAfter(platform, sent, { waitMs: 0 });
  return (
    page ?? (isOver(opened.row.status) ? undefined : waitingPage("Your answers were received."))
  );
}

/** The form of a step, if the sender may submit it. */
function openFormOf({ row, record }: OpenedStep): FormWait | undefined {
  if (isOver(row.status)) throw new Failure(FormClosed);
  return openForm(record);
}

export const showRunForm = query({
  id: "runs.show_form",
  route: "GET /resume/{runId}/{token}/form",
  summary: "Show the form of a step",
  description:
    "The page of a `wait_for_form` step. Its URL is `run.resumeUrl` in expressions of the run. Before the step starts, the page says so and checks again automatically. If the user has submitted the previous form of the run, the page redirects to the next form.",
  access: "public",
  params,
  response: html(htmlErrorRendering),
  fails: [FormSent, FormClosed, RateLimited, WebhookRunFailed],
  example,
  async prepare(platform, input, caller) {
    const opened = await openFormStep(platform, input.params, caller);
    const after = await findPageAfter(platform, opened);
    if (after) return after;
    const wait = openFormOf(opened);
    if (!wait) return waitingPage("This form is not open yet.");
    return formPage(wait.form);
  },
  run: async (_ctx, _input, page) => page,
});

const LOOK_AGAIN_SECONDS = 3;

/** A page that reloads itself. Texts of a step that has not started can still contain templates. */
function waitingPage(text: string): HtmlDocument {
  const title = "One moment";
  const page = document({
    title,
    body: markup`<h1>${title}</h1>
<div role="status"><p>${text} The page refreshes automatically.</p></div>`,
  });
  return { ...page, headers: { ...page.headers, refresh: String(LOOK_AGAIN_SECONDS) } };
}

/** The result of a submission: a page to show, or answers to write. */
type TakenForm =
  | { readonly page: HtmlResponse; readonly status?: number }
  | {
      readonly opened: OpenedStep;
      readonly wait: FormWait;
      readonly partition: Partition;
      readonly sent: FormAnswer;
      readonly uploads: readonly ReceivedFile[];
    };

interface SentStep {
  readonly opened: OpenedStep;
  readonly wait: FormWait;
  readonly submittedAt: string;
}

export const sendRunForm = command({
  id: "runs.send_form",
  route: "POST /resume/{runId}/{token}/form",
  summary: "Submit the form of a step",
  description:
    "Accepts the form of the page. After the last page, the run continues, and the output of the step contains the values. The next page is the form of a further step, the response of the run, or a confirmation. If a value is not valid, the page is shown again.",
  access: "public",
  readsRequest: "files",
  longRunning: true,
  params,
  response: html(htmlErrorRendering),
  emits: [RunCalled],
  // A page before the last one does not end the wait.
  allowNoop: true,
  fails: [FormSent, FormClosed, RateLimited, WebhookRunFailed, FileTooLarge, QuotaExceeded],
  example,
  async prepare(platform, input, caller): Promise<TakenForm> {
    const opened = await openFormStep(platform, input.params, caller);
    const after = await findPageAfter(platform, opened);
    if (after) return { page: after };
    // Check before the body is read, so that files of unauthorised callers are not stored.
    const wait = openFormOf(opened);
    if (!wait) throw new Failure(NotFound);
    const { form } = wait;
    const { row } = opened;
    const partition = { workspace: row.workspace_id, environment: row.environment };
    const { request, upload } = caller;
    const { body, files: uploads } = upload
      ? await receiveFiles(platform, partition, upload, { fields: fileFieldsOf(form) })
      : { body: request && parseAnyBody(request.bytes, request.mediaType), files: [] };
    try {
      assertOwnFiles(body, uploads);
      const taken = takeFormPage(form, body);
      if (!("answers" in taken)) {
        await discardFiles(platform, partition, uploads);
        return taken;
      }
      const sent = toStorableJson({
        answers: taken.answers,
        submittedAt: platform.clock.now().toISOString(),
      });
      if (outputSizeError(sent)) throw new Failure(TooLarge);
      return { opened, wait, partition, sent, uploads };
    } catch (error) {
      await discardFiles(platform, partition, uploads);
      throw error;
    }
  },
  async run(
    ctx,
    _input,
    taken,
  ): Promise<(HtmlResponse & { readonly sentStep?: SentStep }) | Failure> {
    if (!("sent" in taken)) {
      return { ...taken.page, ...(taken.status !== undefined && { status: taken.status }) };
    }
    const { opened, wait, partition, sent, uploads } = taken;
    const { path, version } = opened;
    ctx.switchPartition(partition);
    const row = await lock(ctx.tx, opened.row.id);
    const entries = await readEntries(ctx.tx, row.id);
    const record = foldJournal(entries.flatMap(({ records }) => [...records])).get(path);
    const refusal = isOver(row.status) ? new Failure(FormClosed) : findRefusal(record);
    if (refusal) {
      // Rejected requests must release their files: many can arrive at once, and files stay stored for a day.
      await releaseReceived(ctx, uploads);
      return refusal;
    }
    const run = toRunContext(row, version);
    await insertUploads(ctx, run, uploads);
    await appendMessages(ctx, row.id, [
      stepMessage(path, { answer: { kind: "form", form: sent } }),
    ]);
    ctx.setActor(runActor(run));
    const summary = toRunSummary(run, { status: row.status }, ctx.now);
    ctx.emit(RunCalled, runRef(run), { ...summary, stepId: path, early: false });
    const { submittedAt } = sent;
    return { ...sentPage(wait.form, undefined), sentStep: { opened, wait, submittedAt } };
  },
  async afterCommit(platform, _input, { value, caller }) {
    const { sentStep } = value as { readonly sentStep?: SentStep };
    if (!sentStep) return undefined;
    const wait = { waitMs: FORM_WAIT_MAX_MS, gone: caller.disconnected };
    return awaitPageAfter(platform, sentStep, wait);
  },
});

/** Waits for the next page after a form: the next form, or the response of the run. */
async function awaitPageAfter(
  platform: Platform,
  sent: SentStep,
  options: WaitOptions,
): Promise<HtmlResponse | undefined> {
  const { opened, wait } = sent;
  const { row, path, version } = opened;
  const { plan } = version;
  if (!plan.asksSender) return undefined;
  // Only the person who started the run gets the response.
  const isReader = wait.shownTo === "sender";
  const partition = { workspace: row.workspace_id, environment: row.environment };
  const isAnswered = (steps: Steps): boolean =>
    !isReader || findResponse(sent, steps) !== undefined;
  const about = { runId: row.id, graph: plan.graph, sender: path, isAnswered };
  const next = await awaitNextForm(platform, partition, about, options);
  if (next.path !== undefined) return { goTo: next.path };
  if (!isReader) return undefined;
  const journals = await readJournals(platform, [row.id]);
  const steps = foldJournal(journals.flatMap(({ records }) => [...records]));
  const response = findResponse(sent, steps);
  if (!response && next.hasFailed) throw new Failure(WebhookRunFailed);
  return response && sentPage(wait.form, toAnswerText({ response }));
}

/** The response to a submission. A form on a parallel branch belongs to the recipient of that form. */
function findResponse({ opened: { path, version }, submittedAt }: SentStep, steps: Steps) {
  const since = [...steps].filter(
    ([answering, { finishedAt = "" }]) =>
      finishedAt >= submittedAt && isBefore(version.plan.graph, path, answering),
  );
  return toWebhookResponse(version.plan, new Map(since));
}
