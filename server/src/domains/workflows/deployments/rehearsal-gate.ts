/**
 * The rehearsal gate of a deployment: a version is deployed only if a rehearsal of past runs gives the same results
 * or allowed differences. The runs domain provides the rehearsal.
 */
import { isDeepStrictEqual } from "node:util";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import { contributionsTo } from "#kernel/extension-point.ts";
import { Failure, failure } from "#kernel/operation/failure.ts";
import { definitionErrors } from "../checks/check-workflow.ts";
import type { Definition } from "../definition/index.ts";
import { DeployFailed } from "../events.ts";
import * as workflows from "../store.ts";
import { type StoredWorkflow, workflowRef } from "../workflow.ts";
import {
  LAST_RUNS_DEFAULT,
  type RehearsalGate,
  type RehearsalResult,
  type RehearsalVerdict,
  RehearserPoint,
} from "./rehearsal.ts";
import { findDeployment } from "./store.ts";
import { chooseVersion } from "./version-choice.ts";

/** The rehearsal of a deployment, done before its transaction. */
export interface GateRehearsal {
  readonly gate: RehearsalGate;
  readonly definition: Definition;
  readonly result: RehearsalResult;
}

export const RehearsalRefused = failure(
  "rehearsal_refused",
  409,
  "Past runs would differ in ways that the rehearsal gate of this environment does not allow.",
);
export const RehearsalOutdated = failure(
  "rehearsal_outdated",
  409,
  "The definition or the gate changed during the rehearsal. Try again.",
);

interface GatedRequest {
  readonly versionId?: string;
  readonly requireRehearsal?: RehearsalGate | null;
}

/** Rehearses the version to deploy, if a gate requires it. */
export async function rehearseForGate(
  platform: Platform,
  caller: Caller,
  id: string,
  request: GatedRequest = {},
): Promise<GateRehearsal | undefined> {
  const { environment, workspace } = caller;
  if (!workspace || request.requireRehearsal === null) return undefined;
  const found = await platform.db.read({ workspace: workspace.key, environment }, async (tx) => {
    const deployment = await findDeployment(tx, id, environment);
    const gate = request.requireRehearsal ?? deployment?.rehearsalGate;
    if (!gate) return undefined;
    const workflow = await workflows.get(tx, id);
    const version = await chooseVersion({ tx, caller }, workflow, { ...request, rollback: false });
    const { definition } = version ?? workflow;
    const errors = await definitionErrors({ tx, services: platform }, definition);
    // The deployment is rejected for that reason anyway.
    return errors.length > 0 || workflow.status === "archived" ? undefined : { gate, definition };
  });
  if (!found) return undefined;
  const { gate, definition } = found;
  const [rehearser] = contributionsTo(RehearserPoint, platform.contributions);
  if (!rehearser) throw new Error("Nobody rehearses workflows.");
  const { lastRuns = LAST_RUNS_DEFAULT } = gate;
  const result = await rehearser(platform, caller, { workflowId: id, definition, lastRuns });
  return { gate, definition, result };
}

/** Rejects a deployment that does not pass its gate. */
export async function refuseRehearsed(
  ctx: WriteContext<typeof DeployFailed>,
  workflow: StoredWorkflow,
  published: {
    readonly versionId: string | null;
    readonly definition: Definition;
    readonly requireRehearsal: RehearsalGate | null | undefined;
    readonly rehearsal: GateRehearsal | undefined;
  },
): Promise<Failure | undefined> {
  const { rehearsal, requireRehearsal, definition } = published;
  const { environment } = ctx.caller;
  if (requireRehearsal === null) return undefined;
  const gate =
    requireRehearsal ?? (await findDeployment(ctx.tx, workflow.id, environment))?.rehearsalGate;
  if (!gate) return undefined;
  const isCurrent =
    rehearsal !== undefined &&
    isDeepStrictEqual(rehearsal.gate, gate) &&
    isDeepStrictEqual(rehearsal.definition, definition);
  if (!isCurrent) throw new Failure(RehearsalOutdated);
  const reasons = listReasons(gate, rehearsal.result);
  if (reasons.length === 0) return undefined;
  ctx.emit(DeployFailed, workflowRef(workflow), {
    kind: "workflow",
    id: workflow.id,
    name: workflow.definition.name,
    environment,
    versionId: published.versionId,
    reasons: reasons.map((message) => ({ path: "", message })),
  });
  const { counts } = rehearsal.result;
  return new Failure(RehearsalRefused, { detail: reasons.join(" "), extra: { counts } });
}

function listReasons(gate: RehearsalGate, result: RehearsalResult): string[] {
  const { counts, hidden, leftOut } = result;
  const allowed = new Set<RehearsalVerdict>(gate.allow);
  const checks: [RehearsalVerdict, number, string][] = [
    ["other_branch", counts.otherBranch, "would go another way"],
    ["other_output", counts.otherOutput, "would calculate or send something different"],
    ["would_fail", counts.wouldFail, "would fail"],
    ["needs_outcome", counts.needsOutcome, "would reach a step without a recorded output"],
    // These results are unknown too.
    ["needs_outcome", leftOut, "are too large, or took too long"],
  ];
  const reasons = checks
    .filter(([verdict, runs]) => runs > 0 && !allowed.has(verdict))
    .map(([, runs, words]) => `${runs} of the past runs ${words}.`);
  if (hidden === 0) return reasons;
  return [...reasons, `You can't view ${hidden} of the past runs. This requires traces:read.`];
}
