import type { PlatformServices } from "#kernel/contract.ts";
import { contributionsTo, extensionPoint } from "#kernel/extension-point.ts";
import type { Tx } from "#kernel/db/connection.ts";
import {
  type NodeFamily,
  type NodeType,
  type NodeTypeDescription,
  type NodeTypes,
  nodeTypes,
} from "./definition/index.ts";

/** The extension point for node types with an executor. */
export const NodeTypePoint = extensionPoint<NodeType>("workflows.node_types");

/** A family of types with its members in a workspace. */
export interface WorkspaceNodeTypes extends NodeFamily {
  readonly list: (tx: Tx) => Promise<readonly NodeTypeDescription[]>;
  /** The names without a member. */
  readonly findMissing: (tx: Tx, types: readonly string[]) => Promise<readonly string[]>;
}

/** The extension point for families of custom node types. */
export const NodeFamilyPoint = extensionPoint<WorkspaceNodeTypes>("workflows.node_families");

export function nodeTypesOf(services: Pick<PlatformServices, "contributions">): NodeTypes {
  const { contributions } = services;
  const known = registries.get(contributions);
  if (known) return known;
  const types = nodeTypes(
    contributionsTo(NodeTypePoint, contributions),
    contributionsTo(NodeFamilyPoint, contributions),
  );
  registries.set(contributions, types);
  return types;
}

/** The custom node types of this workspace. */
export async function listWorkspaceNodeTypes(
  tx: Tx,
  { contributions }: Pick<PlatformServices, "contributions">,
): Promise<NodeTypeDescription[]> {
  const lists = contributionsTo(NodeFamilyPoint, contributions).map(({ list }) => list(tx));
  return (await Promise.all(lists)).flat();
}

/** Type names that match a family but have no custom type. */
export async function missingNodeTypes(
  tx: Tx,
  { contributions }: Pick<PlatformServices, "contributions">,
  types: readonly string[],
): Promise<ReadonlySet<string>> {
  const missingTypes = new Set<string>();
  const builtIn = new Set(contributionsTo(NodeTypePoint, contributions).map(({ type }) => type));
  const made = types.filter((type) => !builtIn.has(type));
  for (const { names, findMissing } of contributionsTo(NodeFamilyPoint, contributions)) {
    const own = made.filter(names);
    if (own.length > 0) for (const type of await findMissing(tx, own)) missingTypes.add(type);
  }
  return missingTypes;
}

/** Contributions never change during the lifetime of a process. */
const registries = new WeakMap<PlatformServices["contributions"], NodeTypes>();
