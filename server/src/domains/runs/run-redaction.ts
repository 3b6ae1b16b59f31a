/**
 * Redaction of runs. Inputs and outputs of steps, and the event that started the run, can contain rows that access
 * rules hide from the reader. Such a reader sees only the steps and their statuses.
 */
import { canSeeTrace } from "#domains/workflows/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import { hideAddresses } from "./calls/resume-address.ts";
import type { RunStep } from "./run.ts";
import type { StoredRun } from "./store.ts";

/** A run and its steps as visible to one caller. */
export interface RunView {
  readonly run: Pick<StoredRun, "trigger" | "output"> & { readonly redacted?: boolean };
  readonly step: (step: RunStep) => RunStep;
}

/** The view of a run for a caller. The user who started the run sees its input and output. */
export function viewRun(caller: Caller, stored: StoredRun): RunView {
  const { runAs, startedBy } = stored;
  const { trigger, output } = hideAddresses({ trigger: stored.trigger, output: stored.output });
  if (canSeeTrace(caller, runAs)) return { run: { trigger, output }, step: (step) => step };
  const isOwn = startedBy.id === caller.actor.id && trigger["type"] === "manual";
  return {
    run: isOwn
      ? { trigger, output, redacted: true }
      : { trigger: { type: trigger["type"] }, output: null, redacted: true },
    step: redactStep,
  };
}

function redactStep({ input: _, output: __, page: ___, error, wait, ...step }: RunStep): RunStep {
  return {
    ...step,
    logs: [],
    ...(error && { error: { code: error.code, message: error.message } }),
    ...(wait && { wait: redactWait(wait) }),
  };
}

function redactWait(wait: NonNullable<RunStep["wait"]>): NonNullable<RunStep["wait"]> {
  const { filter: _, message: __, decisions, ...rest } = wait;
  return {
    ...rest,
    ...(decisions && { decisions: decisions.map(({ data: ___, comment: ____, ...who }) => who) }),
  };
}
