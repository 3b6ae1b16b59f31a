/**
 * The rehearsal gate of a deployment: a version is deployed only when past runs, gone through it in memory, end as they
 * did, or differ in ways that are allowed. The domain that runs workflows does the rehearsal.
 */
import { isDeepStrictEqual } from "node:util";
import Type, { type Static } from "typebox";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import { contributionsTo, extensionPoint } from "#kernel/extension-point.ts";
import { Failure, failure } from "#kernel/operation/failure.ts";
import { nullable, object } from "#kernel/schema/schema.ts";
import { definitionErrors } from "../checks/check-workflow.ts";
import type { Definition } from "../definition/index.ts";
import { DeployFailed } from "../events.ts";
import * as workflows from "../store.ts";
import { type StoredWorkflow, workflowRef } from "../workflow.ts";
import { findDeployment } from "./store.ts";
import { chooseVersion } from "./version-choice.ts";

export const REHEARSAL_VERDICTS = [
  "same",
  "other_branch",
  "other_output",
  "would_fail",
  "needs_outcome",
] as const;
type RehearsalVerdict = (typeof REHEARSAL_VERDICTS)[number];

const runsOf = (description: string) => Type.Integer({ minimum: 0, description });

/** How many runs had each verdict. */
export const RehearsalCounts = Type.Object(
  {
    same: runsOf("Runs that would end as they did"),
    otherBranch: runsOf("Runs that would go another way"),
    otherOutput: runsOf("Runs that would compute or send something else"),
    wouldFail: runsOf("Runs that would fail, or fail in another way"),
    needsOutcome: runsOf("Runs that come to a step whose outcome was never recorded"),
  },
  { title: "RehearsalCounts" },
);
export type RehearsalCounts = Static<typeof RehearsalCounts>;

export const LAST_RUNS_MAX = 500;
export const LAST_RUNS_DEFAULT = 100;

export const LastRuns = Type.Integer({
  minimum: 1,
  maximum: LAST_RUNS_MAX,
  description: `How many runs, the newest; ${LAST_RUNS_DEFAULT} unless given`,
});

export const RehearsalGate = object(
  {
    allow: Type.Array(Type.Enum(REHEARSAL_VERDICTS.filter((verdict) => verdict !== "same")), {
      maxItems: 4,
      uniqueItems: true,
      description: "The differences that are allowed; none when it is empty",
    }),
    lastRuns: Type.Optional(LastRuns),
  },
  { title: "RehearsalGate" },
);
export type RehearsalGate = Static<typeof RehearsalGate>;

/** Stays as it is when absent; null takes it away. */
export const GateInput = nullable(RehearsalGate);

/** The result of a rehearsal, as far as the gate asks. */
export interface RehearsalResult {
  readonly counts: RehearsalCounts;
  /** Runs that the caller may not see. */
  readonly hidden: number;
}

/** Rehearses a definition with the newest runs of the caller's environment. */
export type Rehearser = (
  platform: Platform,
  caller: Caller,
  request: {
    readonly workflowId: string;
    readonly definition: Definition;
    readonly lastRuns: number;
  },
) => Promise<RehearsalResult>;

/** Where the domain that runs workflows rehearses them. */
export const RehearserPoint = extensionPoint<Rehearser>("workflows.rehearser");

/** The rehearsal of a publication, done before its transaction. */
export interface GateRehearsal {
  readonly gate: RehearsalGate;
  readonly definition: Definition;
  readonly result: RehearsalResult;
}

export const RehearsalRefused = failure(
  "rehearsal_refused",
  409,
  "Past runs would differ in ways that the gate of this environment does not allow.",
);
export const RehearsalOutdated = failure(
  "rehearsal_outdated",
  409,
  "The definition or the gate changed while it was rehearsed; try again.",
);

interface GatedRequest {
  readonly versionId?: string;
  readonly requireRehearsal?: RehearsalGate | null;
}

/** Rehearses what would be published, where a gate demands it. */
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
    // It is refused for that.
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

/** Refuses a publication that its gate does not let through. */
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

function listReasons(gate: RehearsalGate, { counts, hidden }: RehearsalResult): string[] {
  const allowed = new Set<RehearsalVerdict>(gate.allow);
  const checks: [RehearsalVerdict, number, string][] = [
    ["other_branch", counts.otherBranch, "would go another way"],
    ["other_output", counts.otherOutput, "would compute or send something else"],
    ["would_fail", counts.wouldFail, "would fail"],
    ["needs_outcome", counts.needsOutcome, "come to a step without a recorded outcome"],
  ];
  const reasons = checks
    .filter(([verdict, runs]) => runs > 0 && !allowed.has(verdict))
    .map(([, runs, words]) => `${runs} of the past runs ${words}.`);
  if (hidden === 0) return reasons;
  return [...reasons, `${hidden} of the past runs are not yours to see: it needs traces:read.`];
}
