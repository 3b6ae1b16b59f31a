import {
  type CheckedParts,
  type CheckSource,
  connector,
  type DefinedNode,
  isTemplate,
  type ReferenceCheck,
  type UsedConnector,
} from "#domains/workflows/index.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
import { findSecretReferences } from "#kernel/secrets/secret-reference.ts";
import { connectorStore } from "../store.ts";
import { hasAction } from "./invoke.ts";

/** A definition has at most 500 nodes. */
const CONNECTORS_MAX = 500;

/** Finds the nodes that name a missing connector or action. */
export const checkConnectorNodes: ReferenceCheck = async (source, { nodes }) => {
  const errors: FieldError[] = [];
  for (const node of nodes) {
    if (node.type === connector.type) errors.push(...(await nodeErrors(source, node)));
  }
  return { errors };
};

async function nodeErrors(
  { tx, services }: CheckSource,
  { config, path }: CheckedParts["nodes"][number],
): Promise<FieldError[]> {
  const { connectorId, action } = config;
  if (typeof connectorId !== "string" || isTemplate(connectorId)) return [];
  const stored = await connectorStore.find(tx, connectorId);
  if (!stored) {
    return [
      { path: `${path}/config/connectorId`, message: "is not a connector of this workspace" },
    ];
  }
  if (typeof action !== "string" || isTemplate(action)) return [];
  if (await hasAction(tx, services, stored, action)) return [];
  return [{ path: `${path}/config/action`, message: `is not an action of ${stored.name}` }];
}

/** The connectors that nodes name, with the secrets in their credentials. */
export async function findUsedConnectors(
  { tx }: CheckSource,
  nodes: readonly DefinedNode[],
): Promise<readonly UsedConnector[]> {
  const named = nodes.flatMap(({ type, config }) =>
    type === connector.type && typeof config["connectorId"] === "string"
      ? [config["connectorId"]]
      : [],
  );
  const ids = [...new Set(named)].filter((id) => !isTemplate(id)).slice(0, CONNECTORS_MAX);
  const found = await connectorStore.select(tx, "id = any($1::text[]) order by name", [ids]);
  return found.map(({ name, config, auth, sealed }) => ({
    name,
    secrets: findSecretReferences({ config, auth }),
    hasOwnCredentials: sealed !== null || auth.kind === "oauth2_authorization_code",
  }));
}
