import { NobodyBehind } from "#domains/identity/accounts/index.ts";
import * as types from "#domains/workflows/index.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { CAUSATION_DEPTH_MAX } from "#kernel/log/event.ts";
import { runAsSystem } from "#kernel/operation/act.ts";
import { derivedId, timeOfId } from "#kernel/schema/id.ts";
import { waitForCallStep, waitForFormStep } from "../calls/call-state.ts";
import { executor, type StepResult, type StepTools } from "./executor.ts";
import { stateStep } from "../state/state-step.ts";
import { http } from "./http-step.ts";
import { pureExecutors } from "./pure-executors.ts";
import { StepFailure } from "./step-error.ts";
import { runActor } from "../engine/run-context.ts";
import { ChainTooLong, takeLink } from "../start/chain-bound.ts";
import { tellRefusedStart } from "../start/chain-cut.ts";
import { givenFilesPart } from "../start/given-files.ts";
import { startInline, writeRunStart } from "../start/start-run.ts";

const publishEvent = executor({
  type: types.publishEvent,
  async run({ topic, type, payload = {} }, { perform }) {
    const body = { type, payload };
    return {
      output: responseData(await perform("topics.publish", { params: { name: topic }, body })),
    };
  },
});

const notify = executor({
  type: types.notify,
  async run({ userIds, title, body = "" }, { perform }) {
    return {
      output: responseData(await perform("notifications.send", { body: { userIds, title, body } })),
    };
  },
});

const savedQuery = executor({
  type: types.savedQuery,
  async run({ queryId, params, limit }, { perform }) {
    const body = { ...(params && { params }), ...(limit !== undefined && { limit }) };
    const answer = await perform("queries.run_saved", { params: { id: queryId }, body });
    return { output: responseData(answer) };
  },
});

const savedReport = executor({
  type: types.savedReport,
  async run({ reportId, filter, ...period }, { perform }) {
    const query = { ...period, ...(filter && { filter: JSON.stringify(filter) }) };
    const answer = await perform("reports.run", { params: { id: reportId }, query });
    return { output: responseData(answer) };
  },
});

function responseData(answer: unknown): unknown {
  return (answer as { data: unknown }).data;
}

/**
 * Starts a child run of a workflow deployed in this environment and waits for it. The child's id is derived
 * from the step, so a repeated start finds the existing run.
 */
const subworkflow = executor({
  type: types.subworkflow,
  async run({ input, wait = true, ...named }, tools) {
    const { platform, run, path, attempt, idempotencyKey } = tools;
    if (run.cause.depth >= CAUSATION_DEPTH_MAX) {
      throw new StepFailure(
        "chain_too_deep",
        `An automation can trigger at most ${CAUSATION_DEPTH_MAX} other automations in a chain.`,
        {
          retryable: false,
        },
      );
    }
    const partition = { workspace: run.workspace, environment: run.environment };
    // The id contains the time of the parent run, so that lists show both next to each other.
    const id = derivedId("run", `${idempotencyKey} ${attempt}`, timeOfId(run.id));
    tools.noteChildRun(id);
    const existing = await readChildResult(tools, id);
    if (existing) return wait ? existing : { output: { runId: id } };
    const { workflowId, deployment } = await platform.db.read(partition, async (tx) => {
      const found = named.workflowId ?? (await findByName(tx, named.workflow ?? ""));
      return {
        workflowId: found,
        deployment: await types.findDeployment(tx, found, run.environment),
      };
    });
    const version = deployment && (await types.planOfVersion(platform, deployment.versionId));
    if (!deployment || !version) {
      throw new StepFailure("not_deployed", `${workflowId} is not deployed in this environment.`, {
        retryable: false,
      });
    }
    if (deployment.orphaned) {
      throw new StepFailure(NobodyBehind.code, NobodyBehind.title, { retryable: false });
    }
    assertFittingInput(version, input);
    const cause = { ...tools.cause, depth: run.cause.depth + 1 };
    const link = { ...partition, ...cause, workflowId: version.workflowId };
    if (!(await takeLink(platform, link))) {
      await tellRefusedStart(platform, { ...link, cause });
      throw new StepFailure(ChainTooLong.code, ChainTooLong.title, { retryable: false });
    }
    const prepared = await startInline(platform, {
      ...partition,
      id,
      version,
      triggerType: "subworkflow",
      trigger: {
        type: "subworkflow",
        input: input ?? null,
        ...givenFilesPart(await tools.files.findOpenable(input)),
      },
      actor: runActor(run),
      runAs: deployment.deployedBy,
      permissions: deployment.permissions,
      cause,
      ...(wait && { parent: { runId: run.id, path } }),
    });
    await runAsSystem(platform, partition, cause, async (ctx) => {
      // A cancelled parent cancels its existing child runs, so none may be created after the cancellation.
      const parents = await ctx.send(LOCK_UNFINISHED, [run.id]);
      // The step may have lost a race while waiting for the lock.
      if (parents.length === 0 || tools.signal.aborted) {
        throw new StepFailure("cancelled", "The run was cancelled.");
      }
      await Promise.all([
        types.holdVersion(ctx.tx, version.versionId),
        writeRunStart(ctx, prepared),
      ]);
    });
    if (!wait) return { output: { runId: id } };
    return (await readChildResult(tools, id)) ?? { wait: { kind: "child", runId: id } };
  },
});

/** Fails a step with an input that does not match the schema of the other workflow. */
function assertFittingInput({ definition }: types.PlannedVersion, input: unknown): void {
  const trigger = types.findTrigger(definition)?.trigger;
  const [error] = trigger ? types.findInputErrors(trigger, input) : [];
  if (!error) return;
  const message = `The input of ${definition.name} is not valid: /input${error.path} ${error.message}.`;
  throw new StepFailure("invalid_input", message, { retryable: false });
}

/** The workflow with this name. Throws if no workflow or several workflows have the name. */
async function findByName(tx: Tx, name: string): Promise<string> {
  const [first, second] = await types.findWorkflowIds(tx, name);
  if (first !== undefined && second === undefined) return first;
  const [code, message] =
    first === undefined
      ? ["no_such_workflow", `The workflow ${name} does not exist.`]
      : ["ambiguous_workflow", `Several workflows have the name ${name}. Use the id instead.`];
  throw new StepFailure(code, message, { retryable: false });
}

const LOCK_UNFINISHED = `
  select id from runs where id = $1 and status not in ('completed', 'failed', 'cancelled') for share`;

/** Reads the result of a child run, or a wait for it. Undefined if the run does not exist. */
async function readChildResult(
  { platform, run }: StepTools,
  id: string,
): Promise<StepResult | undefined> {
  const { workspace, environment } = run;
  const row = await platform.db.read({ workspace, environment }, (tx) =>
    tx
      .selectFrom("runs")
      .select(["status", "output", "error"])
      .where("id", "=", id)
      .executeTakeFirst(),
  );
  if (!row) return undefined;
  if (row.status === "completed") return { output: row.output };
  if (row.status !== "failed" && row.status !== "cancelled") {
    return { wait: { kind: "child", runId: id } };
  }
  const { message = `The status of the run was ${row.status}.` } = (row.error ?? {}) as {
    message?: string;
  };
  throw new StepFailure("subworkflow_failed", message);
}

const delay = executor({
  type: types.delay,
  run: ({ ms }, { platform }) => ({
    wait: { kind: "delay", untilMs: platform.clock.nowMs() + ms },
  }),
});

const waitForEvent = executor({
  type: types.waitForEvent,
  run({ topic, eventType, filter, since, timeoutMs }, { platform }) {
    // A template can produce an invalid condition.
    const [error] = types.waitForEvent.check?.({ eventType, filter }) ?? [];
    if (error) {
      throw new StepFailure("invalid_config", `${error.path} ${error.message}`, {
        retryable: false,
      });
    }
    return {
      wait: {
        kind: "event",
        topic,
        ...(eventType !== undefined && { eventType }),
        ...(filter !== undefined && { filter }),
        ...(since !== undefined && { since }),
        ...(timeoutMs !== undefined && { untilMs: platform.clock.nowMs() + timeoutMs }),
      },
    };
  },
});

const approval = executor({
  type: types.approval,
  run: ({ approvers, quorum = 1, message, expiresMs }, { platform }) => ({
    wait: {
      kind: "approval",
      approvers,
      quorum,
      ...(message !== undefined && { message }),
      decisions: [],
      ...(expiresMs !== undefined && { untilMs: platform.clock.nowMs() + expiresMs }),
    },
  }),
});

/** The executors that need no other domain. */
export const builtInExecutors = [
  ...pureExecutors,
  http,
  delay,
  waitForEvent,
  waitForCallStep,
  waitForFormStep,
  approval,
  subworkflow,
  savedQuery,
  savedReport,
  stateStep,
  publishEvent,
  notify,
];
