/** The state of one import: ids, sources of items, the report and the bindings that a person must choose. */
import type { Definition, Edge, Node, Trigger } from "../definition/index.ts";
import {
  needsOf,
  nodesRead,
  readsPairedItem,
  toCode,
  variablesCode,
  variablesRead,
  viewNames,
} from "./code-text.ts";
import type { Json, N8nNode, NodePart } from "./n8n-workflow.ts";

export type ImportStatus = "converted" | "approximated" | "placeholder";

/** The fate of one node. */
export interface NodeReport {
  readonly node: string;
  readonly type: string;
  readonly stepId: string;
  readonly status: ImportStatus;
  readonly reasons: readonly string[];
}

/**
 * Something that only a person knows: which connector, workflow or table is meant, or a `text` that the export lacks.
 */
export interface ImportBinding {
  readonly id: string;
  readonly kind: "connector" | "workflow" | "table" | "secret" | "text";
  readonly title: string;
  readonly usedBy: readonly string[];
}

/** The steps that lead to a node, each with the output that does. */
export type Source = readonly [step: string, output: number];

/** A node with all that its conversion needs. */
export interface NodeContext {
  readonly node: N8nNode;
  /** The id of the step that has its items. */
  readonly id: string;
  readonly sources: readonly Source[];
  /** The ids of steps that its code can read, by the names of their nodes. */
  readonly visible: ReadonlyMap<string, string>;
  readonly workflowName: string;
  /** The nodes that belong to it: models, tools, memories of an agent. */
  readonly parts: readonly NodePart[];
  readonly bind: (kind: ImportBinding["kind"], key: string, title: string) => string;
  /** Takes a workflow that the node needs beside its own. */
  readonly addWorkflow: (definition: Definition) => void;
}

/** The steps of a node: edges come to the first one and leave the last one. */
export interface ConvertedNode {
  readonly steps: readonly Node[];
  /** Between its own steps; a chain unless given. */
  readonly edges?: readonly Edge[];
  readonly approximations?: readonly string[];
}

export type Convert = (ctx: NodeContext) => ConvertedNode;

/** Conversions of nodes, by their types in n8n; `registry.ts` names all tables. */
export type NodeTable = Readonly<Record<string, Convert>>;

/** A trigger of ours for one of n8n, and what is inexact in it. */
export interface ConvertedTrigger {
  readonly trigger: Trigger;
  readonly approximations: readonly string[];
}

/** Conversions of triggers, by their types in n8n. */
export type TriggerTable = Readonly<Record<string, (ctx: TriggerContext) => ConvertedTrigger>>;

export type TriggerContext = Pick<NodeContext, "node" | "bind" | "parts">;

/** Thrown where there is nothing here for what a node does. */
export class NotConvertible extends Error {}

/** The options of the library's `n8n` that find the items of a node, as code. */
export function optionsCode(
  { sources, visible, node, workflowName }: NodeContext,
  text: Json,
): string {
  const isNamed = JSON.stringify(text ?? null).includes("$workflow");
  const names = nodesRead(text).flatMap((name) => {
    const step = visible.get(name);
    return step === undefined ? [] : [[name, step] as const];
  });
  const from = JSON.stringify(
    sources.map(([step, output]) => (output === 0 ? [step] : [step, output])),
  );
  const parts = [
    `from: ${from}`,
    ...(names.length === 0 ? [] : [`names: ${JSON.stringify(Object.fromEntries(names))}`]),
    ...(node.executeOnce ? ["once: true"] : []),
    ...(isNamed ? [`workflow: ${JSON.stringify(workflowName)}`] : []),
  ];
  return `{ ${parts.join(", ")} }`;
}

/** The inexact parts of a text that reads other nodes. */
export function findApproximations({ visible }: NodeContext, text: Json): string[] {
  const unseen = nodesRead(text).filter((name) => !visible.has(name));
  return [
    ...unseen.map(
      (name) => `reads ${name}, which does not run before this node, or runs only in a loop`,
    ),
    ...(readsPairedItem(text) ? ["an item of another node is selected by its index"] : []),
    ...variablesRead(text).map((name) => `${name} is a variable of the workspace`),
  ];
}

/** Fails where a text needs what is not here. */
export function assertSupported(text: Json): void {
  const needs = needsOf(text);
  if (needs !== undefined) throw new NotConvertible(`needs ${needs}`);
}

/** A script that computes something for each item; `code` is an expression that sees the names of n8n. */
export function eachScript(ctx: NodeContext, id: string, code: string, text: Json): Node {
  const view = viewNames(code).join(", ");
  return scriptStep(
    ctx,
    id,
    `return n8n.each(input, ${optionsCode(ctx, text)}, (${view === "" ? "" : `{ ${view} }`}) => (${code}));`,
  );
}

/**
 * A script over all items: `code` is the body of a function that sees `list`, the items as objects with their files.
 */
export function listScript(ctx: NodeContext, id: string, code: string): Node {
  return scriptStep(
    ctx,
    id,
    `const list = n8n(input, ${optionsCode(ctx, "")}).items.map(({ json, binary }) => n8n.withFiles(json, binary));\n${code}`,
  );
}

/** A script over all items, of which `code` may see what expressions see of the first one. */
export function firstItemScript(
  ctx: NodeContext,
  { id, code, text }: { readonly id: string; readonly code: string; readonly text: Json },
): Node {
  const names = [...new Set([...viewNames(toCode(text)), "items"])].join(", ");
  return scriptStep(
    ctx,
    id,
    `const { ${names} } = n8n(input, ${optionsCode(ctx, text)});
const list = items.map(({ json, binary }) => n8n.withFiles(json, binary));
${code}`,
  );
}

export function scriptStep({ node }: NodeContext, id: string, source: string): Node {
  const whole = `${variablesCode(source)}${source}`;
  return { id, type: "script", name: node.name.slice(0, 200), config: { source: whole } };
}

/** The script with other code of what it returns: one that begins with that, but for variables. */
export function withReturn(step: Node, change: (value: string) => string): Node {
  const { source } = step.config as { readonly source: string };
  const made = source.replace(
    /^(const \$env = .*\n)?return ([\s\S]*);$/,
    (_, before: string | undefined, value: string) => `${before ?? ""}${change(value)}`,
  );
  return { ...step, config: { source: made } };
}

/**
 * A step that reaches outside for each item: its input is computed by a script, and what it answers becomes items
 * again. `flatten` is code that sees `outputs`.
 */
export function outsideSteps(
  ctx: NodeContext,
  {
    args,
    step,
    flatten,
  }: {
    readonly args: string;
    readonly step: Pick<Node, "type" | "config">;
    readonly flatten: string;
  },
  text: Json,
): ConvertedNode {
  const { node, id } = ctx;
  const continues = node.onError !== "stopWorkflow";
  const name = node.name.slice(0, 200);
  const call: Node = {
    id: `${id}_call`,
    ...step,
    name,
    forEach: { items: `{{ steps.${id}_args.output }}` },
    ...(continues && { onError: "continue" }),
    ...(node.retries !== undefined && {
      retry: { maxAttempts: Math.min(Math.max(1, Math.round(node.retries)), 20) },
    }),
  };
  const source = `const outputs = input.steps.${id}_call.output;\n${flatten}`;
  return {
    steps: [
      eachScript(ctx, `${id}_args`, args, text),
      call,
      { id, type: "script", name, config: { source } },
    ],
    approximations: [
      ...findApproximations(ctx, text),
      ...(continues ? ["the error item does not contain the error object of n8n"] : []),
    ],
  };
}

/** The names of the view of an item that code of steps may use. */
const SCRIPT_NAMES =
  "$json, $binary, $item, $input, $, $node, $items, items, $now, $today, $jmespath, $itemIndex, $runIndex, $execution, $workflow, $prevNode, $if, $ifEmpty, $max, $min, value";

/**
 * A script that calls a connector for each item, where one call depends on the answer of another. `code` sees `call`
 * and the names of n8n, and returns the items of one item. It is one step, which is retried as a whole.
 */
export function callScript(
  ctx: NodeContext,
  {
    connectorId,
    code,
    text,
  }: { readonly connectorId: string; readonly code: string; readonly text: Json },
): ConvertedNode {
  const { node, id } = ctx;
  const [made, failed] =
    node.onError === "continueErrorOutput" ? ["o0", "o1"] : (["o0", "o0"] as const);
  const work = `outputs.${made}.push(...(await work(view)));`;
  const guarded =
    node.onError === "stopWorkflow"
      ? work
      : `try {
    ${work}
  } catch (error) {
    outputs.${failed}.push({ error: error.message });
  }`;
  const source = `const call = (action, input) => context.connectors.invoke(${JSON.stringify(connectorId)}, action, input);
const outputs = { o0: [], o1: [] };
const work = async ({ ${SCRIPT_NAMES} }) => {
  ${code}
};
for (const view of n8n.each(input, ${optionsCode(ctx, text)}, (view) => view)) {
  ${guarded}
}
return ${node.onError === "continueErrorOutput" ? "outputs" : "outputs.o0"};`;
  const step = scriptStep(ctx, id, source);
  const retry = { maxAttempts: Math.min(Math.max(1, Math.round(node.retries ?? 1)), 20) };
  return {
    steps: [node.retries === undefined ? step : { ...step, retry }],
    approximations: [
      ...findApproximations(ctx, text),
      ...(node.onError === "stopWorkflow"
        ? []
        : ["the error item does not contain the error object of n8n"]),
    ],
  };
}

/** A parameter as code. */
export function param({ node }: NodeContext, name: string, otherwise: Json = ""): string {
  return toCode(node.parameters[name] ?? otherwise);
}

/**
 * The node with an empty item where it would give none, as its option says; undefined where no script gives its
 * items.
 */
export function withEmptyItem(
  { id, sources }: NodeContext,
  made: ConvertedNode,
): ConvertedNode | undefined {
  const last = made.steps.find((step) => step.id === id);
  const { source } = Object(last?.config) as { readonly source?: unknown };
  if (last?.type !== "script" || typeof source !== "string") return undefined;
  const from = JSON.stringify(sources);
  const whole = `return n8n.always(await (async () => {\n${source}\n})(), input, ${from});`;
  const steps = made.steps.map((step) =>
    step === last ? { ...step, config: { ...Object(step.config), source: whole } } : step,
  );
  return { ...made, steps };
}
