import { Failure, Invalid } from "#kernel/operation/failure.ts";
import type { ScriptOutcome } from "#kernel/sandbox/sandbox.ts";
import type { Artifact } from "../artifacts/artifact.ts";
import { checkPayload } from "../artifacts/fields.ts";

/** Rejects an input that does not match the artifact's declaration. */
export function assertInput({ definition }: Pick<Artifact, "definition">, input: unknown): void {
  const errors = checkPayload(definition.inputs, input, "/inputPayload");
  if (errors.length === 0) return;
  throw new Failure(Invalid, {
    detail: "The input does not match the inputs of the artifact.",
    errors,
  });
}

/** Fails an execution whose output does not match the declared outputs. */
export function checkOutputs(
  { definition }: Pick<Artifact, "definition">,
  outcome: ScriptOutcome,
): ScriptOutcome {
  if (outcome.status !== "completed") return outcome;
  const [fieldError] = checkPayload(definition.outputs, outcome.output, "");
  if (!fieldError) return outcome;
  const message = `The output ${fieldError.path.slice(1)} ${fieldError.message}.`.replace(
    "  ",
    " ",
  );
  const error = { name: "OutputError", message, line: null, column: null, stack: "" };
  return { ...outcome, status: "failed", error };
}
