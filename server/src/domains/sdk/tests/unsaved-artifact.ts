/** Tests an unsaved artifact. It only requires a sandbox and the imported modules. */
import type { Static } from "typebox";
import { newId } from "#kernel/schema/id.ts";
import { toStorableJson } from "#kernel/schema/json-value.ts";
import {
  inspectArtifact,
  type InspectedArtifact,
  type ScriptHost,
} from "../artifacts/artifact-input.ts";
import type { NewTestCaseBody } from "./test-case.ts";
import { assertInput, checkOutputs } from "../execution/artifact-fields.ts";
import { toOutcome } from "../execution/execution.ts";
import { toProgram } from "../modules/module-program.ts";
import { type RunCase, runCases, TEST_TRIGGER } from "./run-tests.ts";
import type { TestResult } from "./test-case.ts";

/** The environment of the test. */
export interface TestHost extends ScriptHost {
  /** The facts of `context`: the workspace and the environment. */
  readonly facts: object;
  readonly disconnected?: AbortSignal | undefined;
}

/** An artifact, saved or not, with its test cases. */
export interface UnsavedArtifact {
  readonly artifact: InspectedArtifact;
  /** Artifacts submitted together with it, whose modules it can import. */
  readonly beside?: readonly InspectedArtifact[];
  readonly cases: readonly Static<typeof NewTestCaseBody>[];
}

/** Runs test cases with an artifact. Throws if the artifact could not be saved. */
export async function testUnsavedArtifact(
  host: TestHost,
  { artifact, beside, cases }: UnsavedArtifact,
): Promise<TestResult[]> {
  const { sandbox, owner = "", facts, disconnected } = host;
  const { definition, detail, modules } = await inspectArtifact(host, artifact, beside);
  const { timeoutMs } = detail;
  const run: RunCase = async ({ input, hostCall, signal }) => {
    assertInput({ definition }, input);
    const outcome = await sandbox.run({
      source: toProgram(artifact),
      ...(modules && { modules }),
      owner,
      input,
      facts: { ...facts, triggerType: TEST_TRIGGER, previous: null },
      limits: { ...(timeoutMs !== undefined && { timeoutMs }) },
      call: hostCall,
      signal,
    });
    const checked = toStorableJson(checkOutputs({ definition }, outcome));
    return { outcome: toOutcome(checked, null), durationMs: Math.round(checked.durationMs) };
  };
  const runnable = cases.map((one) => ({ mocks: {}, ...one, id: newId("atc") }));
  return runCases(run, runnable, disconnected);
}
