import type { StepError } from "#domains/workflows/index.ts";
import type { WriteContext } from "#kernel/operation/operation.ts";
import type { StartEvent } from "../events.ts";
import { letNextIn } from "./admission.ts";
import { startErrorRun } from "./error-run.ts";
import type { RunFacts } from "./run-context.ts";
import type { Answer } from "./journal-record.ts";
import { leaveWord, type Turn } from "./store.ts";

/** What follows from the end of a run. */
export async function followUp(
  ctx: WriteContext<StartEvent>,
  facts: RunFacts,
  turn: Turn,
): Promise<void> {
  if (turn.status === "failed") await startErrorRun(ctx, facts, turn.error);
  release(ctx, facts, turn);
}

/** Tells those who wait for the end of a run, whoever ended it. */
export function release(ctx: WriteContext<never>, facts: RunFacts, turn: Turn): void {
  const { parent } = facts;
  if (parent) {
    const word = { path: parent.path, told: true, answer: answerOf(turn) } as const;
    void leaveWord(ctx, parent.runId, [word]);
  }
  letNextIn(ctx, facts);
}

function answerOf({ status, output, error }: Turn): Answer {
  return {
    kind: "child",
    // It is called at the end of a run only.
    status: status as "completed" | "failed" | "cancelled",
    ...(output !== undefined && { output }),
    ...(error !== undefined && { error: error as StepError }),
  };
}
