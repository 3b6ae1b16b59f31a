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

/** Where domains add the kinds of step that they can execute. */
export const NodeTypePoint = extensionPoint<NodeType>("workflows.node_types");

/** A family of types together with its members in a workspace. */
export interface WorkspaceNodeTypes extends NodeFamily {
  readonly list: (tx: Tx) => Promise<readonly NodeTypeDescription[]>;
  /** Those of these names that no member has. */
  readonly missing: (tx: Tx, types: readonly string[]) => Promise<readonly string[]>;
}

/** Where domains add kinds of step that people make. */
export const NodeFamilyPoint = extensionPoint<WorkspaceNodeTypes>("workflows.node_families");

/** The node types of this installation. */
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

/** The types that people of this workspace made. */
export async function madeNodeTypes(
  tx: Tx,
  { contributions }: Pick<PlatformServices, "contributions">,
): Promise<NodeTypeDescription[]> {
  const lists = contributionsTo(NodeFamilyPoint, contributions).map(({ list }) => list(tx));
  return (await Promise.all(lists)).flat();
}

/** Those of these types that are of the form of some family's, and that nobody made. */
export async function missingNodeTypes(
  tx: Tx,
  { contributions }: Pick<PlatformServices, "contributions">,
  types: readonly string[],
): Promise<ReadonlySet<string>> {
  const lost = new Set<string>();
  for (const { names, missing } of contributionsTo(NodeFamilyPoint, contributions)) {
    const own = types.filter(names);
    if (own.length > 0) for (const type of await missing(tx, own)) lost.add(type);
  }
  return lost;
}

/** What was contributed never changes while a process lives. */
const registries = new WeakMap<PlatformServices["contributions"], NodeTypes>();
