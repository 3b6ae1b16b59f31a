import { Value } from "typebox/value";
import { missingSecrets } from "#domains/vault/index.ts";
import { checkExpression } from "#kernel/expression/expression.ts";
import { checkTemplate } from "#kernel/expression/template.ts";
import { Failure, type Fault, Invalid } from "#kernel/failure.ts";
import type { ReadContext } from "#kernel/operation.ts";
import { checkDefinition, Definition, type ExpressionCheck } from "./definition/index.ts";
import { nodeTypesOf } from "./node-types.ts";
import { referencesIn } from "./reference.ts";
import { missing } from "./store.ts";

type Context = Pick<ReadContext, "tx" | "services">;

/** Everything that keeps a definition from being saved or deployed, each with its path. */
export async function faultsOfDefinition(
  { tx, services }: Context,
  definition: unknown,
): Promise<Fault[]> {
  const types = nodeTypesOf(services);
  const faults = checkDefinition(definition, types, expressions);
  const references = referencesIn(definition, types);
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
  return [...faults, ...unmet];
}

/** The definition, if it can be saved; throws all that is wrong with it otherwise. */
export async function sound(ctx: Context, definition: unknown): Promise<Definition> {
  const faults = await faultsOfDefinition(ctx, definition);
  const [first] = faults;
  if (first) {
    throw new Failure(Invalid, { detail: `${first.path} ${first.message}`, errors: faults });
  }
  if (!Value.Check(Definition, definition)) throw new Error("A definition was checked too loosely.");
  return definition;
}

const expressions: ExpressionCheck = {
  template: checkTemplate,
  expression: (text) => checkExpression(text).faults,
};

const MESSAGES = {
  secret: (name: string) => `names the secret ${name}, which does not exist`,
  workflow: () => "is not a workflow of this workspace",
};
