import Type from "typebox";
import { holdVersion } from "#domains/workflows/index.ts";
import type { Outside } from "#kernel/access/caller.ts";
import { Failure, failure, NotFound, RateLimited } from "#kernel/operation/failure.ts";
import { command } from "#kernel/operation/operation.ts";
import { type Written, written } from "#kernel/operation/response.ts";
import { id, line, object } from "#kernel/schema/schema.ts";
import { fold } from "../engine/journal-record.ts";
import { type Beginning, headStart, writeBeginning } from "../engine/start-run.ts";
import { readJournals } from "../engine/store.ts";
import { turnOf } from "../engine/checkpoint.ts";
import { startEvents } from "../events.ts";
import { untilOver } from "../run-watch.ts";
import { answerOf } from "./webhook-response.ts";
import { findHook } from "./hook.ts";
import { readInput, SignatureInvalid } from "./reception.ts";

const WAIT_MAX_MS = 30_000;

const RunFailed = failure("run_failed", 500, "The workflow failed before it gave an answer.");

const Accepted = Type.Object(
  { runId: id("run"), status: Type.String({ description: "Of the run, by now" }) },
  { title: "AcceptedRequest" },
);

/** What a request came to: an answer, and the run that is to give another one. */
interface Received extends Written {
  readonly awaited?: Beginning;
}

export const receiveRequest = command({
  id: "hooks.receive",
  route: "POST /hooks/{workspace}/{token}",
  summary: "Start a workflow from outside, by its own address",
  description:
    "The address is `trigger.url` of a workflow with a `webhook` trigger. Any body will do: JSON, a " +
    "form and other text reach expressions as `trigger.input.body`, beside `headers` and `query`. Where " +
    "the trigger demands a signature, the request must have it. The answer is 202 with the run's id; " +
    "of a workflow with a `respond` step it is what that step says, as soon as the run is over, or 202 " +
    `after ${WAIT_MAX_MS / 1_000} seconds. An answer sets no cookies.`,
  access: "public",
  readsRequest: true,
  waits: true,
  params: object({ workspace: line(200), token: line(200) }),
  query: object({
    environment: Type.Optional(
      Type.Enum(["production", "staging", "development"], {
        description: "Where it is deployed; `production` unless given",
      }),
    ),
  }),
  reply: written<Received>(Accepted, "What the workflow answers."),
  emits: startEvents,
  fails: [SignatureInvalid, RateLimited, RunFailed],
  example: { params: { workspace: "default", token: "Zm9yIGV4YW1wbGUgb25seSBub3QgdXNl" } },
  async prepare(outside, { params, query: { environment = "production" } }, caller) {
    const { workspace: slug, token } = params;
    const hook = await findHook(outside, { slug, token, environment });
    if (!hook) throw new Failure(NotFound);
    outside.throttle.assert(`hook ${hook.workflowId}`, outside.settings.rateLimit);
    const { cause, actor } = caller;
    return headStart(outside, {
      workspace: hook.workspace,
      environment,
      version: hook.version,
      triggerType: "webhook",
      trigger: { type: "webhook", input: await readInput(outside, hook, caller) },
      actor,
      runAs: hook.deployedBy,
      permissions: hook.permissions,
      cause: { ...cause, depth: cause.depth + 1 },
    });
  },
  async run(ctx, _input, beginning): Promise<Received | Failure> {
    const { facts, start, execution, over } = beginning;
    const { plan, versionId } = start.version;
    const answer = execution && answerOf(plan, execution.steps);
    const status = execution
      ? turnOf(execution, over).status
      : facts.limited
        ? "queued"
        : "running";
    ctx.enter({ workspace: facts.workspace, environment: facts.environment });
    const held = over ? true : holdVersion(ctx.tx, versionId);
    const [, isThere] = await Promise.all([writeBeginning(ctx, beginning), held]);
    if (!isThere) throw new Failure(NotFound);
    if (answer) return answer;
    const accepted = acceptedAs(facts.id, status);
    if (!plan.answers) return accepted;
    if (!over) return { ...accepted, awaited: beginning };
    return status === "failed" ? failed(facts.id) : accepted;
  },
  async follow(outside, _input, { value: { awaited }, caller }) {
    return awaited && whenAnswered(outside, awaited, caller.gone);
  },
});

/** What a run that has begun comes to. */
async function whenAnswered(
  outside: Outside,
  { facts, start }: Beginning,
  gone: AbortSignal | undefined,
): Promise<Received | undefined> {
  const { id: runId, workspace, environment } = facts;
  const patience = { waitMs: WAIT_MAX_MS, gone };
  const run = await untilOver(outside, { workspace, environment }, runId, patience);
  const entries = await readJournals(outside, [runId]);
  const steps = fold(entries.flatMap(({ records }) => [...records]));
  const answer = answerOf(start.version.plan, steps);
  if (answer) return answer;
  if (run?.status === "failed" || run?.status === "cancelled") throw failed(runId);
  return run && acceptedAs(runId, run.status);
}

function acceptedAs(runId: string, status: string): Received {
  const body = JSON.stringify({ data: { runId, status } });
  return { status: 202, headers: { "content-type": "application/json; charset=utf-8" }, body };
}

/** Why is for those who may read the run. */
function failed(runId: string): Failure {
  return new Failure(RunFailed, { extra: { runId } });
}
