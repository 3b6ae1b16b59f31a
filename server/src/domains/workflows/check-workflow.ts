import { setImmediate } from "node:timers/promises";
import { Value } from "typebox/value";
import { findMissingSecrets } from "#domains/vault/index.ts";
import type { PlatformServices, ReadContext } from "#kernel/contract.ts";
import { checkExpression } from "#kernel/expression/expression.ts";
import { checkTemplate, templateReferences } from "#kernel/expression/template.ts";
import { type FieldError, assertNoErrors } from "#kernel/operation/failure.ts";
import { checkDefinition, Definition, type ExpressionCheck } from "./definition/index.ts";
import { missingNodeTypes, nodeTypesOf } from "./node-types.ts";
import { findMentions, referencesOf } from "./references.ts";
import { findMissing } from "./store.ts";

type Context = Pick<ReadContext, "tx" | "services">;

/** Finds all errors that keep a definition from being saved or deployed, each with its path. */
export async function definitionErrors(
  { tx, services }: Context,
  definition: unknown,
): Promise<FieldError[]> {
  const types = nodeTypesOf(services);
  const { all, excess } = findMentions(definition, types);
  const errors = checkDefinition(definition, types, excess === undefined ? PARSED : UNPARSED);
  if (excess !== undefined) errors.push({ path: excess, message: TOO_MANY });
  const references = all.flatMap(referencesOf);
  const named = (kind: "secret" | "workflow") => [
    ...new Set(references.flatMap((reference) => (reference.kind === kind ? reference.name : []))),
  ];
  const missing = {
    secret: new Set(await findMissingSecrets(tx, named("secret"))),
    workflow: new Set(await findMissing(tx, named("workflow"))),
  };
  const referenceErrors = references
    .filter(({ kind, name }) => missing[kind].has(name))
    .map(({ kind, name, path }) => ({ path, message: MESSAGES[kind](name) }));
  return [...errors, ...referenceErrors, ...(await nodeTypeErrors({ tx, services }, definition))];
}

/** The errors of nodes whose type the workspace does not have. */
async function nodeTypeErrors(
  { tx, services }: Context,
  definition: unknown,
): Promise<FieldError[]> {
  const used = typesIn(definition, "");
  const missing = await missingNodeTypes(tx, services, [...new Set(used.map(({ type }) => type))]);
  return used
    .filter(({ type }) => missing.has(type))
    .map(({ path }) => ({ path, message: "is not a known node type" }));
}

/** The types of all nodes, those in the bodies of loops included; none of a value that is no graph. */
function typesIn(graph: unknown, at: string): { readonly type: string; readonly path: string }[] {
  const { nodes } = Object(graph) as { readonly nodes?: unknown };
  if (!Array.isArray(nodes)) return [];
  return nodes.flatMap((node: unknown, index) => {
    const { type, config } = Object(node) as { readonly type?: unknown; readonly config?: unknown };
    const path = `${at}/nodes/${index}`;
    const { body } = Object(config) as { readonly body?: unknown };
    return [
      ...(typeof type === "string" ? [{ type, path: `${path}/type` }] : []),
      ...(type === "loop" ? typesIn(body, `${path}/config/body`) : []),
    ];
  });
}

/** The definition, if it can be saved; throws all its errors otherwise. */
export async function assertValidWorkflow(ctx: Context, definition: unknown): Promise<Definition> {
  const errors = await definitionErrors(ctx, definition);
  assertNoErrors(errors);
  if (!Value.Check(Definition, definition)) {
    throw new Error("A definition was checked too loosely.");
  }
  return definition;
}

/** Parsed between two yields: some milliseconds. */
const BATCH_EXPRESSIONS = 20;

/**
 * Parses the expressions of a definition while no transaction is open, and yields in between. It is
 * what takes longest of checking a definition; the result is cached until that is done.
 */
export async function parseExpressions(
  services: PlatformServices,
  definition: unknown,
): Promise<void> {
  const { all } = findMentions(definition, nodeTypesOf(services));
  for (const [index, mention] of all.entries()) {
    referencesOf(mention);
    if (index % BATCH_EXPRESSIONS === BATCH_EXPRESSIONS - 1) await setImmediate();
  }
}

const PARSED: ExpressionCheck = {
  template: (value) => checkTemplate(value).map(({ path, message }) => ({ path, message })),
  expression: (text) => checkExpression(text).issues,
  readsSecrets: (text) => templateReferences(text).roots.includes("secrets"),
};
const UNPARSED: ExpressionCheck = {
  template: () => [],
  expression: () => [],
  readsSecrets: () => false,
};
const TOO_MANY = "is one expression too many: together they are too long";

const MESSAGES = {
  secret: (name: string) => `names the secret ${name}, which does not exist`,
  workflow: () => "is not a workflow of this workspace",
};
