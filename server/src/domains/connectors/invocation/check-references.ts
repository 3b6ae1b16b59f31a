import {
  type CheckedParts,
  type CheckSource,
  connector,
  isTemplate,
  type ReferenceCheck,
} from "#domains/workflows/index.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
import { connectorStore } from "../store.ts";
import { hasAction } from "./invoke.ts";

/** Finds the nodes that name a connector, or an action of it, that is not there. */
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
  return [{ path: `${path}/config/action`, message: `is no action of ${stored.name}` }];
}
