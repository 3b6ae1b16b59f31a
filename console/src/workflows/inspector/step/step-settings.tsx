/** Error handling and timeout of a step. */
import { Form, type Schema } from "../../../form/index.ts";
import { Unfold } from "../../../ui/overlay/unfold.tsx";
import type { Step } from "../../graph/graph.ts";
import type { DefinitionProblem } from "../problems.ts";

const SCHEMA: Schema = {
  type: "object",
  properties: {
    onError: {
      title: "On error",
      oneOf: [
        { const: "fail", title: "Stop: the run fails" },
        { const: "continue", title: "Continue without output" },
        { const: "branch", title: "Use error output" },
      ],
      default: "fail",
    },
    attempts: {
      type: "integer",
      title: "Maximum attempts",
      minimum: 1,
      maximum: 20,
      default: 1,
      description: "Including the first attempt. 1: no retries",
    },
    backoffMs: {
      type: "integer",
      title: "Wait between attempts",
      minimum: 0,
      maximum: 3_600_000,
      default: 1_000,
    },
    strategy: {
      title: "Retry interval",
      oneOf: [
        { const: "exponential", title: "Exponential: doubles after each attempt" },
        { const: "fixed", title: "Fixed" },
      ],
      default: "exponential",
    },
    statuses: {
      type: "array",
      title: "Also retry after these response codes",
      items: { type: "integer", minimum: 400, maximum: 599 },
      description: "408, 425, 429 and 500–599 are always retried. Example: 404",
    },
    timeoutMs: {
      type: "integer",
      title: "Timeout per attempt",
      minimum: 1,
      "x-placeholder": "Default of the step type",
    },
  },
  allOf: [
    {
      if: { properties: { attempts: { minimum: 2, type: "integer" } }, required: ["attempts"] },
      else: { properties: { backoffMs: false, strategy: false, statuses: false } },
    },
  ],
};

interface StepSettingsProps {
  readonly step: Step;
  readonly problems: readonly DefinitionProblem[];
  readonly mayEdit: boolean;
  readonly onChange: (step: Step, field: string) => void;
}

export function StepSettings({ step, problems, mayEdit, onChange }: StepSettingsProps) {
  const { retry, onError, timeoutMs } = step;
  const value = { onError, timeoutMs, ...retry, attempts: retry?.maxAttempts };
  const isSet = onError !== undefined || timeoutMs !== undefined || retry !== undefined;
  const summary = [
    onError === "branch" && "error output",
    onError === "continue" && "continue",
    retry && `${retry.maxAttempts} attempts`,
  ].filter(Boolean);
  return (
    <Unfold
      className="inspector-more"
      isOpen={isSet && problems.length > 0}
      summary={
        <>
          On error <span className="muted">{summary.join(", ")}</span>
        </>
      }
    >
      <Form
        schema={SCHEMA}
        value={value}
        errors={problems}
        hasSummary={false}
        isDense
        isDisabled={!mayEdit}
        onChange={(next, pointer) => onChange(withSettings(step, next), pointer)}
      />
    </Unfold>
  );
}

function withSettings(step: Step, value: unknown): Step {
  const { attempts, backoffMs, strategy, statuses, timeoutMs, onError } = value as {
    readonly attempts?: number;
    readonly timeoutMs?: number;
    readonly onError?: NonNullable<Step["onError"]>;
  } & Omit<NonNullable<Step["retry"]>, "maxAttempts">;
  const { retry: _, timeoutMs: __, onError: ___, ...rest } = step;
  const isRetried = attempts !== undefined && attempts > 1;
  const listed = statuses?.filter((status) => typeof status === "number");
  return {
    ...rest,
    ...(isRetried && {
      retry: {
        maxAttempts: attempts,
        ...(backoffMs !== undefined && { backoffMs }),
        ...(strategy !== undefined && { strategy }),
        ...(listed && listed.length > 0 && { statuses: listed }),
      },
    }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(onError !== undefined && onError !== "fail" && { onError }),
  };
}
