/** The state of one import: ids, sources of items, the report, and the bindings to choose. */
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

/** The import result of one node. */
export interface NodeReport {
  readonly node: string;
  readonly type: string;
  readonly stepId: string;
  readonly status: ImportStatus;
  readonly reasons: readonly string[];
}

/** A choice that the user must make: a connector, workflow or table, or a `text` that the export does not contain. */
export interface ImportBinding {
  readonly id: string;
  readonly kind: "connector" | "workflow" | "table" | "secret" | "text";
  readonly title: string;
  readonly usedBy: readonly string[];
}

/** A predecessor, and the output connected to the node. */
export type Source = readonly [step: string, output: number];

/** A node with everything that its conversion needs. */
export interface NodeContext {
  readonly node: N8nNode;
  /** The id of the step that outputs its items. */
  readonly id: string;
  readonly sources: readonly Source[];
  /** Step ids usable in code, by node name. */
  readonly visible: ReadonlyMap<string, string>;
  readonly workflowName: string;
  /** Sub-nodes of an agent: models, tools and memories. */
  readonly parts: readonly NodePart[];
  readonly bind: (kind: ImportBinding["kind"], key: string, title: string) => string;
  /** Adds a second workflow that the node needs. */
  readonly addWorkflow: (definition: Definition) => void;
}

/** The converted steps. Incoming edges lead to the first step, outgoing edges start at the last. */
export interface ConvertedNode {
  readonly steps: readonly Node[];
  /** The edges between its steps. By default the steps form a chain. */
  readonly edges?: readonly Edge[];
  readonly approximations?: readonly string[];
}

export type Convert = (ctx: NodeContext) => ConvertedNode;

/** Node converters by n8n type. `registry.ts` lists all tables. */
export type NodeTable = Readonly<Record<string, Convert>>;

/** The converted trigger, and notes about its differences. */
export interface ConvertedTrigger {
  readonly trigger: Trigger;
  readonly approximations: readonly string[];
}

/** Trigger converters by n8n type. */
export type TriggerTable = Readonly<Record<string, (ctx: TriggerContext) => ConvertedTrigger>>;

export type TriggerContext = Pick<NodeContext, "node" | "bind" | "parts">;

/** Thrown if the platform has no equivalent of a node. */
export class NotConvertible extends Error {}

/** Builds the options for finding a node's items, as code for the `n8n` object. */
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

/** Notes about inexact conversions of a text that references other nodes. */
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

/** Throws if a text needs an unsupported feature. */
export function assertSupported(text: Json): void {
  const needs = needsOf(text);
  if (needs !== undefined) throw new NotConvertible(`needs ${needs}`);
}

/** A script that computes a value for each item. `code` is an expression with access to the n8n names. */
export function eachScript(ctx: NodeContext, id: string, code: string, text: Json): Node {
  const view = viewNames(code).join(", ");
  return scriptStep(
    ctx,
    id,
    `return n8n.each(input, ${optionsCode(ctx, text)}, (${view === "" ? "" : `{ ${view} }`}) => (${code}));`,
  );
}

/**
 * A script over all items. `code` is a function body with access to `list`, the items as objects with their files.
 */
export function listScript(ctx: NodeContext, id: string, code: string): Node {
  return scriptStep(
    ctx,
    id,
    `const list = n8n(input, ${optionsCode(ctx, "")}).items.map(({ json, binary }) => n8n.withFiles(json, binary));\n${code}`,
  );
}

/** A script over all items, with the expression scope of the first item. */
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

/**
 * The script with changed code of its return value. Its source must start with `return`, after variable declarations.
 */
export function withReturn(step: Node, change: (value: string) => string): Node {
  const { source } = step.config as { readonly source: string };
  const made = source.replace(
    /^(const \$env = .*\n)?return ([\s\S]*);$/,
    (_, before: string | undefined, value: string) => `${before ?? ""}${change(value)}`,
  );
  return { ...step, config: { source: made } };
}

/**
 * A step with an effect outside for each item: a script computes its input, and its output is converted back to
 * items. `flatten` is code with access to `outputs`.
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

/** The item view names that the code of steps can use. */
const SCRIPT_NAMES =
  "$json, $binary, $item, $input, $, $node, $items, items, $now, $today, $jmespath, $itemIndex, $runIndex, $execution, $workflow, $prevNode, $if, $ifEmpty, $max, $min, value";

/**
 * Creates a script that calls a connector for every item when calls depend on each other. `code` can use `call`
 * and the n8n names, and returns the items for one item. A retry repeats the whole script.
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
 * The node with an empty item if it would output none, as its option requires. Undefined if no script outputs its
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
