import type { Rights } from "#domains/identity/accounts/index.ts";
import type { CallOperation } from "#kernel/operation/call-operation.ts";
/** Executors of scripts and artifacts as workflow steps. */
import { type Executor, executor, StepFailure } from "#domains/runs/index.ts";
import {
  artifact as artifactNode,
  script as scriptNode,
  templateSchema,
  type WorkspaceNodeTypes,
} from "#domains/workflows/index.ts";
import { systemCaller } from "#kernel/access/caller.ts";
import { Failure } from "#kernel/operation/failure.ts";
import { findImports, type ScriptModules } from "#kernel/sandbox/module-import.ts";
import type { ScriptOutcome } from "#kernel/sandbox/sandbox.ts";
import type { Scrubber } from "#kernel/secrets/scrubber.ts";
import { toStorableJson } from "#kernel/schema/json-value.ts";
import type { Artifact } from "../artifacts/artifact.ts";
import { fieldsSchema } from "../artifacts/fields.ts";
import { find, findByName, findKnownNodes, listNodes } from "../artifacts/store.ts";
import { ArtifactsExecute } from "../permissions.ts";
import { withinModuleAuthors } from "../modules/module-rights.ts";
import { readLinked } from "../modules/pins.ts";
import { hostCallsFor } from "./host/script-context.ts";
import { contextValues } from "./context-values.ts";
import { customNode, isCustomType, parseCustomType } from "./custom-node.ts";
import { type FileAccess, ScriptFiles } from "./host/script-files.ts";
import { runArtifact } from "./run-artifact.ts";

type StepTools = Parameters<Executor["run"]>[1];

/** A script in the workflow's definition. */
const scriptStep = executor({
  type: scriptNode,
  async run({ source, input }, tools) {
    const { platform, run, signal } = tools;
    const caller = callerOf(tools);
    const scrubbers: Scrubber[] = [];
    const { modules, ...within } = await linkStep(source, tools);
    const files = new ScriptFiles(within.files);
    const hostCall = hostCallsFor({
      platform,
      partition: partitionOf(tools),
      scrubbers,
      files,
      perform: within.perform,
      secretUser: within.rights,
      idempotencyKey: tools.idempotencyKey,
    });
    const scriptRun = platform.sandbox.run({
      source,
      ...(modules && { modules }),
      owner: run.workspace,
      input: input ?? tools.scope(),
      facts: await contextValues(platform, caller),
      limits: { timeoutMs: TIMEOUT_MAX_MS },
      call: async (...call) => {
        await tools.untilRunWritten();
        return hostCall(...call);
      },
      signal,
    });
    const rawOutcome = await scriptRun.finally(() => files.end());
    const outcome = scrubbers.reduce(
      (outcome, scrubber) => scrubber.scrubJson(outcome),
      toStorableJson(rawOutcome),
    );
    for (const { level, message, metadata } of outcome.logs) tools.log(level, message, metadata);
    return { output: outputOrThrow(outcome) };
  },
});

interface LinkedStep {
  readonly modules?: ScriptModules | undefined;
  readonly perform: CallOperation;
  readonly rights: StepTools["rights"];
  readonly files: FileAccess;
}

/** The modules of a script, and its permissions: with modules, only those that their authors have too. */
async function linkStep(source: string, tools: StepTools): Promise<LinkedStep> {
  const { platform, run, perform, rights } = tools;
  const whole = { perform, rights, files: fileAccessOf(tools.files) };
  if (findImports(source).length === 0) return whole;
  const { workspace, versionId, environment } = run;
  const { modules, authors } = await platform.db.read(partitionOf(tools), (tx) =>
    readLinked(tx, { versionId, environment }, source),
  );
  const shared = await withinModuleAuthors(platform, { workspace, authors }, await rights());
  return {
    modules,
    perform: (operation, call) => perform(operation, call, shared),
    rights: async () => shared,
    files: fileAccessOf(tools.files.within(shared)),
  };
}

/** The sandbox's timeout. The step's own timeout is shorter. */
const TIMEOUT_MAX_MS = 300_000;

/** An artifact by its id. */
const artifactStep = executor({
  type: artifactNode,
  async run({ artifactId, input = {} }, tools) {
    const artifact = await tools.platform.db.read(partitionOf(tools), (tx) => find(tx, artifactId));
    return executeArtifact(artifact, input, tools);
  },
});

/** An artifact by its module and name. */
const customStep = executor({
  type: customNode,
  async run(input, tools) {
    const { moduleKey = "", name = "" } = parseCustomType(tools.nodeType) ?? {};
    const artifact = await tools.platform.db.read(partitionOf(tools), (tx) =>
      findByName(tx, moduleKey, name),
    );
    return executeArtifact(
      artifact?.artifactType === "workflow_node" ? artifact : undefined,
      input,
      tools,
    );
  },
});

export const scriptSteps = [scriptStep, artifactStep];
export { customStep };

/** The node types defined by a workspace's artifacts. */
export const customNodes: WorkspaceNodeTypes = {
  like: customNode,
  names: isCustomType,
  async list(tx) {
    return (await listNodes(tx)).map(({ moduleKey, name, description, inputs, outputs }) => ({
      type: `${moduleKey}.${name}`,
      title: name,
      group: customNode.form.group,
      icon: customNode.form.icon,
      summary: description === "" ? name : description,
      effect: "outside" as const,
      branches: [],
      branchesDependOnConfig: false,
      config: { ...templateSchema(fieldsSchema(inputs)), inputs },
      firstConfig: {},
      output: { ...fieldsSchema(outputs) },
    }));
  },
  async findMissing(tx, types) {
    const known = await findKnownNodes(tx, types);
    return types.filter((type) => !known.has(type));
  },
};

async function executeArtifact(artifact: Artifact | undefined, input: unknown, tools: StepTools) {
  if (!artifact) throw permanentFailure("artifact_not_found", "The artifact does not exist.");
  if (artifact.status === "disabled") {
    throw permanentFailure("artifact_disabled", `The artifact ${artifact.name} is disabled.`);
  }
  const { name: needed } = ArtifactsExecute;
  const rights = await tools.rights();
  if (!rights.permissions.has(needed)) {
    throw permanentFailure("forbidden", `This requires the permission ${needed}.`);
  }
  const { platform, signal, perform, log } = tools;
  const request = {
    artifact,
    caller: { ...callerOf(tools), ...rights },
    input,
    triggerType: "workflow",
    signal,
    performWithin:
      (shared: Rights): CallOperation =>
      (operation, call) =>
        perform(operation, call, shared),
    idempotencyKey: tools.idempotencyKey,
    filesWithin: (shared: Rights) => fileAccessOf(tools.files.within(shared)),
  };
  const { outcome, logs, status } = await runArtifact(platform, request).catch((error: unknown) => {
    throw error instanceof Failure
      ? permanentFailure(error.type.code, describeFailure(error))
      : error;
  });
  for (const { level, message, metadata } of logs) log(level, message, metadata);
  const { output, runtimeError, abortReason } = outcome;
  return { output: outputOrThrow({ status, output, abortReason, error: runtimeError }) };
}

type ScriptEnd = Pick<ScriptOutcome, "status" | "output" | "abortReason" | "error">;

function outputOrThrow({ status, output, abortReason, error }: ScriptEnd): unknown {
  if (status === "completed") return output;
  if (status === "aborted")
    throw permanentFailure("aborted", abortReason ?? "The script was aborted.");
  const position = error?.line ? ` (line ${error.line}, column ${error.column})` : "";
  throw new StepFailure(`script_${status}`, `${error?.name}: ${error?.message}${position}`);
}

/** A failure that would recur on a retry. */
function permanentFailure(code: string, message: string): StepFailure {
  return new StepFailure(code, message, { retryable: false });
}

function describeFailure({ message, particulars }: Failure): string {
  const [first] = particulars.errors ?? [];
  return first ? `${first.path} ${first.message}` : message;
}

function fileAccessOf(files: Pick<StepTools["files"], "open" | "keep">): FileAccess {
  return {
    open: (handle, path) => files.open(handle, path),
    keep: (content, about) => files.keep(content, about),
  };
}

function callerOf({ run, cause }: StepTools) {
  return systemCaller({ workspace: run.workspace, environment: run.environment }, cause);
}

function partitionOf({ run: { workspace, environment } }: StepTools) {
  return { workspace, environment };
}
