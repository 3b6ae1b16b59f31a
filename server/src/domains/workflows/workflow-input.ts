import Type, { type Static, type TSchema } from "typebox";
import type { FieldError } from "#kernel/operation/failure.ts";
import { nullable, object } from "#kernel/schema/schema.ts";
import { type Definition, definitionFields, loop, repeat } from "./definition/index.ts";
import { ChangeSummary, Label } from "./versions/version.ts";

/** The fields of the version that a save appends. */
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

// The content of these is left to `checkDefinition`, which finds all errors and not just the first
// few; the schemas are for readers of the API's description.
const structure = {
  trigger: orAnything(trigger),
  triggers: Type.Optional(
    Type.Array(orAnything(trigger), { description: "Additional triggers, each with an `id`" }),
  ),
  nodes: Type.Array(orAnything(nodes.items)),
  edges: Type.Array(orAnything(edges.items)),
};

/** A whole definition. */
export const WholeDefinition = object(
  { name, description, note, tags, ...structure, ...limits },
  { title: "NewWorkflowDefinition" },
);

/** The body that makes a workflow, or replaces its definition. */
export const NewWorkflow = object(
  { ...WholeDefinition.properties, ...versionFields },
  { title: "NewWorkflow" },
);
export type NewWorkflow = Static<typeof NewWorkflow>;

/** The body that changes some of a definition's fields; null takes an optional one away. */
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

/** A body split into the fields of the definition and those of the version. */
export interface WorkflowInput {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly label?: string | undefined;
  readonly changeSummary?: string | undefined;
  /** The syntax errors of its scripts, which are found while no transaction is open. */
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

/** Takes labels of edges that are booleans or numbers for their texts, in the bodies of loops too. */
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

/** A definition with some of its fields changed, and those that became null left out. */
export function mergeFields(definition: Definition, { fields }: WorkflowInput): unknown {
  const all = Object.entries({ ...definition, ...fields });
  return Object.fromEntries(all.filter(([, value]) => value !== null));
}

/** Drops the addresses of triggers, which responses show and callers may send back. */
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
