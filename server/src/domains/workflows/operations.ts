import Type from "typebox";
import type { Caller } from "#kernel/access/caller.ts";
import type { ReadContext, Platform } from "#kernel/contract.ts";
import { contributionsTo } from "#kernel/extension-point.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { toPage, pageQuery } from "#kernel/operation/pagination.ts";
import { created, noContent, item, page, withRevision } from "#kernel/operation/response.ts";
import { line, object } from "#kernel/schema/schema.ts";
import { mapInTurns } from "#kernel/work/turn-timer.ts";
import {
  type WorkflowInput,
  toWorkflowInput,
  NewWorkflow,
  WorkflowChange,
} from "./workflow-input.ts";
import { Tag } from "./definition/index.ts";
import { NO_ACTIVITY, WorkflowActivity, WorkflowActivityPoint } from "./activity.ts";
import * as events from "./events.ts";
import { WorkflowsRead, WorkflowsWrite } from "./permissions.ts";
import * as service from "./service.ts";
import { definitionIssues, findScriptErrors, parseExpressions } from "./checks/check-workflow.ts";
import { findEnvironmentNeeds, ProductionValue } from "./checks/environment-needs.ts";
import { ByWorkflow, workflowExample, workflowRoutes } from "./routes.ts";
import * as store from "./store.ts";
import {
  DefinitionIssue,
  toDefinitionIssue,
  Workflow,
  WorkflowIsArchived,
  WorkflowSummary,
} from "./workflow.ts";

const LIST = "workflows, newest first";
/** Maximum number of listed issues per check. */
const ISSUES_MAX = 1_000;
/** Greater than every id. */
const AFTER_ALL = "~";

const exampleDefinition = {
  name: "Page on-call for critical incidents",
  trigger: {
    type: "event_bus",
    topic: "incident",
    eventType: "incident.created",
    filter: { "data.severity": "critical" },
  },
  nodes: [
    {
      id: "page",
      type: "http",
      config: {
        method: "POST",
        url: "https://pager.example.com/v1/pages",
        headers: { Authorization: "Bearer {{secrets.PAGER_TOKEN}}" },
        body: { summary: "{{ trigger.event.data.title }}" },
      },
      retry: { maxAttempts: 5, backoffMs: 2_000, strategy: "exponential" },
    },
  ],
  edges: [],
};

export const listWorkflows = query({
  id: "workflows.list",
  ...workflowRoutes("GET", ""),
  summary: "List workflows, newest first",
  permission: WorkflowsRead,
  query: object({
    ...pageQuery,
    status: Type.Optional(
      Type.Enum(["active", "inactive", "archived"], {
        description: "Default: all except archived workflows",
      }),
    ),
    q: Type.Optional(line(200, "Part of the name; ignores case")),
    tag: Type.Optional(Tag),
    ids: Type.Optional(line(4_000, "Ids of workflows, separated by commas")),
    orphaned: Type.Optional(
      Type.Boolean({
        description:
          "Returns only active workflows in the environment of the request that can't start, because the member who deployed them is no longer active",
      }),
    ),
    activity: Type.Optional(
      Type.Boolean({
        description: "If true, `activity` contains recent runs in the environment of the request",
      }),
    ),
  }),
  environmentScoped: true,
  response: page(
    withRevision(
      Type.Object(
        { ...WorkflowSummary.properties, activity: Type.Optional(WorkflowActivity) },
        { title: "WorkflowSummary" },
      ),
    ),
  ),
  async run(ctx, { query: asked }) {
    const { limit, after, status, q, tag, ids, orphaned = false, activity = false } = asked;
    const { cursors } = ctx.services;
    const [before = AFTER_ALL] = after === undefined ? [] : cursors.decode(LIST, after);
    const filter = {
      status,
      q,
      tag,
      ids: ids?.split(","),
      orphanedIn: orphaned ? ctx.caller.environment : undefined,
      before: String(before),
      limit: limit + 1,
    };
    const rows = await store.list(ctx.tx, filter);
    const activityOf = activity ? await readActivity(ctx, rows) : () => ({});
    return toPage(
      rows,
      limit,
      (row) => ({ ...service.visibleWorkflow(ctx, row), ...activityOf(row) }),
      ({ id }) => cursors.encode(LIST, [id]),
    );
  },
});

/** Reads the activity of the workflows on a page. */
async function readActivity(
  { tx, now, services }: ReadContext,
  rows: readonly { readonly id: string }[],
): Promise<(row: { readonly id: string }) => { readonly activity: WorkflowActivity }> {
  const ids = rows.map(({ id }) => id);
  const found = new Map<string, WorkflowActivity>();
  for (const read of contributionsTo(WorkflowActivityPoint, services.contributions)) {
    for (const [id, activity] of await read(tx, ids, now)) found.set(id, activity);
  }
  return ({ id }) => ({ activity: found.get(id) ?? NO_ACTIVITY });
}

export const createWorkflow = command({
  id: "workflows.create",
  effect: "ordinary",
  ...workflowRoutes("POST", ""),
  summary: "Create a workflow",
  description:
    "Validates the whole definition; a 422 lists all errors with their paths. The definition becomes version 1, a draft: nothing runs until you deploy or activate it in an environment.",
  permission: WorkflowsWrite,
  body: NewWorkflow,
  response: created(Workflow, { location: ({ id }) => `/api/v1/workflows/${id}` }),
  emits: [events.WorkflowCreated, events.VersionCreated],
  example: { body: exampleDefinition },
  prepare: prepareInput,
  run: async (ctx, _input, input) => service.visibleWorkflow(ctx, await service.create(ctx, input)),
});

export const getWorkflow = query({
  id: "workflows.get",
  ...workflowRoutes("GET", "/{id}"),
  summary: "Get a workflow",
  description:
    "Returns the live definition, which is the working copy. `environments` contains the deployed versions. `trigger.url` is the URL of a webhook trigger.",
  permission: WorkflowsRead,
  params: ByWorkflow,
  response: item(Workflow),
  example: workflowExample,
  run: async (ctx, { params }) => service.visibleWorkflow(ctx, await store.get(ctx.tx, params.id)),
});

export const updateWorkflow = command({
  id: "workflows.update",
  effect: "ordinary",
  ...workflowRoutes("PATCH", "/{id}"),
  summary: "Update some fields of a workflow",
  description:
    "The given fields replace those of the live definition; null removes an optional field. Validates the whole definition and appends it as a version, the draft; the previous draft is superseded. If nothing changes, no version is created unless `label` or `changeSummary` is given. Deployed versions do not change.",
  permission: WorkflowsWrite,
  params: ByWorkflow,
  body: WorkflowChange,
  allowNoop: true,
  response: item(Workflow),
  emits: [events.WorkflowUpdated, events.VersionCreated],
  fails: [WorkflowIsArchived],
  example: { ...workflowExample, body: { name: "Page on-call", changeSummary: "A shorter name" } },
  prepare: prepareInput,
  run: async (ctx, { params }, input) =>
    service.visibleWorkflow(ctx, await service.save(ctx, params.id, input, "merge")),
});

export const replaceWorkflow = command({
  id: "workflows.replace",
  effect: "ordinary",
  ...workflowRoutes("PUT", "/{id}"),
  summary: "Replace the definition of a workflow",
  description: "Replaces the whole definition: omitted fields are reset.",
  permission: WorkflowsWrite,
  params: ByWorkflow,
  body: NewWorkflow,
  allowNoop: true,
  response: item(Workflow),
  emits: [events.WorkflowUpdated, events.VersionCreated],
  fails: [WorkflowIsArchived],
  example: { ...workflowExample, body: exampleDefinition },
  prepare: prepareInput,
  run: async (ctx, { params }, input) =>
    service.visibleWorkflow(ctx, await service.save(ctx, params.id, input, "replace")),
});

export const archiveWorkflow = command({
  id: "workflows.archive",
  ...workflowRoutes("DELETE", "/{id}"),
  summary: "Archive a workflow",
  description:
    "Turns its triggers off in all environments. The workflow can still be read and listed with `status=archived`, but it can't be changed or deployed. Active runs continue.",
  permission: WorkflowsWrite,
  params: ByWorkflow,
  allowNoop: true,
  response: noContent(),
  emits: [events.WorkflowArchived, events.WorkflowDeactivated],
  example: workflowExample,
  run: (ctx, { params }) => service.archive(ctx, params.id),
});

export const unarchiveWorkflow = command({
  id: "workflows.unarchive",
  effect: "ordinary",
  ...workflowRoutes("POST", "/{id}/unarchive"),
  summary: "Restore an archived workflow",
  description:
    "The workflow can be changed and deployed again. Its triggers stay off until you activate or deploy it.",
  permission: WorkflowsWrite,
  params: ByWorkflow,
  allowNoop: true,
  response: item(Workflow),
  emits: [events.WorkflowUnarchived],
  example: workflowExample,
  run: async (ctx, { params }) =>
    service.visibleWorkflow(ctx, await service.unarchive(ctx, params.id)),
});

async function prepareInput(
  platform: Platform,
  { body }: { readonly body: NewWorkflow | WorkflowChange },
  caller: Caller,
): Promise<WorkflowInput> {
  const input = toWorkflowInput(body);
  await parseExpressions(platform, input.fields);
  return { ...input, scriptErrors: await findScriptErrors(platform, input.fields, caller) };
}

export const validateWorkflow = query({
  id: "workflows.validate",
  ...workflowRoutes("POST", "/validate"),
  summary: "Validate a workflow definition",
  description:
    "Saves nothing. Returns 200 with all errors and their paths, and with `warnings` about possible problems: a table that does not exist in this environment, a step that runs after a step that reads it, an event type that is similar to a platform event type, a missing secret or sub-workflow.",
  environmentScoped: true,
  permission: WorkflowsWrite,
  oneAtATime: true,
  body: NewWorkflow,
  response: item(
    Type.Object(
      {
        valid: Type.Boolean(),
        errors: Type.Array(DefinitionIssue),
        warnings: Type.Array(DefinitionIssue),
        productionValues: Type.Array(ProductionValue, {
          description:
            "Production values that the workflow would use in the environment of the request. Empty in production",
        }),
      },
      { title: "WorkflowValidation" },
    ),
  ),
  example: { body: exampleDefinition },
  prepare: prepareInput,
  async run(ctx, _input, { fields, scriptErrors = [] }) {
    const issues = await definitionIssues(ctx, fields);
    const needs = await findEnvironmentNeeds(ctx, ctx.caller.environment, fields);
    const errors = [...issues.errors, ...(issues.open ?? []), ...scriptErrors];
    const locate = (all: readonly FieldError[]) =>
      mapInTurns(all.slice(0, ISSUES_MAX), (issue) => [toDefinitionIssue(fields, issue)]);
    return {
      valid: errors.length === 0,
      errors: await locate(errors),
      warnings: await locate([...issues.warnings, ...needs.warnings]),
      productionValues: [...needs.productionValues],
    };
  },
});
