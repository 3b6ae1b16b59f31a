import Type, { type Static } from "typebox";
import type { EnvironmentName } from "#kernel/db/database.ts";
import { failure, type FieldError } from "#kernel/operation/failure.ts";
import { id, nullable, Time } from "#kernel/schema/schema.ts";
import {
  type Definition,
  definitionFields,
  listTriggers,
  locatePointer,
  type NamedTrigger,
  Trigger,
} from "./definition/index.ts";
import { buildPageToken } from "./page-token.ts";
import { Label, VersionId, VersionStatus } from "./versions/version.ts";

export const WorkflowId = id("wf");

/** All environments in display order. */
export const ENVIRONMENTS: readonly EnvironmentName[] = ["production", "staging", "development"];

const InEnvironment = nullable(
  Type.Object(
    {
      versionId: VersionId,
      version: Type.Integer(),
      enabled: Type.Boolean({ description: "Whether the trigger is on in this environment" }),
      orphaned: Type.Boolean({
        description:
          "True if the member who deployed it is no longer active. No runs start until it is deployed again",
      }),
      deployedBy: Type.Object({ id: Type.String(), name: Type.String() }),
    },
    { description: "Null if no version is deployed" },
  ),
);

const { nodes, edges, ...outline } = definitionFields;

/** A workflow without its graph. */
const workflowFields = {
  id: WorkflowId,
  ...outline,
  status: Type.Enum(["active", "inactive", "archived"], {
    description: "`active` if its trigger is on in an environment",
  }),
  createdBy: Type.String({ description: "The id of a user" }),
  createdAt: Time,
  updatedAt: Time,
};

/**
 * A workflow in events. The version contains the graph, and the address is only for callers who can trigger the
 * workflow.
 */
export const WorkflowData = Type.Object(workflowFields, { title: "WorkflowData" });
export type WorkflowData = Static<typeof WorkflowData>;

type TriggerItem = Trigger & { readonly url?: string };

// The declared schema with one additional response field.
const { properties } = Trigger as unknown as { readonly properties: object };
const TriggerItem = Type.Unsafe<TriggerItem>({
  ...Trigger,
  title: "WorkflowTriggerWithUrl",
  properties: {
    ...properties,
    url: {
      type: "string",
      description:
        "For `webhook`: the URL for requests. For `form` and `chat`: the URL of the page. Visible to callers who can trigger it; ignored in requests",
    },
  },
});

const itemFields = {
  ...workflowFields,
  trigger: TriggerItem,
  triggers: Type.Optional(Type.Array(TriggerItem)),
  versions: Type.Object({
    newest: Type.Object({
      id: VersionId,
      version: Type.Integer(),
      label: nullable(Label),
      status: VersionStatus,
    }),
  }),
  environments: Type.Object({
    production: InEnvironment,
    staging: InEnvironment,
    development: InEnvironment,
  }),
};

/** A workflow in lists. */
export const WorkflowSummary = Type.Object(itemFields, { title: "WorkflowSummary" });
export type WorkflowSummary = Static<typeof WorkflowSummary>;

/** An error or a warning, with its step and field. */
export const DefinitionIssue = Type.Object(
  {
    path: Type.String({ description: "A JSON pointer into the definition" }),
    message: Type.String(),
    stepId: Type.Optional(Type.String({ description: "Key of the step: `each.call` in a loop" })),
    field: Type.Optional(Type.String({ description: "A JSON pointer within the step" })),
  },
  { title: "WorkflowIssue" },
);

export function toDefinitionIssue(
  definition: unknown,
  { path, message }: FieldError,
): Static<typeof DefinitionIssue> {
  return { path, message, ...locatePointer(definition, path) };
}

/** Warnings about a definition, each with its path. */
export const Warnings = Type.Array(Type.Object({ path: Type.String(), message: Type.String() }));

export const Workflow = Type.Object(
  {
    ...itemFields,
    nodes,
    edges,
    warnings: Type.Optional(
      Type.Unsafe<Static<typeof Warnings>>({
        ...Warnings,
        description: "Possible problems with their paths. They do not prevent runs",
      }),
    ),
  },
  { title: "Workflow" },
);

/** A workflow from the store. Lists omit the graph. */
export interface StoredWorkflow<D = Definition> {
  readonly id: string;
  readonly definition: D;
  readonly status: WorkflowSummary["status"];
  readonly newest: WorkflowSummary["versions"]["newest"];
  readonly environments: WorkflowSummary["environments"];
  readonly hookToken: string;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly revision: number;
  /** Warnings of a definition that was just checked. */
  readonly warnings?: readonly FieldError[];
}

export type DefinitionOutline = Omit<Definition, "nodes" | "edges">;

export const WorkflowIsArchived = failure(
  "workflow_archived",
  409,
  "The workflow is archived. It can't be changed or deployed.",
);

/** The reference to a workflow in event envelopes. */
export function workflowRef({ id: workflowId, definition }: StoredWorkflow<DefinitionOutline>) {
  return { id: workflowId, displayName: definition.name };
}

export function workflowEventData(workflow: StoredWorkflow): WorkflowData {
  const { nodes: _, edges: __, ...rest } = workflow.definition;
  return { ...rest, ...commonFieldsOf(workflow) };
}

/** A workflow in responses. Includes its webhook address if the caller can see `hookBase`. */
export function toWorkflowItem<D extends DefinitionOutline>(
  workflow: StoredWorkflow<D>,
  hooks: HookBase | undefined,
) {
  const { definition, newest, environments, hookToken, revision, warnings } = workflow;
  const [first, ...further] = listTriggers(definition).map((named) => {
    const url = hooks && toHookUrl({ ...hooks, workflowId: workflow.id, hookToken }, named);
    return { ...named.trigger, ...(url !== undefined && { url }) };
  });
  return {
    ...definition,
    ...commonFieldsOf(workflow),
    trigger: first ?? definition.trigger,
    ...(definition.triggers && { triggers: further }),
    versions: { newest },
    environments,
    revision,
    ...(warnings && warnings.length > 0 && { warnings: [...warnings] }),
  };
}

/** The common part of all webhook addresses of a workspace in an environment. */
export interface HookBase {
  readonly base: string;
  readonly environment: EnvironmentName;
}

/** The public address of a workflow. */
export interface HookPlace extends HookBase {
  readonly workflowId: string;
  readonly hookToken: string;
}

/**
 * The address of a trigger in an environment. Each address names its environment; without one a request starts a run
 * in production.
 */
export function toHookUrl(place: HookPlace, named: NamedTrigger): string | undefined {
  const url = toProductionUrl(place, named);
  if (url === undefined || place.environment === "production") return url;
  return `${url}?environment=${place.environment}`;
}

/** Triggers after the first one have their path or id after the token. */
function toProductionUrl(
  { base, workflowId, hookToken }: HookPlace,
  { id: triggerId, trigger, first }: NamedTrigger,
): string | undefined {
  if (trigger.type === "form" || trigger.type === "chat") {
    const page = base.replace(/\/hooks(?=\/[^/]+$)/, trigger.type === "form" ? "/forms" : "/chat");
    const token = buildPageToken(workflowId, hookToken, trigger.type);
    return `${page}/${token}${first ? "" : `/${triggerId}`}`;
  }
  if (trigger.type !== "webhook") return undefined;
  const path = trigger.path ?? (first ? undefined : triggerId);
  if (path === undefined) return `${base}/${hookToken}`;
  return `${base.replace(/\/hooks(?=\/[^/]+$)/, "/inbound")}/${hookToken}/${path}`;
}

function commonFieldsOf({
  id: workflowId,
  status,
  ...workflow
}: StoredWorkflow<DefinitionOutline>) {
  const { createdBy, createdAt, updatedAt } = workflow;
  return { id: workflowId, status, createdBy, createdAt, updatedAt };
}
