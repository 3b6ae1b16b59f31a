/** What an execution is, as the API shows it. */
import Type, { type Static } from "typebox";
import type { ScriptOutcome } from "#kernel/sandbox/sandbox.ts";
import { id, nullable, Time } from "#kernel/schema/schema.ts";
import { ArtifactId } from "../artifacts/artifact.ts";

export const ExecutionId = id("exe");

const AnyObject = Type.Record(Type.String(), Type.Unknown());

/** The answer to an execution: the interface names each of these fields. */
export const Outcome = Type.Object(
  {
    aborted: Type.Boolean(),
    abortReason: nullable(Type.String()),
    current: Type.Unsafe<unknown>({
      ...AnyObject,
      description: "The input as the artifact left it",
    }),
    previous: nullable(AnyObject),
    output: Type.Unsafe<unknown>({
      ...AnyObject,
      description: "What it returned; anything but an object stands under `result`",
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
export type Outcome = Static<typeof Outcome>;

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
    outcome: Outcome,
    logs: Type.Array(
      Type.Object({
        level: Type.Enum(["debug", "info", "warn", "error"]),
        message: Type.String(),
        metadata: Type.Unknown(),
        at: Time,
      }),
    ),
  },
  { title: "ArtifactExecution" },
);
export type Execution = Static<typeof Execution>;

/** How a script's end is told. */
export function outcomeOf(script: ScriptOutcome, previous: Outcome["previous"]): Outcome {
  return {
    aborted: script.status === "aborted",
    abortReason: script.abortReason,
    current: asObject(script.current),
    previous,
    output: asObject(script.output),
    runtimeError: script.error,
    messages: [...script.messages],
    uiStateChanges: [...script.uiStateChanges],
  };
}

function asObject(value: unknown): unknown {
  if (value === null || value === undefined) return {};
  return typeof value === "object" && !Array.isArray(value) ? value : { result: value };
}
