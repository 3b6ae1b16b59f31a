import Type from "typebox";
import type { EventType } from "#kernel/log/event.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { item } from "#kernel/operation/response.ts";
import { line, object } from "#kernel/schema/schema.ts";
import { PacksInstall } from "../../permissions.ts";
import { PackInstalled, PackUpgraded } from "../events.ts";
import { readPackItems } from "../pack-items.ts";
import { applyProject, toPackId } from "./apply-project.ts";
import { exportProject, openReads } from "./names.ts";
import { ProjectExport, ProjectInput, ProjectResult, TooManyItems } from "./project.ts";
import { getFixture, testArtifactSource, testWorkflowDefinition } from "./test-operations.ts";

const BODY_BYTES_MAX = 16 * 1_048_576;
/** The version of a folder's content. The pack's version counts applications. */
const CONTENT_VERSION = "1.0.0";
const emits: readonly EventType[] = [PackInstalled, PackUpgraded];

const applyCode = command({
  id: "code.apply",
  effect: "drastic",
  route: "POST /api/v1/code/apply",
  summary: "Apply a folder of definitions",
  description:
    "Applies all items to the environment of the request, or none if one fails. Requires the permission for each kind of item. New items are created and different items are replaced. Items from an earlier application of the same `project` that are missing in the folder are listed, and removed with `onMissing: remove`. Items that users edited are kept and listed, or overwritten. With `?dryRun=true`, it returns the plan without changing anything.",
  permission: PacksInstall,
  environmentScoped: true,
  body: ProjectInput,
  bodyBytesMax: BODY_BYTES_MAX,
  response: item(ProjectResult),
  emits,
  publishes: true,
  allowNoop: true,
  example: {
    body: {
      project: "desk",
      items: {
        queries: [{ name: "Open orders", sql: "select * from orders where status = 'open'" }],
      },
    },
  },
  prepare: (platform, { body }, caller) =>
    readPackItems(
      platform,
      {
        id: toPackId(body.project),
        name: body.project,
        version: CONTENT_VERSION,
        resources: body.items,
      },
      caller,
    ),
  run: (ctx, { body }, items) => applyProject(ctx, body, items),
});

const exportCode = query({
  id: "code.export",
  route: "GET /api/v1/code/export",
  summary: "Get the definitions of a workspace as a folder",
  description:
    "Contains names and references instead of ids, and names of secrets instead of secrets. Tables, reports and dashboards belong to the environment of the request.",
  permission: PacksInstall,
  environmentScoped: true,
  query: object({ kinds: Type.Optional(line(500, "Kinds separated by commas. Default: all")) }),
  response: item(ProjectExport),
  fails: [TooManyItems],
  example: { query: { kinds: "workflows,tables" } },
  prepare: (platform, input, caller) =>
    exportProject(
      { services: platform, caller },
      input.query.kinds?.split(",").map((kind) => kind.trim()),
      openReads(platform, caller),
    ),
  run: async (_ctx, _input, exported) => exported,
});

export const projectOperations = [
  applyCode,
  exportCode,
  getFixture,
  testWorkflowDefinition,
  testArtifactSource,
];
