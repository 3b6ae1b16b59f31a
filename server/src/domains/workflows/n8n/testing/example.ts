/** Small n8n workflows for import tests. */
import { domains } from "../../../../app.ts";
import { findDefinitionIssues } from "../../checks/check-workflow.ts";
import { nodeTypesOf } from "../../node-types.ts";
import { type Imported, importN8n } from "../import-workflow.ts";

const types = nodeTypesOf({ contributions: domains.flatMap((one) => one.contributions ?? []) });
const CHOICES = {
  connector: "con_01jd0000000000000000000000",
  workflow: "wf_01jd0000000000000000000000",
  table: "people",
  secret: "CHOSEN",
  text: "email",
} as const;

export interface Example {
  readonly type: string;
  readonly parameters?: object;
  readonly version?: number;
  readonly more?: object;
}

export const typeOf = (type: string): string =>
  type.includes("/") || type.startsWith("n8n-nodes-")
    ? type
    : type.startsWith("lc.")
      ? `@n8n/n8n-nodes-langchain.${type.slice(3)}`
      : `n8n-nodes-base.${type}`;

/** A workflow with a chain of nodes; the first one starts. */
export function chain(...examples: readonly Example[]) {
  const nodes = examples.map(({ type, parameters = {}, version = 1, more }, at) => ({
    name: `N${at}`,
    type: typeOf(type),
    typeVersion: version,
    position: [0, 0],
    parameters,
    ...more,
  }));
  const connections = Object.fromEntries(
    nodes
      .slice(1)
      .map(({ name }, at) => [`N${at}`, { main: [[{ node: name, type: "main", index: 0 }]] }]),
  );
  return { name: "Example", nodes, connections };
}

export const START: Example = { type: "manualTrigger" };
export const one = (type: string, parameters: object = {}, version = 1) =>
  chain(START, { type, parameters, version });

/** Imports with all choices made. One choice can require another. */
export function importChosen(workflow: object): Imported {
  let imported = importN8n(workflow);
  for (let turn = 0; turn < 3; turn += 1) {
    const chosen = imported.bindings.map(({ id, kind }) => [
      id,
      id.startsWith("text:schedule") ? "0 9 * * *" : CHOICES[kind],
    ]);
    imported = importN8n(workflow, Object.fromEntries(chosen));
  }
  return imported;
}
export const reportOf = ({ workflows }: Imported) => workflows.flatMap(({ report }) => report);

/** Reasons why an imported workflow cannot be saved. */
export const findErrors = ({ workflows }: Imported) =>
  workflows.flatMap(({ definition }) => findDefinitionIssues(types, definition).errors);
