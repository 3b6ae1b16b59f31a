/** The test of a step from the inspector, and how it went. */
import { useState } from "react";
import { ApiError, call } from "../../data/api.ts";
import type { Definition } from "../graph/graph.ts";
import type { RunStep, RunView } from "../graph/run-view.ts";
import { planStepTest } from "./step-test.ts";

export interface Trial {
  readonly isBusy: boolean;
  readonly step?: RunStep | undefined;
  readonly note?: string | undefined;
  readonly error?: string | undefined;
}

interface TrialInput {
  readonly workflowId: string;
  readonly definition: Definition;
  readonly stepKey: string;
  readonly run: RunView;
  readonly pins: Readonly<Record<string, unknown>>;
  readonly trigger: unknown;
}

const NONE: Trial = { isBusy: false };

/** A trial belongs to one step: that of another is not shown. */
export function useTrial(): {
  readonly trialOf: (key: string) => Trial;
  readonly start: (input: TrialInput) => Promise<void>;
} {
  const [trial, setTrial] = useState<{ readonly key: string; readonly trial: Trial }>();
  return {
    trialOf: (key) => (trial?.key === key ? trial.trial : NONE),
    async start(input) {
      const key = input.stepKey;
      setTrial({ key, trial: { isBusy: true } });
      setTrial({ key, trial: await tryStep(input) });
    },
  };
}

async function tryStep(input: TrialInput): Promise<Trial> {
  const { workflowId, definition, stepKey, run, pins, trigger } = input;
  const plan = planStepTest(definition, stepKey, run, pins);
  if (!plan) return { isBusy: false, error: "A step of a loop is tested with the whole workflow." };
  const { input: given, event } = (trigger ?? {}) as { input?: unknown; event?: unknown };
  try {
    const { data } = await call("workflows.test", {
      params: { id: workflowId },
      body: {
        definition: plan.definition,
        mocks: plan.mocks,
        ...(given !== undefined && { input: given }),
        ...(event !== undefined && { event }),
      },
    });
    const step = data.trace.steps.find(({ id }) => id === stepKey);
    return { isBusy: false, step, note: describeSources(plan.unknown), error: data.error?.message };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const [first] = error.errors as readonly { path?: string; message: string }[];
    return { isBusy: false, error: first ? `${first.path ?? ""} ${first.message}` : error.message };
  }
}

function describeSources(unknown: readonly string[]): string | undefined {
  if (unknown.length === 0) return undefined;
  return `Without values of ${unknown.join(", ")}: run it once or pin an output.`;
}
