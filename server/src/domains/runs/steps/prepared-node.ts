import type { TObject } from "typebox";
import { splitConfig, type PlanNode } from "#domains/workflows/index.ts";
import { compileExpression, type Expression } from "#kernel/expression/expression.ts";
import { compileTemplate, type Template } from "#kernel/expression/template.ts";
import { joinReferences } from "#kernel/expression/references.ts";
import { Validator } from "#kernel/schema/validator.ts";

/** A node's configuration, compiled once for any number of evaluations. */
export interface PreparedNode {
  readonly template: Template;
  readonly expressions: ReadonlyMap<string, Expression>;
  readonly literals: Readonly<Record<string, unknown>>;
  /** The names of the secrets that it reads. */
  readonly secrets: readonly string[];
  readonly check: ConfigCheck;
}

/** Checks an evaluated configuration: gives it with its defaults, or the first error. */
type ConfigCheck = (config: unknown) => { readonly config: unknown } | { readonly error: string };

const preparedNodes = new WeakMap<PlanNode, PreparedNode>();
const configChecks = new WeakMap<TObject, ConfigCheck>();

/** Compiles the configuration of a node; cached for as long as its plan is. */
export function prepareNode(node: PlanNode): PreparedNode {
  let prepared = preparedNodes.get(node);
  if (!prepared) preparedNodes.set(node, (prepared = compileNode(node)));
  return prepared;
}

function compileNode({ type, config }: PlanNode): PreparedNode {
  const { templates, expressions, literals } = splitConfig(type.config, config);
  const template = compileTemplate(templates);
  const compiled = new Map(
    Object.entries(expressions).map(([name, text]) => [name, compileExpression(text)]),
  );
  const { secrets } = joinReferences([
    template.references,
    ...[...compiled.values()].map(({ references }) => references),
  ]);
  return { template, expressions: compiled, literals, secrets, check: configCheckOf(type.config) };
}

function configCheckOf(schema: TObject): ConfigCheck {
  let check = configChecks.get(schema);
  if (!check) {
    const validator = new Validator(schema, "body");
    check = (config) => {
      const result = validator.check(config);
      if ("value" in result) return { config: result.value };
      const [first] = result.errors;
      return { error: `${first?.path ?? ""} ${first?.message ?? "is not valid"}`.trim() };
    };
    configChecks.set(schema, check);
  }
  return check;
}
