import type { TObject } from "typebox";
import { isTemplate, splitConfig, type PlanNode } from "#domains/workflows/index.ts";
import { compileExpression, type Expression } from "#kernel/expression/expression.ts";
import { compileTemplate, type Template } from "#kernel/expression/template.ts";
import { ANY_NAME, joinReferences } from "#kernel/expression/references.ts";
import { Validator } from "#kernel/schema/validator.ts";

/** The configuration of a node, compiled once for many evaluations. */
export interface PreparedNode {
  readonly template: Template;
  readonly expressions: ReadonlyMap<string, Expression>;
  readonly literals: Readonly<Record<string, unknown>>;
  /**
   * Restores lists from templates: JSONata returns nothing instead of an empty list, and a single value instead of a
   * list with one item.
   */
  readonly toLists: (
    values: Readonly<Record<string, unknown>>,
  ) => Readonly<Record<string, unknown>>;
  /** The paths of templates that produce a list. */
  readonly lists: readonly string[];
  /** True if it reads the workspace or the complete scope. */
  readonly readsWorkspace: boolean;
  /** The secrets used, by name. */
  readonly secrets: readonly string[];
  /** The variables used, by name; `ANY_NAME` for all. */
  readonly variables: readonly string[];
  readonly check: ConfigCheck;
}

/** Validates an evaluated configuration. Returns it with defaults, or the first error. */
type ConfigCheck = (config: unknown) => { readonly config: unknown } | { readonly error: string };

const preparedNodes = new WeakMap<PlanNode, PreparedNode>();
const configChecks = new WeakMap<TObject, ConfigCheck>();

/** Compiles the configuration of a node. Cached for as long as its plan. */
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
  const { secrets, variables, roots } = joinReferences([
    template.references,
    ...[...compiled.values()].map(({ references }) => references),
  ]);
  return {
    template,
    expressions: compiled,
    literals,
    readsWorkspace:
      roots.includes("workspace") || roots.includes(ANY_NAME) || type.computesFirst === true,
    ...listFields(type.config, templates),
    // Dynamic references can't access secrets.
    secrets: secrets.filter((name) => name !== ANY_NAME),
    variables,
    check: configCheckOf(type.config),
  };
}

function listFields(
  schema: TObject,
  templates: Readonly<Record<string, unknown>>,
): Pick<PreparedNode, "lists" | "toLists"> {
  const { properties } = schema;
  const required: readonly string[] | undefined = schema.required;
  const isRequired = (name: string): boolean => required?.includes(name) ?? false;
  const names = Object.keys(templates).filter(
    (name) =>
      isTemplate(templates[name]) && (properties[name] as { type?: unknown })?.type === "array",
  );
  if (names.length === 0) return { lists: [], toLists: (values) => values };
  const toLists: PreparedNode["toLists"] = (values) => {
    const members = names.flatMap((name): [string, unknown][] => {
      const value = values[name] ?? undefined;
      if (value !== undefined) return [[name, Array.isArray(value) ? value : [value]]];
      return isRequired(name) ? [[name, []]] : [];
    });
    return { ...values, ...Object.fromEntries(members) };
  };
  return { lists: names.map((name) => `/${name}`), toLists };
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
