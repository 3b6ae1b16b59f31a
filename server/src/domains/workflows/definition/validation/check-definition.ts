import Type, { type TObject } from "typebox";
import { Value } from "typebox/value";
import type { FieldError } from "#kernel/operation/failure.ts";
import { object } from "#kernel/schema/schema.ts";
import { fieldErrors } from "#kernel/schema/validator.ts";
import { checkGraph, OUTERMOST } from "./check-graph.ts";
import { checkOuterNames } from "./check-names.ts";
import {
  type CheckContext,
  type ExpressionCheck,
  isRecord,
  errorReporter,
} from "./check-context.ts";
import { definitionFields, EDGES_MAX, NODES_MAX } from "../definition.ts";
import type { NodeTypes } from "../node-type.ts";
import { isTemplate } from "../template.ts";
import { triggerTypes } from "../trigger.ts";

/** The findings in a definition, each with its JSON pointer. */
export interface DefinitionIssues {
  /** With one of these it can't be saved. */
  readonly errors: readonly FieldError[];
  /** These may be right all the same. */
  readonly warnings: readonly FieldError[];
}

/**
 * Finds all errors of a definition, and what is doubtful. It takes any JSON, and checks each part
 * although others are invalid.
 */
export function checkDefinition(
  definition: unknown,
  types: NodeTypes,
  expressions: ExpressionCheck,
): DefinitionIssues {
  const errors = schemaErrors(OutlineSchema, definition);
  if (!isRecord(definition)) return { errors, warnings: [] };
  const { type: triggerType } = Object(definition["trigger"]) as { readonly type?: unknown };
  const ctx: CheckContext = {
    types,
    expressions,
    errors,
    warnings: [],
    triggerType,
    nodes: 0,
    edges: 0,
  };
  checkTrigger(ctx, definition["trigger"]);
  checkKey(ctx, definition["concurrencyKey"]);
  const { nodes, edges } = definition;
  if (Array.isArray(nodes) && Array.isArray(edges)) {
    checkGraph(ctx, { nodes, edges }, OUTERMOST);
    checkSize(ctx);
  }
  return ctx;
}

// The content of these three is checked item by item: only so are all errors found, since one schema
// check reports a few at most, and each in the words that fit its type.
const OutlineSchema = object({
  ...definitionFields,
  trigger: Type.Unknown(),
  nodes: Type.Array(Type.Unknown()),
  edges: Type.Array(Type.Unknown()),
});

function checkTrigger(ctx: CheckContext, trigger: unknown): void {
  if (trigger === undefined) return;
  const report = errorReporter(ctx, "/trigger");
  if (!isRecord(trigger) || typeof trigger["type"] !== "string") {
    return report(schemaErrors(TriggerOutline, trigger));
  }
  const type = triggerTypes.get(trigger["type"]);
  if (type === undefined) {
    const message = `must be one of ${[...triggerTypes.keys()].join(", ")}`;
    return report([{ path: "/type", message }]);
  }
  const errors = schemaErrors(type.schema, trigger);
  report(errors.length > 0 ? errors : (type.check?.(trigger) ?? []));
}

const TriggerOutline = Type.Object({ type: Type.String() });

function schemaErrors(schema: TObject, value: unknown): FieldError[] {
  return fieldErrors(Value.Errors(schema, value));
}

/** It is evaluated before the run has steps. */
const KEY_ROOTS = ["trigger", "environment"];

function checkKey(ctx: CheckContext, key: unknown): void {
  const { errors, expressions } = ctx;
  if (!isTemplate(key)) return;
  checkOuterNames(ctx, expressions.templateNames(key), KEY_ROOTS, "/concurrencyKey");
  errors.push(...expressions.template(key).map((f) => ({ ...f, path: "/concurrencyKey" })));
}

function checkSize({ errors, nodes, edges }: CheckContext): void {
  if (nodes > NODES_MAX) {
    errors.push({ path: "/nodes", message: `are more than ${NODES_MAX}, loops included` });
  }
  if (edges > EDGES_MAX) {
    errors.push({ path: "/edges", message: `are more than ${EDGES_MAX}, loops included` });
  }
}
