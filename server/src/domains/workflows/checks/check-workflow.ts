import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import {
  forEachInTurns,
  mapInTurns,
  runAtOnce,
  runInTurns,
  type Steps,
} from "#kernel/work/turn-timer.ts";
import { Value } from "typebox/value";
import { findMissingVariables } from "#domains/variables/index.ts";
import { findMissingSecrets } from "#domains/vault/index.ts";
import type { Platform, PlatformServices, ReadContext } from "#kernel/contract.ts";
import { checkExpression } from "#kernel/expression/expression.ts";
import { ANY_NAME } from "#kernel/expression/references.ts";
import type { StoredDefinition } from "#kernel/resource/stored-definition.ts";
import { checkTemplate, templateReferences, templateSlots } from "#kernel/expression/template.ts";
import { contributionsTo } from "#kernel/extension-point.ts";
import { type FieldError, assertNoErrors } from "#kernel/operation/failure.ts";
import { findImports, type ScriptModules } from "#kernel/sandbox/module-import.ts";
import {
  checkDefinition,
  Definition,
  type DefinitionIssues,
  type ExpressionCheck,
  type NodeTypes,
  script,
  sizeErrors,
} from "../definition/index.ts";
import { missingNodeTypes, nodeTypesOf } from "../node-types.ts";
import { separateOpenChoices } from "./open-choices.ts";
import { findReferenceIssues, nodesIn } from "./reference-check.ts";
import { findMentions, type Reference, referencesOf } from "./references.ts";
import { findMissing } from "../store.ts";
import { ScriptModulePoint } from "./script-modules.ts";

type Context = Pick<ReadContext, "tx" | "services">;

/** Finds all errors that prevent saving or deploying a definition, each with its path. */
export async function definitionErrors(
  ctx: Context,
  definition: unknown,
): Promise<readonly FieldError[]> {
  const { errors, open = [] } = await definitionIssues(ctx, definition);
  return [...errors, ...open];
}

/** Finds structural errors of a definition, without checking that references exist. */
export function findStructureErrors(
  services: Pick<PlatformServices, "contributions">,
  definition: unknown,
): readonly FieldError[] {
  const types = nodeTypesOf(services);
  const tooMany = sizeErrors(definition);
  if (tooMany.length > 0) return tooMany;
  const { excess } = findMentions(definition, types);
  if (excess !== undefined) return [{ path: excess, message: TOO_MANY }];
  return runAtOnce(checkDefinition(definition, types, PARSED)).errors;
}

/** Returns the variables used by a definition, or `all` if a reference is dynamic. */
export function variablesNamedIn(
  services: Pick<PlatformServices, "contributions">,
  definition: unknown,
): readonly string[] | "all" {
  const { all } = findMentions(definition, nodeTypesOf(services));
  const named = all.flatMap(referencesOf).filter(({ kind }) => kind === "variable");
  const names = new Set(named.map(({ name }) => name));
  return names.has(ANY_NAME) ? "all" : [...names];
}

/** Drafts and versions must pass this check before they are saved. */
export const workflowDefinitions: readonly StoredDefinition[] = [
  "workflows",
  "workflow_versions",
].map((table) => ({
  table,
  columns: "definition",
  check: (services, row) => findStructureErrors(services, row["definition"]),
}));

/** Finds errors and warnings with their paths. */
export async function definitionIssues(
  { tx, services }: Context,
  definition: unknown,
): Promise<DefinitionIssues> {
  const types = nodeTypesOf(services);
  const tooMany = sizeErrors(definition);
  if (tooMany.length > 0) return { errors: tooMany, warnings: [] };
  const { all } = findMentions(definition, types);
  const { errors, warnings } = await runInTurns(checkStructure(types, definition));
  const references = await mapInTurns(all, referencesOf);
  const named = (kind: Reference["kind"]) => [
    ...new Set(
      references.flatMap(({ kind: of, name }) => (of === kind && name !== ANY_NAME ? name : [])),
    ),
  ];
  const missing = {
    secret: new Set(await findMissingSecrets(tx, named("secret"))),
    variable: new Set(await findMissingVariables(tx, named("variable"))),
    workflow: new Set(await findMissing(tx, named("workflow"))),
  };
  const isUnnamedSecret = ({ kind, name }: Reference) => kind === "secret" && name === ANY_NAME;
  const issues = references
    .filter((one) => isUnnamedSecret(one) || missing[one.kind].has(one.name))
    .map((one) => ({
      kind: one.kind,
      path: one.path,
      message: isUnnamedSecret(one) ? UNNAMED_SECRET : MESSAGES[one.kind](one.name),
    }));
  // A missing variable is only a warning: it can be set later, and a step without it fails with its own error.
  const [doubts, referenceErrors] = [true, false].map((isDoubt) =>
    issues
      .filter(({ kind }) => (kind === "variable") === isDoubt)
      .map(({ path, message }) => ({ path, message })),
  ) as [FieldError[], FieldError[]];
  const outside = await findReferenceIssues({ tx, services }, definition);
  return separateOpenChoices(definition, {
    errors: [
      ...errors,
      ...referenceErrors,
      ...(await nodeTypeErrors({ tx, services }, definition)),
      ...outside.errors,
    ],
    warnings: [...warnings, ...doubts, ...outside.warnings],
  });
}

/** Finds structural errors and warnings of a definition, independent of a workspace. */
export function findDefinitionIssues(types: NodeTypes, definition: unknown): DefinitionIssues {
  return runAtOnce(checkStructure(types, definition));
}

function* checkStructure(types: NodeTypes, definition: unknown): Steps<DefinitionIssues> {
  const { excess } = findMentions(definition, types);
  yield;
  const { errors, warnings } = yield* checkDefinition(
    definition,
    types,
    excess === undefined ? PARSED : UNPARSED,
  );
  const tooMany = excess === undefined ? [] : [{ path: excess, message: TOO_MANY }];
  return { errors: [...errors, ...tooMany], warnings };
}

/** Errors of nodes whose type does not exist in the workspace. */
async function nodeTypeErrors(
  { tx, services }: Context,
  definition: unknown,
): Promise<FieldError[]> {
  const used = nodesIn(definition);
  const missing = await missingNodeTypes(tx, services, [...new Set(used.map(({ type }) => type))]);
  return used
    .filter(({ type }) => missing.has(type))
    .map(({ path }) => ({ path: `${path}/type`, message: "is not a known node type" }));
}

/** A valid definition with its warnings. */
export interface ValidWorkflow {
  readonly definition: Definition;
  readonly warnings: readonly FieldError[];
}

/** Returns the definition if it can be saved. Otherwise throws with all its errors. */
export async function assertValidWorkflow(
  ctx: Context,
  definition: unknown,
  scriptErrors: readonly FieldError[] = [],
): Promise<ValidWorkflow> {
  const { errors, warnings, open = [] } = await definitionIssues(ctx, definition);
  assertNoErrors([...errors, ...scriptErrors]);
  if (!Value.Check(Definition, definition)) {
    throw new Error("A definition was checked too loosely.");
  }
  return { definition, warnings: [...warnings, ...open] };
}

/** Maximum number of checked scripts. Errors in further scripts appear in their first run. */
const SCRIPTS_MAX = 50;

/** Finds syntax errors in scripts. Runs outside of a transaction. */
export async function findScriptErrors(
  platform: Platform,
  definition: unknown,
  caller: Caller,
): Promise<FieldError[]> {
  if (sizeErrors(definition).length > 0) return [];
  const scripts = nodesIn(definition).flatMap(({ type, config, path }) => {
    const source = type === script.type ? config["source"] : undefined;
    return typeof source === "string" ? [{ source, path: `${path}/config/source` }] : [];
  });
  const errors: FieldError[] = [];
  for (const { source, path } of scripts.slice(0, SCRIPTS_MAX)) {
    const modules = await loadModules(platform, source, caller);
    const inspection = await platform.sandbox.inspect(source, caller.workspace?.key, modules);
    if (inspection.ok || inspection.error.name !== "SyntaxError") continue;
    const { message, line, column } = inspection.error;
    const at = line === null ? "" : ` (line ${line}, column ${column})`;
    errors.push({ path, message: `can't be parsed as a script: ${message}${at}` });
  }
  return errors;
}

async function loadModules(
  { db, contributions }: Platform,
  source: string,
  caller: Caller,
): Promise<ScriptModules | undefined> {
  const [modules] = contributionsTo(ScriptModulePoint, contributions);
  if (!modules || findImports(source).length === 0) return undefined;
  return db.read(partitionOfCaller(caller), (tx) => modules.load(tx, source));
}

/**
 * Parses the expressions outside a transaction and yields in between, because this is the slowest check. The
 * result is cached until the check ends.
 */
export async function parseExpressions(
  services: PlatformServices,
  definition: unknown,
): Promise<void> {
  if (sizeErrors(definition).length > 0) return;
  const { all } = findMentions(definition, nodeTypesOf(services));
  await forEachInTurns(all, referencesOf);
}

const PARSED: ExpressionCheck = {
  template: (value) => checkTemplate(value).map(({ path, message }) => ({ path, message })),
  expression: (text) => checkExpression(text).issues,
  readsSecrets: (text) => templateReferences(text).roots.includes("secrets"),
  templateNames: (value) =>
    templateSlots(value).map(({ text, path }) => ({ path, ...checkExpression(text) })),
  expressionNames: checkExpression,
};
const UNPARSED: ExpressionCheck = {
  template: () => [],
  expression: () => [],
  readsSecrets: () => false,
  templateNames: () => [],
  expressionNames: () => ({ paths: [], variables: [] }),
};
const UNNAMED_SECRET = "reads secrets without a name: use secrets.NAME for each secret";
const TOO_MANY = "exceeds the limit: the expressions together are too long";

const MESSAGES = {
  secret: (name: string) => `uses the secret ${name}, which does not exist`,
  variable: (name: string) => `uses the variable ${name}, which does not exist`,
  workflow: () => "is not a workflow of this workspace",
};
