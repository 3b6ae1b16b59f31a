import Type, { type TObject } from "typebox";
import { Value } from "typebox/value";
import type { FieldError } from "#kernel/operation/failure.ts";
import { object } from "#kernel/schema/schema.ts";
import { fieldErrors } from "#kernel/schema/validator.ts";
import { checkGraph } from "./check-graph.ts";
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

/**
 * Everything that is wrong with a definition, each with its JSON pointer; empty when it can be
 * saved. It takes any JSON, and says of each part all that can be said although others are faulty.
 */
export function checkDefinition(
  definition: unknown,
  types: NodeTypes,
  expressions: ExpressionCheck,
): FieldError[] {
  const faults = shapeFaults(Outline, definition);
  if (!isRecord(definition)) return faults;
  const checking: CheckContext = { types, expressions, faults, nodes: 0, edges: 0 };
  checkTrigger(checking, definition["trigger"]);
  checkKey(checking, definition["concurrencyKey"]);
  const { nodes, edges } = definition;
  if (Array.isArray(nodes) && Array.isArray(edges)) {
    checkGraph(checking, { nodes, edges }, { path: "", depth: 0, enclosing: new Set() });
    checkSize(checking);
  }
  return checking.faults;
}

// The inside of these three is looked at piece by piece: only so is every fault found, since one
// check reports a few at most, and each in the words that fit its type.
const Outline = object({
  ...definitionFields,
  trigger: Type.Unknown(),
  nodes: Type.Array(Type.Unknown()),
  edges: Type.Array(Type.Unknown()),
});

function checkTrigger(checking: CheckContext, trigger: unknown): void {
  if (trigger === undefined) return;
  const report = errorReporter(checking, "/trigger");
  if (!isRecord(trigger) || typeof trigger["type"] !== "string") {
    return report(shapeFaults(Named, trigger));
  }
  const type = triggerTypes.get(trigger["type"]);
  if (type === undefined) {
    const message = `must be one of ${[...triggerTypes.keys()].join(", ")}`;
    return report([{ path: "/type", message }]);
  }
  const faults = shapeFaults(type.schema, trigger);
  report(faults.length > 0 ? faults : (type.check?.(trigger) ?? []));
}

const Named = Type.Object({ type: Type.String() });

function shapeFaults(schema: TObject, value: unknown): FieldError[] {
  return fieldErrors(Value.Errors(schema, value));
}

function checkKey({ faults, expressions }: CheckContext, key: unknown): void {
  if (!isTemplate(key)) return;
  faults.push(...expressions.template(key).map((f) => ({ ...f, path: "/concurrencyKey" })));
}

function checkSize({ faults, nodes, edges }: CheckContext): void {
  if (nodes > NODES_MAX) {
    faults.push({ path: "/nodes", message: `are more than ${NODES_MAX}, loops included` });
  }
  if (edges > EDGES_MAX) {
    faults.push({ path: "/edges", message: `are more than ${EDGES_MAX}, loops included` });
  }
}
