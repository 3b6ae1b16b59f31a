import Type, { type Static } from "typebox";
import { nullable, Time } from "#kernel/schema/schema.ts";
import { REHEARSAL_VERDICTS, RehearsalCounts } from "#domains/workflows/index.ts";
import { RunId } from "../run.ts";

export const Verdict = Type.Enum([...REHEARSAL_VERDICTS]);
export type Verdict = Static<typeof Verdict>;

/** The first thing in which a rehearsed run differs from the run that is kept. */
export const RehearsalDifference = Type.Object(
  {
    stepId: nullable(
      Type.String({ description: "As in the trace; null for the output of the run as a whole" }),
    ),
    name: nullable(Type.String({ description: "Of the node" })),
    kind: Type.Enum(["branch", "output", "input", "status", "error", "outcome"], {
      description:
        "`input` is what a step sends, `outcome` one that was never recorded, or of another input",
    }),
    path: Type.String({
      description: "A JSON pointer to the first place that differs within the values",
    }),
    before: Type.Unknown({ description: "As recorded; null where there was nothing" }),
    after: Type.Unknown({ description: "As it would be now" }),
  },
  { title: "RehearsalDifference" },
);
export type RehearsalDifference = Static<typeof RehearsalDifference>;

export const RehearsedRun = Type.Object(
  {
    runId: RunId,
    version: nullable(Type.Integer({ description: "The version that it ran with" })),
    createdAt: Time,
    status: Type.Enum(["completed", "failed"], { description: "How it ended" }),
    verdict: Verdict,
    statusAfter: nullable(
      Type.Enum(["completed", "failed"], {
        description: "How it would end; null where an outcome is missing",
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
    rehearsed: Type.Integer({ description: "How many runs the counts are of" }),
    hidden: Type.Integer({
      description: "Runs that were left out since you may not see what their steps read and wrote",
    }),
    leftOut: Type.Integer({
      description:
        "Runs that were left out since they, or all of them together, are too large or take too long",
    }),
    runs: Type.Array(RehearsedRun, { description: "Newest first" }),
  },
  { title: "Rehearsal" },
);
export type Rehearsal = Static<typeof Rehearsal>;

/** The counts of some verdicts. */
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
