/**
 * Collects the values visible to a step's expressions for the editor: from a run, pinned data or the request.
 * Secrets are never read.
 */
import Type, { type Static } from "typebox";
import {
  canSeeTrace,
  getWorkflow,
  locateNode,
  type NodePosition,
  parsePath,
  TracesRead,
  toNodeKey,
  WorkflowsRead,
} from "#domains/workflows/index.ts";
import { listValues } from "#domains/variables/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import type { Tx } from "#kernel/db/connection.ts";
import { Failure, Forbidden, invalidField } from "#kernel/operation/failure.ts";
import { id, line } from "#kernel/schema/schema.ts";
import { findPinnedData } from "../control/pinned-data.ts";
import { foldJournal } from "../engine/journal-record.ts";
import { RunId } from "../run.ts";
import { addLoop, Scope } from "../steps/scope.ts";
import { readWorkspaceFacts } from "../host/server-host.ts";
import * as store from "../store.ts";

/** The position of the expressions, and the source for their values. */
export const placeFields = {
  workflowId: Type.Optional(id("wf")),
  definition: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: "An unsaved definition, which can be incomplete. Default: the live definition",
    }),
  ),
  stepId: Type.Optional(
    line(
      1_000,
      "The step of the expression: `call`, `each.call` in a loop, `each[3].call` for one item. Without it, the expression is evaluated after all steps",
    ),
  ),
  runId: Type.Optional(
    Type.String({
      ...RunId,
      description: "A run whose values are used instead of the pinned data",
    }),
  ),
  item: Type.Optional(Type.Unknown({ description: "Item of the innermost loop around the step" })),
  values: Type.Optional(
    Type.Record(Type.String({ maxLength: 64 }), Type.Unknown(), {
      maxProperties: 50,
      description: "Such as `trigger` or `steps`. These values take precedence",
    }),
  ),
};

export type PreviewPlace = Static<ReturnType<typeof placeSchema>>;
export const placeSchema = () => Type.Object(placeFields);

/** The values, and the position of each step. */
export interface PreviewScope {
  readonly values: Readonly<Record<string, unknown>>;
  readonly position: NodePosition;
  /** By step id: where the output comes from. */
  readonly sources: ReadonlyMap<string, "run" | "pin" | "values">;
  readonly triggerType: string | undefined;
}

/** Reads the values that expressions at this location see. */
export async function readPreviewScope(
  platform: Platform,
  caller: Caller,
  place: PreviewPlace,
  { readsVariables }: { readonly readsVariables: boolean },
): Promise<PreviewScope> {
  const { workspace, environment } = caller;
  if (!workspace) throw new Error("Expressions belong to a workspace.");
  assertReadable(caller, place);
  const partition = { workspace: workspace.key, environment };
  const stored = await platform.db.read(partition, (tx) => readStored(tx, place));
  const { run, workflow } = stored;
  if (run && !canSeeTrace(caller, run.runAs)) {
    const detail = `Using the values of this run requires the permission ${TracesRead.name}.`;
    throw new Failure(Forbidden, { detail });
  }
  const definition = place.definition ?? workflow?.definition;
  const position = locateNode(definition, place.stepId && toNodeKey(place.stepId));
  if (!position) throw invalidField("/stepId", "is not a step of the workflow");
  const sources = new Map<string, "run" | "pin" | "values">();
  const now = platform.clock.now().toISOString();
  const scope = new Scope({
    id: run?.id ?? NO_RUN,
    createdAt: run?.createdAt ?? now,
    workspace: workspace.key,
    environment,
    workflowId: run?.workflowId ?? place.workflowId ?? NO_WORKFLOW,
    versionId: run?.versionId ?? workflow?.newest.id ?? NO_VERSION,
    trigger: run?.trigger ?? {},
    test: undefined,
  });
  const path = withIterations(place.stepId ?? "", position);
  addPins(scope, stored.pins, position, { path, sources });
  for (const record of stored.steps) {
    scope.add(record);
    if (record.status === "completed" || record.status === "failed")
      sources.set(record.node, "run");
    if (record.items === undefined) continue;
    addLoop(scope, record);
  }
  const facts = await readWorkspaceFacts(platform, { workspace: workspace.key, environment });
  const variables = readsVariables ? await listValues(platform, partition, caller) : undefined;
  const values: Record<string, unknown> = { ...scope.at(path, { workspace: facts, variables }) };
  const innermost = position.loops.at(-1);
  if (innermost && place.item !== undefined) {
    values[innermost.as] = place.item;
    values["index"] ??= 0;
  }
  Object.assign(values, withGivenSteps(values, place.values, sources));
  return { values, position, sources, triggerType: triggerTypeOf(definition) };
}

const NO_RUN = "run_00000000000000000000000000";
const NO_WORKFLOW = "wf_00000000000000000000000000";
const NO_VERSION = "wfv_00000000000000000000000000";

/** A stored run or workflow must be readable by the caller. */
function assertReadable({ permissions }: Caller, { workflowId, runId }: PreviewPlace): void {
  if (workflowId === undefined && runId === undefined) return;
  if (permissions.has(WorkflowsRead.name)) return;
  const detail = `Using the values of a workflow requires the permission ${WorkflowsRead.name}.`;
  throw new Failure(Forbidden, { detail });
}

async function readStored(tx: Tx, { workflowId, runId }: PreviewPlace) {
  const workflow = workflowId === undefined ? undefined : await getWorkflow(tx, workflowId);
  const pins = workflowId === undefined ? {} : (await findPinnedData(tx, workflowId)).outputs;
  const run = runId === undefined ? undefined : await store.get(tx, runId);
  if (run && workflow && run.workflowId !== workflow.id) {
    throw invalidField("/runId", "is not a run of this workflow");
  }
  const entries = runId === undefined ? [] : await store.readEntries(tx, runId);
  return {
    workflow,
    pins,
    run,
    steps: [...foldJournal(entries.flatMap(({ records }) => records)).values()],
  };
}

/** The path of a step. A missing iteration means the first one. */
function withIterations(stepId: string, { node, loops }: NodePosition): string {
  if (node === undefined || stepId.includes("[")) return stepId.replaceAll("/", ".");
  return [...loops.map(({ id: loopId }) => `${loopId}[0]`), node.id].join(".");
}

/** Adds pinned outputs in the selected iteration. Outputs of the run are added later and take precedence. */
function addPins(
  scope: Scope,
  pins: Readonly<Record<string, unknown>>,
  { before, loops }: NodePosition,
  {
    path,
    sources,
  }: { readonly path: string; readonly sources: Map<string, "run" | "pin" | "values"> },
): void {
  const { iterations } = parsePath(path);
  for (const { id: nodeId, key } of before) {
    const name = Object.hasOwn(pins, key) ? key : nodeId;
    if (!Object.hasOwn(pins, name)) continue;
    const depth = key.split(".").length - 1;
    const within = iterations[depth - 1];
    const prefix = within ? `${within.path}[${within.index}].` : "";
    const output = pins[name];
    scope.add({
      path: prefix + nodeId,
      node: nodeId,
      status: "completed",
      attempts: 1,
      output: output ?? null,
    });
    sources.set(nodeId, "pin");
  }
  for (const [depth, { key, id: loopId, as }] of loops.entries()) {
    const items = pins[key] ?? pins[loopId];
    const at = iterations[depth]?.path;
    if (Array.isArray(items) && at !== undefined) scope.addItems(at, as, items);
  }
}

/** Given steps are added to the steps of the run. All other given names replace values of the run. */
function withGivenSteps(
  values: Readonly<Record<string, unknown>>,
  given: PreviewPlace["values"] = {},
  sources: Map<string, "run" | "pin" | "values">,
): Readonly<Record<string, unknown>> {
  const { steps, secrets: _, ...rest } = given;
  if (typeof steps !== "object" || steps === null) return rest;
  for (const name of Object.keys(steps)) sources.set(name, "values");
  return { ...rest, steps: { ...Object(values["steps"]), ...steps } as unknown };
}

function triggerTypeOf(definition: unknown): string | undefined {
  const { trigger } = Object(definition) as { readonly trigger?: unknown };
  const { type } = Object(trigger) as { readonly type?: unknown };
  return typeof type === "string" ? type : undefined;
}
