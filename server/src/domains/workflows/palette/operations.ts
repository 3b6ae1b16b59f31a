import Type from "typebox";
import { query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { line, object } from "#kernel/schema/schema.ts";
import {
  describeNodeType,
  describeTriggerType,
  NODE_GROUPS,
  NodeTypeDescription,
  TriggerTypeDescription,
  triggerTypes,
} from "../definition/index.ts";
import { listWorkspaceNodeTypes, nodeTypesOf } from "../node-types.ts";
import { WorkflowsRead } from "../permissions.ts";
import { workflowRoutes } from "../routes.ts";
import { listPalette, PaletteEntry } from "./palette.ts";

export const listNodeTypes = query({
  id: "workflows.node_types",
  ...workflowRoutes("GET", "/node-types"),
  summary: "List what nodes and triggers there are, with JSON Schemas for their configuration",
  description:
    "In `config`, a field with `x-literal` takes no template, one with `x-expression` is an " +
    "expression as a whole, and in one with `x-template` any value may be a template. `x-order` is the " +
    "order of a form; `x-placeholder`, `x-multiline`, `x-unit`, `x-language` and `examples` are hints for " +
    "it, `x-reference` is the kind of thing that a field names, and `x-when` the values of other fields " +
    "with which it matters.",
  permission: WorkflowsRead,
  response: item(
    Type.Object(
      {
        groups: Type.Array(Type.String(), { description: "In the order of a palette" }),
        nodeTypes: Type.Array(NodeTypeDescription),
        triggerTypes: Type.Array(TriggerTypeDescription),
      },
      { title: "NodeTypes" },
    ),
  ),
  run: async ({ tx, services }) => ({
    groups: [...NODE_GROUPS],
    nodeTypes: [
      ...nodeTypesOf(services).all.map(describeNodeType),
      ...(await listWorkspaceNodeTypes(tx, services)),
    ],
    triggerTypes: [...triggerTypes.values()].map(describeTriggerType),
  }),
});

export const getPalette = query({
  id: "workflows.palette",
  ...workflowRoutes("GET", "/palette"),
  summary: "List every step that can be inserted, with a first configuration",
  description:
    "The node types, and what the workspace has for them: artifacts, the actions of connectors, and " +
    "workflows to run, each as far as one may read those. `q` finds the ones that an answer leaves out.",
  permission: WorkflowsRead,
  query: object({ q: Type.Optional(line(100, "Part of a title or name, whatever its case")) }),
  response: item(
    Type.Object(
      {
        groups: Type.Array(Type.String()),
        entries: Type.Array(PaletteEntry),
        truncated: Type.Boolean({ description: "Whether there are more than these" }),
      },
      { title: "Palette" },
    ),
  ),
  run: async (ctx, { query: { q = "" } }) => ({
    groups: [...NODE_GROUPS],
    ...(await listPalette(ctx, q)),
  }),
});
