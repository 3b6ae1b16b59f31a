import Type, { type Static, type TSchema } from "typebox";
import { nullable, object } from "#kernel/schema/schema.ts";
import { type Definition, definitionFields } from "./definition/index.ts";
import { ChangeSummary, Label } from "./versions/version.ts";

/** What goes with the version that a save appends. */
export const versionFields = {
  label: Type.Optional(Label),
  changeSummary: Type.Optional(ChangeSummary),
};

const { name, description, trigger, nodes, edges, ...limits } = definitionFields;

// The inside of these is left to `checkDefinition`, which finds every fault of it and not just the
// first few; the schemas stand here for whoever reads the description of the API.
const structure = {
  trigger: anything(trigger),
  nodes: Type.Array(anything(nodes.items)),
  edges: Type.Array(anything(edges.items)),
};

/** A whole definition. */
export const WholeDefinition = object(
  { name, description, ...structure, ...limits },
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
    trigger: Type.Optional(structure.trigger),
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

/** A body taken apart: the fields of the definition, and what goes with the version. */
export interface WorkflowInput {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly label?: string | undefined;
  readonly changeSummary?: string | undefined;
}

export function toWorkflowInput({
  label,
  changeSummary,
  ...fields
}: NewWorkflow | WorkflowChange): WorkflowInput {
  return { fields: { ...fields, ...withoutAddress(fields.trigger) }, label, changeSummary };
}

/** A definition with some of its fields changed, and those that became null left out. */
export function merged(definition: Definition, { fields }: WorkflowInput): unknown {
  const all = Object.entries({ ...definition, ...fields });
  return Object.fromEntries(all.filter(([, value]) => value !== null));
}

/** Whoever sends back what an answer showed has the trigger's address in it, which is ours to say. */
function withoutAddress(given: unknown): { trigger?: unknown } {
  if (typeof given !== "object" || given === null || !("url" in given)) return {};
  const { url: _, ...rest } = given;
  return { trigger: rest };
}

function anything(schema: TSchema) {
  return Type.Unsafe<unknown>(Type.Union([schema, Type.Unknown()]));
}

function orNull<S extends TSchema>(schema: S) {
  return Type.Optional(nullable(schema));
}
