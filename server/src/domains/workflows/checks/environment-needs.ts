/** The needs of a definition in an environment: missing values, and production values that it would use. */
import Type, { type Static } from "typebox";
import { findForeignVariables } from "#domains/variables/index.ts";
import { findForeignSecrets } from "#domains/vault/index.ts";
import type { EnvironmentName } from "#kernel/db/database.ts";
import { contributionsTo, extensionPoint } from "#kernel/extension-point.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
import { listDeployed } from "../deployments/deployment-state.ts";
import { script } from "../definition/index.ts";
import { nodeTypesOf } from "../node-types.ts";
import { type CheckSource, type DefinedNode, nodesIn } from "./reference-check.ts";
import { findMentions, type Reference, referencesOf } from "./references.ts";

export const ProductionValue = Type.Object(
  {
    kind: Type.Enum(["secret", "variable", "connector"]),
    name: Type.String(),
    connector: Type.Optional(
      Type.String({
        description: "The connector that uses the secret, if no step uses it directly",
      }),
    ),
  },
  { title: "ProductionValue" },
);
export type ProductionValue = Static<typeof ProductionValue>;

/** A connector used by nodes, with the secrets of its credentials. */
export interface UsedConnector {
  readonly name: string;
  readonly secrets: readonly string[];
  /** True if its credentials are the same in every environment. */
  readonly hasOwnCredentials: boolean;
}

/** Extension point through which connectors report how a definition uses them. */
export const UsedConnectorPoint = extensionPoint<
  (source: CheckSource, nodes: readonly DefinedNode[]) => Promise<readonly UsedConnector[]>
>("workflows.used_connectors");

export interface EnvironmentNeeds {
  readonly warnings: readonly FieldError[];
  readonly productionValues: readonly ProductionValue[];
}

/** Matches names in a script, as in `context.secrets.get("NAME")`. */
const SCRIPT_SECRET = /\bsecrets\s*\.\s*get\s*\(\s*["'`](\w+)["'`]/g;

export async function findEnvironmentNeeds(
  source: CheckSource,
  environment: EnvironmentName,
  definition: unknown,
): Promise<EnvironmentNeeds> {
  const { all } = findMentions(definition, nodeTypesOf(source.services));
  const references = all.flatMap(referencesOf);
  const nodes = nodesIn(definition);
  const uses = [...references, ...nodes.flatMap(secretsOfScript)];
  const undeployed = await undeployedWarnings(source, environment, references);
  if (environment === "production") return { warnings: undeployed, productionValues: [] };
  const points = contributionsTo(UsedConnectorPoint, source.services.contributions);
  const connectors = (await Promise.all(points.map((find) => find(source, nodes)))).flat();
  const named = (kind: Reference["kind"]): string[] =>
    uses.flatMap((use) => (use.kind === kind ? [use.name] : []));
  const secretNames = [...named("secret"), ...connectors.flatMap(({ secrets }) => secrets)];
  const secrets = await findForeignSecrets(source.tx, environment, secretNames);
  const variables = await findForeignVariables(source.tx, environment, named("variable"));
  const lacking = [
    ...secrets.map((one) => ({ ...one, kind: "secret" as const })),
    ...variables.map((one) => ({ ...one, kind: "variable" as const })),
  ];
  const warnings = lacking
    .filter(({ use }) => use === "none")
    .flatMap(({ kind, name }) =>
      listPaths(uses, kind, name).map((path) => ({
        path,
        message: `requires the ${kind} ${name}, which has no value in ${environment}`,
      })),
    );
  const shared = lacking.filter(({ use }) => use === "production");
  return {
    warnings: [...undeployed, ...warnings],
    productionValues: [
      ...shared.map(({ kind, name }) => toValue(kind, name, connectors)),
      ...connectors.flatMap(({ name, hasOwnCredentials }) =>
        hasOwnCredentials ? [{ kind: "connector" as const, name }] : [],
      ),
    ],
  };
}

function toValue(
  kind: "secret" | "variable",
  name: string,
  connectors: readonly UsedConnector[],
): ProductionValue {
  const user = kind === "secret" && connectors.find(({ secrets }) => secrets.includes(name));
  return { kind, name, ...(user && { connector: user.name }) };
}

/** The paths where a name is used; the complete definition if only a connector names it. */
function listPaths(uses: readonly Reference[], kind: string, name: string): readonly string[] {
  const paths = uses.flatMap((use) => (use.kind === kind && use.name === name ? [use.path] : []));
  return paths.length > 0 ? [...new Set(paths)] : [""];
}

function secretsOfScript({ type, config, path }: DefinedNode): Reference[] {
  const text = type === script.type ? config["source"] : undefined;
  if (typeof text !== "string") return [];
  return [...text.matchAll(SCRIPT_SECRET)].map(([, name = ""]) => ({
    kind: "secret" as const,
    name,
    path: `${path}/config/source`,
  }));
}

/** Warns about subworkflows and error workflows that are not deployed in the environment. */
async function undeployedWarnings(
  { tx }: CheckSource,
  environment: EnvironmentName,
  references: readonly Reference[],
): Promise<FieldError[]> {
  const called = references.filter(({ kind }) => kind === "workflow");
  if (called.length === 0) return [];
  const ids = called.map(({ name }) => name);
  const states = new Map((await listDeployed(tx, ids, environment)).map((one) => [one.id, one]));
  return called.flatMap(({ name: id, path }) => {
    const state = states.get(id);
    if (!state || state.isDeployed) return [];
    return [
      {
        path,
        message: `calls the workflow ${state.name}, which is not deployed to ${environment}`,
      },
    ];
  });
}
