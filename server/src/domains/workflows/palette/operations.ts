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
  summary: "List node types and trigger types",
  description:
    "Contains JSON Schemas of the configurations. In `config`, a field with `x-literal` can't be a template, a field with `x-expression` is an expression, and a field with `x-template` can be a template. `x-order` is the order in a form. `x-placeholder`, `x-multiline`, `x-unit`, `x-language` and `examples` are display hints. `x-reference` is the kind of resource that the field refers to, `x-references` the kind for the values of an object, and `x-when` contains the values of other fields that make the field relevant.",
  permission: WorkflowsRead,
  response: item(
    Type.Object(
      {
        groups: Type.Array(Type.String(), { description: "In display order" }),
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
  summary: "List available steps with initial configurations",
  description:
    "Returns the node types, and the artifacts, connector actions and workflows that you can view. `q` finds steps that are missing in a truncated list.",
  permission: WorkflowsRead,
  query: object({ q: Type.Optional(line(100, "Part of a title or name; ignores case")) }),
  response: item(
    Type.Object(
      {
        groups: Type.Array(Type.String()),
        entries: Type.Array(PaletteEntry),
        truncated: Type.Boolean({ description: "Whether there are more" }),
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
  summary: "List the next times of a schedule",
  description:
    "Applies daylight saving time like the trigger: a skipped time moves to the end of the gap, and a repeated time is used once, except for hourly schedules.",
  permission: WorkflowsRead,
  query: object({
    cron: line(200, "Same format as in the trigger: `0 9 * * MON-FRI`"),
    timezone: Type.Optional(line(100, "An IANA time zone such as `Europe/Berlin`. Default: UTC")),
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
