import Type, { type Static } from "typebox";
import { nullable, Time } from "#kernel/schema/schema.ts";
import { REHEARSAL_VERDICTS, RehearsalCounts } from "#domains/workflows/index.ts";
import { RunId } from "../run.ts";

export const Verdict = Type.Enum([...REHEARSAL_VERDICTS]);
export type Verdict = Static<typeof Verdict>;

/** The first difference between a rehearsed run and the recorded run. */
export const RehearsalDifference = Type.Object(
  {
    stepId: nullable(
      Type.String({ description: "Path of the step. Null for the output of the run" }),
    ),
    name: nullable(Type.String({ description: "Type of the node" })),
    kind: Type.Enum(["branch", "output", "input", "status", "error", "outcome"], {
      description:
        "`input`: what a step sends. `outcome`: no recorded output, or one for different input",
    }),
    path: Type.String({
      description: "A JSON pointer to the first difference within the values",
    }),
    before: Type.Unknown({ description: "Recorded value, or null" }),
    after: Type.Unknown({ description: "New value" }),
  },
  { title: "RehearsalDifference" },
);
export type RehearsalDifference = Static<typeof RehearsalDifference>;

export const RehearsedRun = Type.Object(
  {
    runId: RunId,
    version: nullable(Type.Integer({ description: "The version of the run" })),
    createdAt: Time,
    status: Type.Enum(["completed", "failed"], { description: "Recorded status" }),
    verdict: Verdict,
    statusAfter: nullable(
      Type.Enum(["completed", "failed"], {
        description: "New status. Null if a recorded output is missing",
      }),
    ),
    difference: nullable(RehearsalDifference),
  },
  { title: "RehearsedRun" },
);
export type RehearsedRun = Static<typeof RehearsedRun>;

export const Rehearsal = Type.Object(
  {
    counts: RehearsalCounts,
    rehearsed: Type.Integer({ description: "Number of counted runs" }),
    hidden: Type.Integer({
      description: "Runs that were omitted because you can't view their input and output",
    }),
    leftOut: Type.Integer({
      description: "Runs that were omitted because they are too large or take too long",
    }),
    runs: Type.Array(RehearsedRun, { description: "Newest first" }),
  },
  { title: "Rehearsal" },
);
export type Rehearsal = Static<typeof Rehearsal>;

export function countVerdicts(verdicts: readonly Verdict[]): RehearsalCounts {
  const count = (one: Verdict): number => verdicts.filter((verdict) => verdict === one).length;
  return {
    same: count("same"),
    otherBranch: count("other_branch"),
    otherOutput: count("other_output"),
    wouldFail: count("would_fail"),
    needsOutcome: count("needs_outcome"),
  };
}
