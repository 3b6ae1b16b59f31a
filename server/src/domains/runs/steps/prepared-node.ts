import type { TObject } from "typebox";
import { partsOf, type PlanNode } from "#domains/workflows/index.ts";
import { compileExpression, type Expression } from "#kernel/expression/expression.ts";
import { compileTemplate, type Template } from "#kernel/expression/template.ts";
import { joinReferences } from "#kernel/expression/references.ts";
import { Validator } from "#kernel/schema/validator.ts";

/** A node's configuration, made ready to be evaluated any number of times. */
export interface PreparedNode {
  readonly template: Template;
  readonly expressions: ReadonlyMap<string, Expression>;
  readonly literals: Readonly<Record<string, unknown>>;
  /** The secrets that it names. */
  readonly secrets: readonly string[];
  readonly check: Check;
}

/** An evaluated configuration with its defaults, or what is wrong with it. */
type Check = (config: unknown) => { readonly config: unknown } | { readonly fault: string };

const prepared = new WeakMap<PlanNode, PreparedNode>();
const checkers = new WeakMap<TObject, Check>();

/** Plans live as long as their version is in use, and this with them. */
export function prepareNode(node: PlanNode): PreparedNode {
  let known = prepared.get(node);
  if (!known) prepared.set(node, (known = prepare(node)));
  return known;
}

function prepare({ type, config }: PlanNode): PreparedNode {
  const { templates, expressions, literals } = partsOf(type.config, config);
  const template = compileTemplate(templates);
  const compiled = new Map(
    Object.entries(expressions).map(([name, text]) => [name, compileExpression(bare(text))]),
  );
  const { secrets } = joinReferences([
    template.references,
    ...[...compiled.values()].map(({ references }) => references),
  ]);
  return { template, expressions: compiled, literals, secrets, check: checkerOf(type.config) };
}

/** An expression may stand in braces or not. */
function bare(text: string): string {
  return /^\s*\{\{([\s\S]*)\}\}\s*$/.exec(text)?.[1] ?? text;
}

/** Defaults are filled in; the first fault is told in words. */
function checkerOf(schema: TObject): Check {
  let check = checkers.get(schema);
  if (!check) {
    const shape = new Validator(schema, "body");
    check = (config) => {
      const result = shape.check(config);
      if ("value" in result) return { config: result.value };
      const [first] = result.faults;
      return { fault: `${first?.path ?? ""} ${first?.message ?? "is not valid"}`.trim() };
    };
    checkers.set(schema, check);
  }
  return check;
}
