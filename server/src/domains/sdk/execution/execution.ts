/** Schemas of executions. */
import Type, { type Static } from "typebox";
import type { ScriptOutcome } from "#kernel/sandbox/sandbox.ts";
import { id, nullable, Time } from "#kernel/schema/schema.ts";
import { ArtifactId } from "../artifacts/artifact.ts";

export const ExecutionId = id("exe");

const AnyObject = Type.Record(Type.String(), Type.Unknown());

/** The outcome of an execution in the API. */
export const ExecutionOutcome = Type.Object(
  {
    aborted: Type.Boolean(),
    abortReason: nullable(Type.String()),
    current: Type.Unsafe<unknown>({
      ...AnyObject,
      description: "Input after the artifact processed it",
    }),
    previous: nullable(AnyObject),
    output: Type.Unsafe<unknown>({
      ...AnyObject,
      description: "Return value. Values other than objects are in `result`",
    }),
    runtimeError: nullable(
      Type.Object({
        name: Type.String(),
        message: Type.String(),
        line: nullable(Type.Integer()),
        column: nullable(Type.Integer()),
        stack: Type.String(),
      }),
    ),
    messages: Type.Array(Type.Object({ level: Type.String(), text: Type.String() })),
    uiStateChanges: Type.Array(Type.Object({ field: Type.String(), change: Type.Unknown() })),
  },
  { title: "ArtifactOutcome" },
);
export type ExecutionOutcome = Static<typeof ExecutionOutcome>;

export const ExecutionStatus = Type.Enum([
  "completed",
  "aborted",
  "failed",
  "timed_out",
  "out_of_memory",
  "too_large",
]);

export const ExecutionSummary = Type.Object(
  {
    id: ExecutionId,
    artifactId: ArtifactId,
    versionNumber: Type.Integer(),
    triggerType: Type.String(),
    status: ExecutionStatus,
    dueAt: nullable(Time),
    attempt: Type.Integer(),
    startedAt: Time,
    durationMs: Type.Integer(),
  },
  { title: "ArtifactExecutionSummary" },
);

export const Execution = Type.Object(
  {
    ...ExecutionSummary.properties,
    outcome: ExecutionOutcome,
    logs: Type.Array(
      Type.Object({
        level: Type.Enum(["debug", "info", "warn", "error"]),
        message: Type.String(),
        metadata: Type.Unknown(),
        at: Time,
      }),
    ),
    redacted: Type.Optional(Type.Boolean({ description: "True if input and output are omitted" })),
  },
  { title: "ArtifactExecution" },
);
export type Execution = Static<typeof Execution>;

/** An execution without its input and output. */
export function redactExecution(execution: Execution): Execution {
  const { aborted, runtimeError } = execution.outcome;
  const outcome = {
    aborted,
    abortReason: null,
    current: {},
    previous: null,
    output: {},
    runtimeError: runtimeError && { ...runtimeError, message: "", stack: "" },
    messages: [],
    uiStateChanges: [],
  };
  return { ...execution, outcome, logs: [], redacted: true };
}

/** Converts the sandbox's outcome to the API's. */
export function toOutcome(
  script: ScriptOutcome,
  previous: ExecutionOutcome["previous"],
): ExecutionOutcome {
  return {
    aborted: script.status === "aborted",
    abortReason: script.abortReason,
    current: toObject(script.current),
    previous,
    output: toObject(script.output),
    runtimeError: script.error,
    messages: [...script.messages],
    uiStateChanges: [...script.uiStateChanges],
  };
}

function toObject(value: unknown): unknown {
  if (value === null || value === undefined) return {};
  return typeof value === "object" && !Array.isArray(value) ? value : { result: value };
}
