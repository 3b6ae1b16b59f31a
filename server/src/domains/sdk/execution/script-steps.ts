/** Scripts and artifacts as steps of workflows. */
import Type from "typebox";
import { type Executor, executor, StepFailure } from "#domains/runs/index.ts";
import {
  artifact as artifactNode,
  nodeType,
  script as scriptNode,
  type WorkspaceNodeTypes,
} from "#domains/workflows/index.ts";
import { systemCaller } from "#kernel/access/caller.ts";
import { Failure } from "#kernel/operation/failure.ts";
import type { ScriptOutcome } from "#kernel/sandbox/sandbox.ts";
import type { Scrubber } from "#kernel/secrets/scrubber.ts";
import { assertStorable } from "#kernel/schema/json-value.ts";
import type { Artifact } from "../artifacts/artifact.ts";
import { find, findByName, knownNodes, listNodes } from "../artifacts/store.ts";
import { ArtifactsExecute, SecretsUse } from "../permissions.ts";
import { hostCallsFor } from "./script-context.ts";
import { contextValues } from "./context-values.ts";
import { permissionsFor, runArtifact } from "./run-artifact.ts";

type Tools = Parameters<Executor["run"]>[1];

/** A script that stands in the workflow itself. */
const scriptStep = executor({
  type: scriptNode,
  async run({ source, input }, tools) {
    const { platform, run, signal, perform } = tools;
    const caller = callerOf(tools);
    const scrubbers: Scrubber[] = [];
    const serve = hostCallsFor({
      platform,
      workspace: run.workspace,
      scrubbers,
      perform,
      mayUseSecrets: async () => (await runRights(tools)).has(SecretsUse.name),
    });
    const ended = await platform.sandbox.run({
      source,
      owner: run.workspace,
      input: input ?? tools.scope(),
      facts: await contextValues(platform, caller),
      limits: { timeoutMs: TIMEOUT_MAX_MS },
      call: async (...call) => {
        await tools.untilRunWritten();
        return serve(...call);
      },
      signal,
    });
    const told = scrubbers.reduce((outcome, one) => one.scrubJson(outcome), assertStorable(ended));
    for (const { level, message, metadata } of told.logs) tools.log(level, message, metadata);
    return { output: outputOf(told) };
  },
});

/** The step's own limit ends it; this is the sandbox's. */
const TIMEOUT_MAX_MS = 300_000;

/** An artifact by its id. */
const artifactStep = executor({
  type: artifactNode,
  async run({ artifactId, input = {} }, tools) {
    const artifact = await tools.platform.db.read(placeOf(tools), (tx) => find(tx, artifactId));
    return carriedOut(artifact, input, tools);
  },
});

/** `module.name`, as an artifact that is a workflow node is called in definitions. */
const CUSTOM = /^([A-Za-z0-9][A-Za-z0-9_-]{0,99})\.(\S.{0,199})$/;

const customNode = nodeType({
  type: "custom",
  summary: "A node that an artifact of this workspace carries out; its config is the input",
  config: Type.Object({}, { additionalProperties: true }),
  branches: "none",
  effect: "outside",
});

/** An artifact by its module and name. */
const customStep = executor({
  type: customNode,
  async run(input, tools) {
    const [, moduleKey = "", name = ""] = CUSTOM.exec(tools.nodeType) ?? [];
    const artifact = await tools.platform.db.read(placeOf(tools), (tx) =>
      findByName(tx, moduleKey, name),
    );
    return carriedOut(
      artifact?.artifactType === "workflow_node" ? artifact : undefined,
      input,
      tools,
    );
  },
});

/** What workflows can do with scripts; the last is no type of its own, but of a family. */
export const scriptSteps = [scriptStep, artifactStep];
export { customStep };

/** The workflow nodes that people of a workspace made. */
export const customNodes: WorkspaceNodeTypes = {
  like: customNode,
  names: (type) => CUSTOM.test(type),
  async list(tx) {
    return (await listNodes(tx)).map(({ moduleKey, name, description, inputs }) => ({
      type: `${moduleKey}.${name}`,
      summary: description === "" ? name : description,
      effect: "outside" as const,
      branches: [],
      branchesDependOnConfig: false,
      config: { type: "object", inputs },
    }));
  },
  async findMissing(tx, types) {
    const known = await knownNodes(tx, types);
    return types.filter((type) => !known.has(type));
  },
};

async function carriedOut(artifact: Artifact | undefined, input: unknown, tools: Tools) {
  if (!artifact) throw lasting("artifact_not_found", "There is no such artifact.");
  if (artifact.status === "disabled") {
    throw lasting("artifact_disabled", `The artifact ${artifact.name} is disabled.`);
  }
  const { name: needed } = ArtifactsExecute;
  if (!(await runRights(tools)).has(needed)) {
    throw lasting("forbidden", `This needs the permission ${needed}.`);
  }
  const { platform, signal, perform, log } = tools;
  const order = {
    artifact,
    caller: callerOf(tools),
    input,
    triggerType: "workflow",
    signal,
    perform,
  };
  const { outcome, logs, status } = await runArtifact(platform, order).catch((error: unknown) => {
    throw error instanceof Failure ? lasting(error.type.code, wordsOf(error)) : error;
  });
  for (const { level, message, metadata } of logs) log(level, message, metadata);
  const { output, runtimeError, abortReason } = outcome;
  return { output: outputOf({ status, output, abortReason, error: runtimeError }) };
}

type Ended = Pick<ScriptOutcome, "status" | "output" | "abortReason" | "error">;

function outputOf({ status, output, abortReason, error }: Ended): unknown {
  if (status === "completed") return output;
  if (status === "aborted") throw lasting("aborted", abortReason ?? "The script aborted.");
  const place = error?.line ? ` (line ${error.line}, column ${error.column})` : "";
  throw new StepFailure(`script_${status}`, `${error?.name}: ${error?.message}${place}`);
}

/** To try the same again would end the same. */
function lasting(code: string, message: string): StepFailure {
  return new StepFailure(code, message, { retryable: false });
}

function wordsOf({ message, particulars }: Failure): string {
  const [first] = particulars.errors ?? [];
  return first ? `${first.path} ${first.message}` : message;
}

function callerOf({ run }: Tools) {
  return systemCaller({ workspace: run.workspace, environment: run.environment }, run.cause);
}

function placeOf({ run: { workspace, environment } }: Tools) {
  return { workspace, environment };
}

/** What the run may do now. */
async function runRights({ platform, run }: Tools): Promise<ReadonlySet<string>> {
  const { runAs, permissions = null } = run;
  return (await permissionsFor(platform, run.workspace, { runAs, permissions })).permissions;
}
