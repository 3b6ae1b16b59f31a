/** The test of one step from the inspector, and how it went. Nothing of it reaches outside. */
import { useState } from "react";
import { ApiError, call, type Schemas } from "../../../data/api.ts";
import { type Definition, idOf } from "../../graph/graph.ts";
import type { RunStep } from "../../graph/run-view.ts";
import { toItemKey, toPinKey } from "../values/sources.ts";

export interface Trial {
  readonly isBusy: boolean;
  readonly step?: RunStep | undefined;
  readonly error?: string | undefined;
  /** The test took nothing for its output: the step calls other systems or waits, and a test does neither. */
  readonly isNotExecuted?: boolean;
}

export interface TrialInput {
  readonly workflowId: string;
  readonly definition: Definition;
  readonly stepKey: string;
  /** The run whose values it sees; without one those that are pinned. */
  readonly runId: string | undefined;
  readonly items: ReadonlyMap<string, number>;
  readonly mockError: string | undefined;
  /** A test does not execute a step of this type, and no output is pinned. */
  readonly isStandIn: boolean;
}

const NONE: Trial = { isBusy: false };

/** A trial belongs to one step: that of another is not shown. */
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

/** The trigger's address is shown, and not sent. */
function toDefinition({ trigger, ...rest }: Definition): Schemas["WorkflowDefinition"] {
  const { url: _, ...own } = trigger;
  return { ...rest, trigger: own } as Schemas["WorkflowDefinition"];
}
