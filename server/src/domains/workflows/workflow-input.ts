import Type, { type Static, type TSchema } from "typebox";
import type { FieldError } from "#kernel/operation/failure.ts";
import { nullable, object } from "#kernel/schema/schema.ts";
import { type Definition, definitionFields, loop, repeat } from "./definition/index.ts";
import { ChangeSummary, Label } from "./versions/version.ts";

/** Fields of the version created by a save. */
export const versionFields = {
  label: Type.Optional(Label),
  changeSummary: Type.Optional(ChangeSummary),
};

const {
  name,
  description,
  note,
  tags,
  trigger,
  triggers: _,
  nodes,
  edges,
  ...limits
} = definitionFields;

// `checkDefinition` validates the content of these fields because it finds all errors. The schemas are for the API
// documentation.
const structure = {
  trigger: orAnything(trigger),
  triggers: Type.Optional(
    Type.Array(orAnything(trigger), { description: "Additional triggers, each with an `id`" }),
  ),
  nodes: Type.Array(orAnything(nodes.items)),
  edges: Type.Array(orAnything(edges.items)),
};

/** A complete definition. */
export const WholeDefinition = object(
  { name, description, note, tags, ...structure, ...limits },
  { title: "NewWorkflowDefinition" },
);

/** The request body that creates a workflow or replaces its definition. */
export const NewWorkflow = object(
  { ...WholeDefinition.properties, ...versionFields },
  { title: "NewWorkflow" },
);
export type NewWorkflow = Static<typeof NewWorkflow>;

/** A partial change to a definition. Null removes an optional field. */
export const WorkflowChange = Type.Object(
  {
    name: Type.Optional(name),
    description: orNull(description),
    note: orNull(note),
    tags: orNull(tags),
    trigger: Type.Optional(structure.trigger),
    triggers: orNull(structure.triggers),
    nodes: Type.Optional(structure.nodes),
    edges: Type.Optional(structure.edges),
    maxConcurrency: orNull(limits.maxConcurrency),
    concurrencyKey: orNull(limits.concurrencyKey),
    timeoutMs: orNull(limits.timeoutMs),
    errorWorkflowId: orNull(limits.errorWorkflowId),
    ...versionFields,
  },
  { title: "WorkflowChange", additionalProperties: false, minProperties: 1 },
);
export type WorkflowChange = Static<typeof WorkflowChange>;

/** A request body split into definition fields and version fields. */
export interface WorkflowInput {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly label?: string | undefined;
  readonly changeSummary?: string | undefined;
  /** Syntax errors of its scripts, found outside of a transaction. */
  readonly scriptErrors?: readonly FieldError[];
}

export function toWorkflowInput({
  label,
  changeSummary,
  ...fields
}: NewWorkflow | WorkflowChange): WorkflowInput {
  const normal = withTextLabels({ ...fields, ...withoutUrls(fields) });
  return { fields: normal, label, changeSummary };
}

/** Converts boolean and number labels of edges to text, also in loop bodies. */
export function withTextLabels<Graph extends object>(graph: Graph): Graph {
  const { nodes, edges } = graph as { readonly nodes?: unknown; readonly edges?: unknown };
  return {
    ...graph,
    ...(Array.isArray(nodes) && { nodes: nodes.map(withTextLabelsInside) }),
    ...(Array.isArray(edges) && { edges: edges.map(withTextLabel) }),
  };
}

function withTextLabelsInside(node: unknown): unknown {
  const { type, config } = Object(node) as { readonly type?: unknown; readonly config?: unknown };
  const { body } = Object(config) as { readonly body?: unknown };
  if ((type !== loop.type && type !== repeat.type) || typeof body !== "object" || body === null)
    return node;
  return { ...Object(node), config: { ...Object(config), body: withTextLabels(body) } } as unknown;
}

function withTextLabel(edge: unknown): unknown {
  const { when } = Object(edge) as { readonly when?: unknown };
  if (typeof when !== "boolean" && typeof when !== "number") return edge;
  return { ...Object(edge), when: String(when) } as unknown;
}

/** A definition with some fields changed, and fields set to null removed. */
export function mergeFields(definition: Definition, { fields }: WorkflowInput): unknown {
  const all = Object.entries({ ...definition, ...fields });
  return Object.fromEntries(all.filter(([, value]) => value !== null));
}

/** Removes trigger addresses, which responses contain and callers can send back. */
function withoutUrls({ trigger, triggers }: { trigger?: unknown; triggers?: unknown }) {
  return {
    ...(trigger !== undefined && { trigger: withoutUrl(trigger) }),
    ...(Array.isArray(triggers) && { triggers: triggers.map(withoutUrl) }),
  };
}

function withoutUrl(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("url" in value)) return value;
  const { url: _, ...rest } = value;
  return rest;
}

function orAnything(schema: TSchema) {
  return Type.Unsafe<unknown>(Type.Union([schema, Type.Unknown()]));
}

function orNull<S extends TSchema>(schema: S) {
  return Type.Optional(nullable(schema));
}
