import { setImmediate } from "node:timers/promises";
import { Value } from "typebox/value";
import { missingSecrets } from "#domains/vault/index.ts";
import type { PlatformServices, ReadContext } from "#kernel/contract.ts";
import { checkExpression } from "#kernel/expression/expression.ts";
import { checkTemplate, templateReferences } from "#kernel/expression/template.ts";
import { Failure, type FieldError, Invalid } from "#kernel/operation/failure.ts";
import { checkDefinition, Definition, type ExpressionCheck } from "./definition/index.ts";
import { missingNodeTypes, nodeTypesOf } from "./node-types.ts";
import { findMentions, referencesOf } from "./references.ts";
import { missing } from "./store.ts";

type Context = Pick<ReadContext, "tx" | "services">;

/** Everything that keeps a definition from being saved or deployed, each with its path. */
export async function definitionErrors(
  { tx, services }: Context,
  definition: unknown,
): Promise<FieldError[]> {
  const types = nodeTypesOf(services);
  const { all, excess } = findMentions(definition, types);
  const faults = checkDefinition(definition, types, excess === undefined ? READ : UNREAD);
  if (excess !== undefined) faults.push({ path: excess, message: TOO_MANY });
  const references = all.flatMap(referencesOf);
  const named = (kind: "secret" | "workflow") => [
    ...new Set(references.flatMap((one) => (one.kind === kind ? one.name : []))),
  ];
  const lost = {
    secret: new Set(await missingSecrets(tx, named("secret"))),
    workflow: new Set(await missing(tx, named("workflow"))),
  };
  const unmet = references
    .filter(({ kind, name }) => lost[kind].has(name))
    .map(({ kind, name, path }) => ({ path, message: MESSAGES[kind](name) }));
  return [...faults, ...unmet, ...(await faultsOfTypes({ tx, services }, definition))];
}

/** Nodes of types that people make, and that nobody has made. */
async function faultsOfTypes(
  { tx, services }: Context,
  definition: unknown,
): Promise<FieldError[]> {
  const used = typesIn(definition, "");
  const missing = await missingNodeTypes(tx, services, [...new Set(used.map(({ type }) => type))]);
  return used
    .filter(({ type }) => missing.has(type))
    .map(({ path }) => ({ path, message: "is not a known node type" }));
}

/** The types of all nodes, those in the bodies of loops included; of what is no graph, none. */
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

/** The definition, if it can be saved; throws all that is wrong with it otherwise. */
export async function assertValidWorkflow(ctx: Context, definition: unknown): Promise<Definition> {
  const faults = await definitionErrors(ctx, definition);
  const [first] = faults;
  if (first) {
    throw new Failure(Invalid, { detail: `${first.path} ${first.message}`, errors: faults });
  }
  if (!Value.Check(Definition, definition)) {
    throw new Error("A definition was checked too loosely.");
  }
  return definition;
}

/** Between two breaths: some milliseconds. */
const BATCH_EXPRESSIONS = 20;

/**
 * Reads the expressions of a draft while no transaction is open, and lets others be served in
 * between. It is what takes longest of checking a definition, and is remembered until that is done.
 */
export async function readExpressions(
  services: PlatformServices,
  definition: unknown,
): Promise<void> {
  const { all } = findMentions(definition, nodeTypesOf(services));
  for (const [index, mention] of all.entries()) {
    referencesOf(mention);
    if (index % BATCH_EXPRESSIONS === BATCH_EXPRESSIONS - 1) await setImmediate();
  }
}

const READ: ExpressionCheck = {
  template: (value) => checkTemplate(value).map(({ path, message }) => ({ path, message })),
  expression: (text) => checkExpression(text).faults,
  readsSecrets: (text) => templateReferences(text).roots.includes("secrets"),
};
const UNREAD: ExpressionCheck = {
  template: () => [],
  expression: () => [],
  readsSecrets: () => false,
};
const TOO_MANY = "is one expression too many: together they are too long";

const MESSAGES = {
  secret: (name: string) => `names the secret ${name}, which does not exist`,
  workflow: () => "is not a workflow of this workspace",
};
