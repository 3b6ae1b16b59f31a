/** Calls to a run. A call goes to the waiting step, or is stored until the step starts. Forms are never stored. */
import { checkForm, TIMEOUT_BRANCH, waitForCall, waitForForm } from "#domains/workflows/index.ts";
import type { WriteContext } from "#kernel/contract.ts";
import { runAsSystem } from "#kernel/operation/act.ts";
import { Failure, failure } from "#kernel/operation/failure.ts";
import { type JournalRecord, stepMessage } from "../engine/journal-record.ts";
import { appendMessages } from "../engine/store.ts";
import { executor } from "../steps/executor.ts";
import { outputSizeError, StepFailure } from "../steps/step-error.ts";

export const AlreadyCalled = failure(
  "already_called",
  409,
  "The step has already received its request.",
);
export const WaitOver = failure("wait_over", 410, "The step no longer waits for a request.");

/** The call, used as the step output. */
export interface CallRequest {
  readonly body: unknown;
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly method: string;
  readonly receivedAt: string;
}

/** Throws unless the step accepts a call. Returns true if the step waits. */
export function assertCallable(record: JournalRecord | undefined): boolean {
  if (!record || record.status === "ready" || record.status === "running") return false;
  const { status, answer, branch } = record;
  if (status === "waiting" && !answer) return true;
  const isCalled = answer !== undefined || (status === "completed" && branch !== TIMEOUT_BRANCH);
  throw new Failure(isCalled ? AlreadyCalled : WaitOver);
}

// A stored call is replaced if an earlier attempt of the loop already used it.
const KEEP = `
  insert into run_calls as c (run_id, path, request) values ($1, $2, $3)
  on conflict (run_id, path) do update set request = excluded.request, taken_by = null
   where c.taken_by is not null
  returning run_id`;

/** Delivers a call to a step. The run must be locked. */
export async function deliverCall(
  ctx: WriteContext<never>,
  {
    runId,
    path,
    waits,
  }: { readonly runId: string; readonly path: string; readonly waits: boolean },
  call: CallRequest,
): Promise<void> {
  if (!waits) {
    const kept = await ctx.send(KEEP, [runId, path, JSON.stringify(call)]);
    if (kept.length === 0) throw new Failure(AlreadyCalled);
  }
  // Also for a stored call: the runner may have started to wait without having written it yet.
  await appendMessages(ctx, runId, [stepMessage(path, { answer: { kind: "call", call } })]);
}

const TAKE = `
  update run_calls set taken_by = $3
   where run_id = $1 and path = $2 and (taken_by is null or taken_by = $3)
  returning request`;

export const waitForCallStep = executor({
  type: waitForCall,
  async run({ timeoutMs }, { platform, run, path, cause, idempotencyKey }) {
    const partition = { workspace: run.workspace, environment: run.environment };
    const [kept] = await runAsSystem(platform, partition, cause, (ctx) =>
      ctx.send<{ request: CallRequest }>(TAKE, [run.id, path, idempotencyKey]),
    );
    if (kept) return { output: kept.request, branch: "called" };
    const untilMs = timeoutMs === undefined ? undefined : platform.clock.nowMs() + timeoutMs;
    return { wait: { kind: "call", ...(untilMs !== undefined && { untilMs }) } };
  },
});

/** Waits for a form. The wait stores the content of the page. */
export const waitForFormStep = executor({
  type: waitForForm,
  run({ timeoutMs, shownTo = "link", ...form }, { platform }) {
    // Templates can produce anything that matches the schema.
    const [error] = checkForm(form);
    if (error) {
      throw new StepFailure("invalid_config", `${error.path} ${error.message}`, {
        retryable: false,
      });
    }
    // The form is stored with the run and sent to everyone who opens the page.
    if (outputSizeError(form)) {
      throw new StepFailure("form_too_large", "The form is larger than 1 MiB.", {
        retryable: false,
      });
    }
    const untilMs = timeoutMs === undefined ? undefined : platform.clock.nowMs() + timeoutMs;
    return { wait: { kind: "form", form, shownTo, ...(untilMs !== undefined && { untilMs }) } };
  },
});
