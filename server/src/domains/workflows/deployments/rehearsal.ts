import Type, { type Static } from "typebox";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { extensionPoint } from "#kernel/extension-point.ts";
import { nullable, object } from "#kernel/schema/schema.ts";
import type { Definition } from "../definition/index.ts";

export const REHEARSAL_VERDICTS = [
  "same",
  "other_branch",
  "other_output",
  "would_fail",
  "needs_outcome",
] as const;
export type RehearsalVerdict = (typeof REHEARSAL_VERDICTS)[number];

const runsOf = (description: string) => Type.Integer({ minimum: 0, description });

/** The number of runs per verdict. */
export const RehearsalCounts = Type.Object(
  {
    same: runsOf("Runs with the same result"),
    otherBranch: runsOf("Runs that would follow another branch"),
    otherOutput: runsOf("Runs that would calculate or send something different"),
    wouldFail: runsOf("Runs that would fail, or fail in a different way"),
    needsOutcome: runsOf("Runs that would reach a step without a recorded output"),
  },
  { title: "RehearsalCounts" },
);
export type RehearsalCounts = Static<typeof RehearsalCounts>;

export const LAST_RUNS_MAX = 500;
export const LAST_RUNS_DEFAULT = 100;

export const LastRuns = Type.Integer({
  minimum: 1,
  maximum: LAST_RUNS_MAX,
  description: `Number of runs, starting with the newest. Default: ${LAST_RUNS_DEFAULT}`,
});

export const RehearsalGate = object(
  {
    allow: Type.Array(Type.Enum(REHEARSAL_VERDICTS.filter((verdict) => verdict !== "same")), {
      maxItems: 4,
      uniqueItems: true,
      description: "The allowed differences. Empty: none",
    }),
    lastRuns: Type.Optional(LastRuns),
  },
  { title: "RehearsalGate" },
);
export type RehearsalGate = Static<typeof RehearsalGate>;

/** Omit to keep the gate; null removes it. */
export const GateInput = nullable(RehearsalGate);

/** The result of a rehearsal, as needed by the gate. */
export interface RehearsalResult {
  readonly counts: RehearsalCounts;
  /** Runs that the caller cannot see. */
  readonly hidden: number;
  /** Runs that were too large or exceeded the time limit. */
  readonly leftOut: number;
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

/** Extension point through which the runs domain provides rehearsals. */
export const RehearserPoint = extensionPoint<Rehearser>("workflows.rehearser");
