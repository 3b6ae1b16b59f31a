import * as types from "#domains/workflows/index.ts";
import { actBecause } from "#kernel/acting.ts";
import { DEPTH_MAX } from "#kernel/log/event.ts";
import { derivedId, timeOfId } from "#kernel/schema/id.ts";
import { executor, StepFailure, type StepResult, type StepTools } from "../engine/executor.ts";
import { actorOf } from "../engine/run-context.ts";
import { headStart, writeBeginning } from "../engine/start-run.ts";

/**
 * Starts a run of another workflow, as deployed in this environment, and waits for it. The run's id
 * follows from this step, so that a step which is begun again finds the run that it started.
 */
export const subworkflow = executor({
  type: types.subworkflow,
  async run({ workflowId, input }, tools) {
    const { outside, run, path, attempt, idempotencyKey } = tools;
    if (run.cause.depth >= DEPTH_MAX) {
      throw new StepFailure("chain_too_deep", `A chain ends after ${DEPTH_MAX} links.`, {
        retryable: false,
      });
    }
    const partition = { workspace: run.workspace, environment: run.environment };
    // It stands beside its parent in lists.
    const id = derivedId("run", `${idempotencyKey} ${attempt}`, timeOfId(run.id));
    const earlier = await resultOf(tools, id);
    if (earlier) return earlier;
    const deployment = await outside.db.read(partition, (tx) =>
      types.findDeployment(tx, workflowId, run.environment),
    );
    const version = deployment && (await types.planOf(outside, deployment.versionId));
    if (!deployment || !version) {
      throw new StepFailure("not_deployed", `${workflowId} is not deployed here.`, {
        retryable: false,
      });
    }
    const cause = { ...run.cause, depth: run.cause.depth + 1 };
    const beginning = await headStart(outside, {
      ...partition,
      id,
      version,
      triggerType: "subworkflow",
      trigger: { type: "subworkflow", input: input ?? null },
      actor: actorOf(run),
      runAs: deployment.deployedBy,
      permissions: deployment.permissions,
      cause,
      parent: { runId: run.id, path },
    });
    await actBecause(outside, partition, cause, async (ctx) => {
      // Whoever cancels the run that waits takes its children with it: those that it can see.
      const waiting = await ctx.send(STILL_GOING, [run.id]);
      if (waiting.length === 0) throw new StepFailure("cancelled", "The run was ended.");
      await Promise.all([
        types.holdVersion(ctx.tx, version.versionId),
        writeBeginning(ctx, beginning),
      ]);
    });
    return (await resultOf(tools, id)) ?? { wait: { kind: "child", runId: id } };
  },
});

const STILL_GOING = `
  select id from runs where id = $1 and status not in ('completed', 'failed', 'cancelled') for share`;

/** What a child run gave, or that it is to be waited for; undefined when there is none. */
async function resultOf({ outside, run }: StepTools, id: string): Promise<StepResult | undefined> {
  const { workspace, environment } = run;
  const row = await outside.db.read({ workspace, environment }, (tx) =>
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
  const { message = `The run was ${row.status}.` } = (row.error ?? {}) as { message?: string };
  throw new StepFailure("subworkflow_failed", message);
}
