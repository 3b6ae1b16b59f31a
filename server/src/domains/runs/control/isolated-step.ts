import {
  type Definition,
  listNodes,
  locateNode,
  type NodePosition,
  nodeTypesOf,
  toNodeKey,
} from "#domains/workflows/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { invalidField } from "#kernel/operation/failure.ts";
import type { GivenValues } from "../engine/run-context.ts";
import { readPreviewScope } from "../preview/preview-scope.ts";

/** A workflow with a single step, and the values visible to it. */
export interface IsolatedStep {
  readonly definition: Definition;
  readonly given: GivenValues;
  /** The key of the step in the complete workflow. */
  readonly key: string;
  /** Mocks by their names in the one-step workflow. */
  readonly mocks: Readonly<Record<string, unknown>>;
  /** The trigger of the named run. */
  readonly trigger: Readonly<Record<string, unknown>> | undefined;
}

interface Whole {
  readonly workflowId: string;
  readonly whole: Definition;
  /** Mocks of the request and pinned outputs. */
  readonly mocks: Readonly<Record<string, unknown>>;
  readonly request: {
    readonly mocks?: Readonly<Record<string, unknown>>;
    readonly only?: string;
    readonly runId?: string;
    readonly item?: unknown;
  };
}

/** Extracts the step under test from its workflow. Undefined if the test covers the complete workflow. */
export async function isolateStep(
  platform: Platform,
  caller: Caller,
  { workflowId, whole, mocks, request }: Whole,
): Promise<IsolatedStep | undefined> {
  const { only, runId, item } = request;
  if (only === undefined) {
    if (runId !== undefined) throw invalidField("/runId", "needs `only`");
    if (item !== undefined) throw invalidField("/item", "needs `only`");
    return undefined;
  }
  const position = locateNode(whole, toNodeKey(only));
  if (!position?.node) throw invalidField("/only", "is not a step of the workflow");
  const place = {
    workflowId,
    definition: whole,
    stepId: only,
    values: { steps: mockedSteps(position, mocks) },
    ...(runId !== undefined && { runId }),
    ...(item !== undefined && { item }),
  };
  // The step itself reads the current variables when it runs.
  const { values } = await readPreviewScope(platform, caller, place, { readsVariables: false });
  const { steps, trigger, run: _, workspace: __, environment: ___, ...items } = values;
  const { key, id } = position.node;
  const node = findNode(whole, key);
  const isPure = nodeTypesOf(platform).get(node.type)?.effect === "pure";
  const isAsked = [key, id].some((name) => Object.hasOwn(request.mocks ?? {}, name));
  // The mock of the tested step is ignored, because the test is meant to execute the step.
  const { [key]: ____, [id]: _____, ...others } = mocks;
  return {
    key,
    mocks: relocateNames(isPure && !isAsked ? others : mocks, key),
    definition: { ...whole, nodes: [node], edges: [] },
    given: { steps: { ...Object(steps) } as Record<string, unknown>, items },
    trigger: runId === undefined ? undefined : (trigger as Record<string, unknown>),
  };
}

/** Names as seen from the isolated step: `each.call` becomes `call`. */
export function relocateNames<T>(
  all: Readonly<Record<string, T>>,
  key: string,
): Readonly<Record<string, T>> {
  const id = key.slice(key.lastIndexOf(".") + 1);
  const inside = Object.entries(all).flatMap(([name, one]): [string, T][] =>
    name === key || name.startsWith(`${key}.`) ? [[id + name.slice(key.length), one]] : [],
  );
  return { ...all, ...Object.fromEntries(inside) };
}

/** Returns the mocks as expressions see them. */
function mockedSteps({ before }: NodePosition, mocks: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(
    before.flatMap(({ id, key }) => {
      const name = [key, id].find((one) => Object.hasOwn(mocks, one));
      return name === undefined ? [] : [[id, { output: mocks[name] }]];
    }),
  );
}

/** The complete node, which its outline shortens. Its edges are removed. */
function findNode(definition: Definition, key: string): Definition["nodes"][number] {
  let nodes = definition.nodes;
  const ids = key.split(".");
  for (const [depth, id] of ids.entries()) {
    const node = nodes.find((one) => one.id === id);
    if (!node) break;
    if (depth === ids.length - 1)
      return { ...node, ...(node.onError === "branch" && { onError: "fail" as const }) };
    const { body } = Object(node.config) as { readonly body?: Pick<Definition, "nodes"> };
    nodes = body?.nodes ?? [];
  }
  throw new Error(`The definition has ${listNodes(definition).length} nodes, but not ${key}.`);
}
