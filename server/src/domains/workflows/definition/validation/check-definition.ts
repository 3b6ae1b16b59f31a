import Type, { type TObject } from "typebox";
import { Value } from "typebox/value";
import type { FieldError } from "#kernel/operation/failure.ts";
import { object } from "#kernel/schema/schema.ts";
import { fieldErrors } from "#kernel/schema/validator.ts";
import type { Steps } from "#kernel/work/turn-timer.ts";
import { checkGraph, OUTERMOST } from "./check-graph.ts";
import { checkOuterNames } from "./check-names.ts";
import {
  type CheckContext,
  type ExpressionCheck,
  isRecord,
  errorReporter,
} from "./check-context.ts";
import {
  definitionFields,
  EDGES_MAX,
  NESTING_MAX,
  NODES_MAX,
  TRIGGERS_MAX,
} from "../definition.ts";
import type { Config, NodeTypes } from "../node-type.ts";
import { isTemplate } from "../template.ts";
import { FIRST_TRIGGER_ID } from "../trigger-list.ts";
import { checkStreamedStep } from "../triggers/streamed-step.ts";
import { checkInputSchema } from "../triggers/trigger-schema.ts";
import { triggerTypes } from "../trigger.ts";

/** The findings in a definition, each with its JSON pointer. */
export interface DefinitionIssues {
  /** Errors prevent saving. */
  readonly errors: readonly FieldError[];
  /** Warnings do not prevent saving or deployment. */
  readonly warnings: readonly FieldError[];
  /** Open choices of an import prevent deployment, but not saving. */
  readonly open?: readonly FieldError[];
}

/**
 * Finds all errors and warnings of a definition. Accepts any JSON, and checks each part even if others are invalid.
 */
export function* checkDefinition(
  definition: unknown,
  types: NodeTypes,
  expressions: ExpressionCheck,
): Steps<DefinitionIssues> {
  const errors = schemaErrors(OutlineSchema, definition);
  if (!isRecord(definition)) return { errors, warnings: [] };
  const { trigger, triggers } = definition;
  const allTriggers = [trigger, ...(Array.isArray(triggers) ? (triggers as unknown[]) : [])];
  const ctx: CheckContext = {
    types,
    expressions,
    errors,
    warnings: [],
    triggerTypes: allTriggers.map((one) => (Object(one) as { readonly type?: unknown }).type),
    starts: new Set(
      allTriggers.flatMap((one) => (Object(one) as { readonly start?: unknown }).start ?? []),
    ),
  };
  checkTriggers(ctx, allTriggers, { nodes: definition["nodes"], edges: definition["edges"] });
  checkKey(ctx, definition["concurrencyKey"]);
  const { nodes, edges } = definition;
  if (Array.isArray(nodes) && Array.isArray(edges)) {
    const tooMany = sizeErrors(definition);
    errors.push(...tooMany);
    if (tooMany.length === 0) yield* checkGraph(ctx, { nodes, edges }, OUTERMOST);
  }
  return ctx;
}

// These three fields are checked item by item to find all errors: one schema check reports only a few, and without
// the texts of the type.
const OutlineSchema = object({
  ...definitionFields,
  trigger: Type.Unknown(),
  triggers: Type.Optional(Type.Array(Type.Unknown(), { maxItems: TRIGGERS_MAX })),
  nodes: Type.Array(Type.Unknown()),
  edges: Type.Array(Type.Unknown()),
});

/** Checks each trigger, unique trigger ids, and the existence of start nodes. */
function checkTriggers(
  ctx: CheckContext,
  all: readonly unknown[],
  graph: { readonly nodes: unknown; readonly edges: unknown },
): void {
  const { nodes } = graph;
  const ids = new Set<unknown>();
  const nodeIds = new Set(
    Array.isArray(nodes) ? nodes.map((node) => (Object(node) as { id?: unknown }).id) : [],
  );
  for (const [index, trigger] of all.entries()) {
    const path = index === 0 ? "/trigger" : `/triggers/${index - 1}`;
    checkTrigger(ctx, trigger, path);
    if (!isRecord(trigger)) continue;
    const { id = index === 0 ? FIRST_TRIGGER_ID : undefined, start } = trigger;
    if (id === undefined) ctx.errors.push({ path: `${path}/id`, message: "is required" });
    else if (ids.has(id))
      ctx.errors.push({ path: `${path}/id`, message: "is already the id of another trigger" });
    ids.add(id);
    if (trigger["type"] === "chat") {
      errorReporter(ctx, path)(checkStreamedStep(trigger["stream"], graph));
    }
    if (!Array.isArray(start)) continue;
    for (const [at, node] of start.entries()) {
      if (nodeIds.has(node)) continue;
      ctx.errors.push({ path: `${path}/start/${at}`, message: "is not a node of the workflow" });
    }
  }
}

function checkTrigger(ctx: CheckContext, trigger: unknown, path: string): void {
  if (trigger === undefined) return;
  const report = errorReporter(ctx, path);
  if (!isRecord(trigger) || typeof trigger["type"] !== "string") {
    return report(schemaErrors(TriggerOutline, trigger));
  }
  const type = triggerTypes.get(trigger["type"]);
  if (type === undefined) {
    const message = `must be one of ${[...triggerTypes.keys()].join(", ")}`;
    return report([{ path: "/type", message }]);
  }
  const errors = schemaErrors(type.schema, trigger);
  if (errors.length > 0) return report(errors);
  report([...(type.check?.(trigger) ?? []), ...checkInputSchema(trigger["inputSchema"])]);
}

const TriggerOutline = Type.Object({ type: Type.String() });

function schemaErrors(schema: TObject, value: unknown): FieldError[] {
  return fieldErrors(Value.Errors(schema, value));
}

/** The key is evaluated before the run has steps. */
const KEY_ROOTS = ["trigger", "environment"];

function checkKey(ctx: CheckContext, key: unknown): void {
  const { errors, expressions } = ctx;
  if (!isTemplate(key)) return;
  checkOuterNames(ctx, expressions.templateNames(key), KEY_ROOTS, "/concurrencyKey");
  errors.push(...expressions.template(key).map((f) => ({ ...f, path: "/concurrencyKey" })));
}

/** Checks the size of a definition, including loops and tools, before slower checks. */
export function sizeErrors(definition: unknown): FieldError[] {
  const { nodes, edges } = countParts(definition, 0);
  const message = (max: number): string => `exceed the limit of ${max}, including loops`;
  return [
    ...(nodes > NODES_MAX ? [{ path: "/nodes", message: message(NODES_MAX) }] : []),
    ...(edges > EDGES_MAX ? [{ path: "/edges", message: message(EDGES_MAX) }] : []),
  ];
}

function countParts(graph: unknown, depth: number): { nodes: number; edges: number } {
  const { nodes, edges, tools } = Object(graph) as Config;
  const lists = [nodes, edges, tools].map((list) =>
    Array.isArray(list) ? (list as unknown[]) : [],
  );
  const [own = [], edgeList = [], toolList = []] = lists;
  const count = { nodes: own.length + toolList.length, edges: edgeList.length };
  // Deeper nesting is an error anyway.
  if (depth > NESTING_MAX || count.nodes > NODES_MAX) return count;
  for (const node of own) {
    const { config } = Object(node) as Config;
    const { body, tools: further } = Object(config) as Config;
    for (const inner of [countParts(body, depth + 1), countParts({ tools: further }, depth + 1)]) {
      count.nodes += inner.nodes;
      count.edges += inner.edges;
    }
  }
  return count;
}
