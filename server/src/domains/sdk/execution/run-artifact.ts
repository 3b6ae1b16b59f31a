import type { Caller } from "#kernel/access/caller.ts";
import type { Platform, WriteContext } from "#kernel/contract.ts";
import { Failure, Invalid } from "#kernel/operation/failure.ts";
import { newId } from "#kernel/schema/id.ts";
import type { Execution as ScriptExecution, ScriptOutcome } from "#kernel/sandbox/sandbox.ts";
import type { Scrubber } from "#kernel/secrets/scrubber.ts";
import { assertStorable } from "#kernel/schema/json-value.ts";
import { membershipIn } from "#domains/identity/accounts/index.ts";
import { type Artifact, referTo } from "../artifacts/artifact.ts";
import { faultsOf } from "../artifacts/fields.ts";
import { SecretsUse } from "../permissions.ts";
import { causedByExecution, hostCallsFor } from "./script-context.ts";
import { ArtifactExecuted } from "./events.ts";
import { contextValues } from "./context-values.ts";
import { type Execution, type Outcome, outcomeOf } from "./execution.ts";
import { type CallOperation, operationCallerFor } from "./call-operation.ts";
import * as store from "./store.ts";

type Served = ScriptExecution["call"];

/** One execution of an artifact, as it was asked for. */
export interface ExecutionRequest {
  readonly artifact: Artifact;
  /** With whose permissions, and where. */
  readonly caller: Caller;
  readonly input: unknown;
  readonly previous?: Outcome["previous"];
  readonly triggerType: string;
  readonly dueAt?: string;
  readonly attempt?: number;
  readonly signal?: AbortSignal | undefined;
  /** What the context's calls do instead of what they would, for tests. */
  readonly serve?: Served;
  /** How operations are called, where that is not simply as `caller`. */
  readonly perform?: CallOperation;
}

/** Checks the input, runs the script, checks its output. Nothing of it is in a transaction. */
export async function runArtifact(platform: Platform, order: ExecutionRequest): Promise<Execution> {
  return (await runForAnswer(platform, order)).execution;
}

/** The same, with what the script returned as it was: what is kept of it is always an object. */
export async function runForAnswer(
  platform: Platform,
  order: ExecutionRequest,
): Promise<{ readonly execution: Execution; readonly returned: unknown }> {
  const { artifact, caller, input, triggerType, signal } = order;
  const { workspace } = caller;
  if (!workspace) throw new Error("An artifact belongs to a workspace.");
  const errors = faultsOf(artifact.definition.inputs, input, "/inputPayload");
  if (errors.length > 0) {
    throw new Failure(Invalid, { detail: "The input is not what the artifact takes.", errors });
  }
  const startedAt = platform.clock.now();
  const scrubbers: Scrubber[] = [];
  const { scriptSource: source, timeoutMs } = artifact.detail;
  const ended = await platform.sandbox.run({
    source,
    owner: workspace.key,
    input,
    facts: {
      ...(await contextValues(platform, caller)),
      triggerType,
      previous: order.previous ?? null,
    },
    limits: { ...(timeoutMs !== undefined && { timeoutMs }) },
    call: order.serve ?? (await servedFor(platform, order, scrubbers)),
    ...(signal && { signal }),
  });
  const told = scrubbers.reduce<ScriptOutcome>(
    (outcome, scrubber) => scrubber.scrubJson(outcome),
    assertStorable(withOutputsChecked(artifact, ended)),
  );
  return { execution: executionOf(order, told, startedAt), returned: told.output };
}

/** How the end of a script is kept. */
export function executionOf(
  order: ExecutionRequest,
  told: ScriptOutcome,
  startedAt: Date,
): Execution {
  const { artifact, triggerType } = order;
  return {
    id: newId("exe", startedAt.getTime()),
    artifactId: artifact.id,
    versionNumber: artifact.versionNumber,
    triggerType,
    status: told.status,
    dueAt: order.dueAt ?? null,
    attempt: order.attempt ?? 1,
    startedAt: startedAt.toISOString(),
    durationMs: Math.round(told.durationMs),
    outcome: outcomeOf(told, order.previous ?? null),
    logs: [...told.logs],
  };
}

/** Writes down what came of it, with its event. */
export function recordExecution(
  ctx: WriteContext<typeof ArtifactExecuted>,
  artifact: Pick<Artifact, "id" | "name">,
  execution: Execution,
): void {
  store.insert(ctx.send, execution);
  const { outcome, logs: _, ...summary } = execution;
  ctx.emit(ArtifactExecuted, referTo(artifact), {
    ...summary,
    error: outcome.runtimeError?.name ?? null,
  });
}

/** The calls of its context, as operations with the caller's permissions. */
async function servedFor(
  platform: Platform,
  { artifact, caller, perform }: ExecutionRequest,
  scrubbers: Scrubber[],
): Promise<Served> {
  const workspace = caller.workspace?.key ?? "";
  const instance = `/artifacts/${artifact.id}`;
  let mayUseSecrets: Promise<boolean> | undefined;
  return hostCallsFor({
    platform,
    workspace,
    scrubbers,
    perform: perform ?? operationCallerFor(platform, causedByExecution(caller), instance),
    // Most scripts use none, and to find out takes a statement.
    mayUseSecrets: () =>
      (mayUseSecrets ??= permissionsFor(platform, workspace, artifact).then(({ permissions }) =>
        permissions.has(SecretsUse.name),
      )),
  });
}

/** What whoever saved it last is and may do now, as far as the credential that they used could do it. */
export async function permissionsFor(
  platform: Platform,
  workspace: string,
  { runAs, permissions }: Pick<Artifact, "runAs" | "permissions">,
): Promise<Required<Pick<Caller, "permissions" | "principal">>> {
  const { roles, permissions: held } = await membershipIn(platform, workspace, runAs);
  return {
    principal: { id: runAs, roles },
    permissions: permissions ? new Set(permissions.filter((name) => held.has(name))) : held,
  };
}

/** A script that returns what it said it would not has failed. */
function withOutputsChecked({ definition }: Artifact, outcome: ScriptOutcome): ScriptOutcome {
  if (outcome.status !== "completed") return outcome;
  const [fault] = faultsOf(definition.outputs, outcome.output, "");
  if (!fault) return outcome;
  const message = `The output ${fault.path.slice(1)} ${fault.message}.`.replace("  ", " ");
  const error = { name: "OutputError", message, line: null, column: null, stack: "" };
  return { ...outcome, status: "failed", error };
}
