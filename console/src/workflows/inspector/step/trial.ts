/** Tests a single step without calling other systems. */
import { useState } from "react";
import { ApiError, call, type Schemas } from "../../../data/api.ts";
import { type Definition, idOf } from "../../graph/graph.ts";
import type { RunStep } from "../../graph/run-view.ts";
import { toItemKey, toPinKey } from "../values/sources.ts";

export interface Trial {
  readonly isBusy: boolean;
  readonly step?: RunStep | undefined;
  readonly error?: string | undefined;
  /** The step was not executed, because it calls other systems or waits, and it has no pinned output. */
  readonly isNotExecuted?: boolean;
}

export interface TrialInput {
  readonly workflowId: string;
  readonly definition: Definition;
  readonly stepKey: string;
  /** The run that provides the values; by default, the pinned values are used. */
  readonly runId: string | undefined;
  readonly items: ReadonlyMap<string, number>;
  readonly mockError: string | undefined;
  /** A test does not execute steps of this type, and this step has no pinned output. */
  readonly isStandIn: boolean;
}

const NONE: Trial = { isBusy: false };

/** Returns the test result, only for the current step. */
export function useTrial(): {
  readonly trialOf: (key: string) => Trial;
  readonly start: (input: TrialInput) => Promise<void>;
  readonly forget: () => void;
} {
  const [shown, setShown] = useState<{ readonly key: string; readonly trial: Trial }>();
  return {
    trialOf: (key) => (shown?.key === key ? shown.trial : NONE),
    async start(input) {
      const key = input.stepKey;
      setShown({ key, trial: { isBusy: true } });
      setShown({ key, trial: await tryStep(input) });
    },
    forget: () => setShown(undefined),
  };
}

async function tryStep(input: TrialInput): Promise<Trial> {
  const { workflowId, definition, stepKey, runId, items, mockError } = input;
  const body = {
    definition: toDefinition(definition),
    only: runId === undefined ? toPinKey(stepKey) : toItemKey(stepKey, items),
    ...(runId !== undefined && { runId }),
    ...(mockError !== undefined && {
      mockErrors: { [toPinKey(stepKey)]: { message: mockError } },
    }),
  };
  try {
    const { data } = await call("workflows.test", { params: { id: workflowId }, body });
    const step = data.trace.steps.find(({ nodeId }) => nodeId === idOf(stepKey));
    const isNotExecuted =
      input.isStandIn && mockError === undefined && step?.status === "completed";
    return {
      isNotExecuted,
      isBusy: false,
      step,
      error: step?.error ? undefined : data.error?.message,
    };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { isBusy: false, error: error.message };
  }
}

/** Omits the trigger's address, which the server computes. */
function toDefinition({ trigger, ...rest }: Definition): Schemas["WorkflowDefinition"] {
  const { url: _, ...own } = trigger;
  return { ...rest, trigger: own } as Schemas["WorkflowDefinition"];
}
