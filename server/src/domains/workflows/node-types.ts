import type { Services } from "#kernel/caller.ts";
import { contributionsTo, extensionPoint } from "#kernel/extension.ts";
import { type NodeType, type NodeTypes, nodeTypes } from "./definition/index.ts";

/** Where domains add the kinds of step that they can execute. */
export const NodeTypePoint = extensionPoint<NodeType>("workflows.node_types");

/** The node types of this installation. */
export function nodeTypesOf(services: Pick<Services, "contributions">): NodeTypes {
  const { contributions } = services;
  const known = registries.get(contributions);
  if (known) return known;
  const types = nodeTypes(contributionsTo(NodeTypePoint, contributions));
  registries.set(contributions, types);
  return types;
}

/** What was contributed never changes while a process lives. */
const registries = new WeakMap<Services["contributions"], NodeTypes>();
