import Type from "typebox";
import { assertNoErrors } from "#kernel/operation/failure.ts";
import { query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { line, object, Time } from "#kernel/schema/schema.ts";
import {
  checkSchedule,
  describeNodeType,
  describeTriggerType,
  nextCronTime,
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
    "it, `x-reference` is the kind of thing that a field names, `x-references` that of the values of these names, and `x-when` the values of other fields " +
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

const DUE_TIMES = 5;
const DUE_TIMES_MAX = 50;

export const listDueTimes = query({
  id: "workflows.due_times",
  ...workflowRoutes("GET", "/due-times"),
  summary: "List the next times of a schedule, saved or not",
  description:
    "A change of the clocks does to them what it does to runs: a time that is skipped comes at the " +
    "moment to which the clocks skip, and one that is shown twice comes once, but for schedules of every hour.",
  permission: WorkflowsRead,
  query: object({
    cron: line(200, "As in the trigger: `0 9 * * MON-FRI`"),
    timezone: Type.Optional(line(100, "An IANA name such as `Europe/Berlin`; UTC unless given")),
    count: Type.Optional(Type.Integer({ minimum: 1, maximum: DUE_TIMES_MAX, default: DUE_TIMES })),
  }),
  response: item(Type.Object({ times: Type.Array(Time) }, { title: "DueTimes" })),
  example: { query: { cron: "0 9 * * MON-FRI", timezone: "Europe/Berlin" } },
  async run({ now }, { query: { cron, timezone, count = DUE_TIMES } }) {
    assertNoErrors(checkSchedule({ cron, ...(timezone !== undefined && { timezone }) }));
    const times: string[] = [];
    let at: Date | null = now;
    while (times.length < count) {
      at = nextCronTime({ cron, timezone }, at);
      if (!at) break;
      times.push(at.toISOString());
    }
    return { times };
  },
});
