import Type from "typebox";
import { findReferrers, Referrer } from "#kernel/contributions/reference-source.ts";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import {
  EnvironmentWithOwn,
  Value,
  Variable,
  VariableId,
  variableResource,
  VariablesRead,
  VariablesWrite,
} from "./variable.ts";

const ById = object({ id: VariableId });
const ByEnvironment = object({ id: VariableId, environment: EnvironmentWithOwn });
const example = { params: { id: variableResource.declaration.docs.examples.id } };
const exampleThere = { params: { ...example.params, environment: "staging" as const } };

export const setVariableEnvironment = command({
  id: "variables.set_environment",
  effect: "drastic",
  route: "PUT /api/v1/variables/{id}/environments/{environment}",
  summary: "Set the value of a variable in an environment",
  permission: VariablesWrite,
  environmentScoped: false,
  params: ByEnvironment,
  body: object({ value: Value }),
  response: item(Variable),
  emits: [variableResource.events.updated],
  allowNoop: true,
  example: { ...exampleThere, body: { value: "https://staging.shop.example.com" } },
  async run(ctx, { params: { id, environment }, body: { value } }) {
    const { environments } = await variableResource.store.lock(ctx.tx, id);
    const change = { environments: { ...environments, [environment]: value } };
    return variableResource.update(ctx, id, change);
  },
});

export const removeVariableEnvironment = command({
  id: "variables.remove_environment",
  route: "DELETE /api/v1/variables/{id}/environments/{environment}",
  summary: "Delete the value of a variable in an environment",
  description:
    "Afterwards the variable has the production value in this environment, or no value with `ownValuesOnly`.",
  permission: VariablesWrite,
  environmentScoped: false,
  params: ByEnvironment,
  response: item(Variable),
  emits: [variableResource.events.updated],
  example: exampleThere,
  async run(ctx, { params: { id, environment } }) {
    const before = await variableResource.store.lock(ctx.tx, id);
    const { [environment]: removed, ...environments } = before.environments;
    if (removed === undefined) throw new Failure(NotFound);
    return variableResource.update(ctx, id, { environments });
  },
});

const VariableUsage = Type.Object(
  {
    name: Variable.properties.name,
    usedIn: Type.Array(Referrer, { description: "At most 50 of each kind" }),
  },
  { title: "VariableUsage" },
);

export const getVariableUsage = query({
  id: "variables.get_usage",
  route: "GET /api/v1/variables/{id}/usage",
  summary: "List usages of a variable",
  description:
    "Returns workflows and artifacts that you can view. Scripts that build the name at run time are not found.",
  permission: VariablesRead,
  environmentScoped: false,
  params: ById,
  response: item(VariableUsage),
  example,
  async run(ctx, { params }) {
    const { name } = await variableResource.store.get(ctx.tx, params.id);
    return { name, usedIn: await findReferrers(ctx, toPattern(name)) };
  },
});

/** Matches `variables.NAME` and `variables.get("NAME")`. Names contain no special characters. */
function toPattern(name: string): string {
  const quote = "\\\\*[\"'`]";
  return `\\mvariables\\.${name}\\M|\\mvariables\\.get\\(\\s*${quote}${name}${quote}`;
}
