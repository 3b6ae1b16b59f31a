import Type, { type Static } from "typebox";
import {
  listWorkspaceNodeTypes,
  nodeTypesOf,
  type OutlineNode,
  outputSchema,
  triggerTypes,
} from "#domains/workflows/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { functionSignatures } from "#kernel/expression/function-signatures.ts";
import { type PreviewPlace, type PreviewScope, readPreviewScope } from "./preview-scope.ts";
import { cutValue } from "./sample.ts";

/** Limits per sample and per response. */
const SAMPLE_CHARACTERS_MAX = 8_192;
const SAMPLES_CHARACTERS_MAX = 262_144;

const JsonSchema = Type.Record(Type.String(), Type.Unknown(), {
  description: "JSON Schema. Can be incomplete",
});

const VisibleName = Type.Object(
  {
    path: Type.String({ description: "Name in expressions: `steps.read.output`" }),
    kind: Type.Enum([
      "trigger",
      "step",
      "item",
      "index",
      "run",
      "workspace",
      "environment",
      "variable",
    ]),
    title: Type.String(),
    stepId: Type.Optional(Type.String({ description: "For a step: its key" })),
    nodeType: Type.Optional(Type.String()),
    schema: JsonSchema,
    sample: Type.Optional(Type.Unknown({ description: "Sample value, truncated if it is long" })),
    source: Type.Optional(
      Type.Enum(["run", "pin", "values"], { description: "Source of the sample" }),
    ),
  },
  { title: "VisibleName" },
);
type VisibleName = Static<typeof VisibleName>;

/** All names that an expression at a location can use. */
export const VisibleNames = Type.Object(
  {
    names: Type.Array(VisibleName),
    functions: Type.Array(
      Type.Object({ name: Type.String(), signature: Type.String(), summary: Type.String() }),
    ),
  },
  { title: "VisibleNames" },
);
export type VisibleNames = Static<typeof VisibleNames>;

/** Lists the names available at this location, nearest first, with samples. */
export async function listVisibleNames(
  platform: Platform,
  caller: Caller,
  place: PreviewPlace,
): Promise<VisibleNames> {
  const scope = await readPreviewScope(platform, caller, place, { readsVariables: true });
  const schemas = await outputSchemas(platform, caller, scope.position.before);
  const names = [
    ...itemNames(scope),
    triggerName(scope),
    ...scope.position.before
      .toReversed()
      .map((node) => stepName(scope, node, schemas.get(node.key))),
    ...constantNames(scope),
  ];
  return { names: withinBudget(names), functions: [...functionSignatures] };
}

/** Reads the output schemas by step key. */
async function outputSchemas(
  platform: Platform,
  { workspace, environment }: Caller,
  nodes: readonly OutlineNode[],
): Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>> {
  const types = nodeTypesOf(platform);
  const builtIn = new Set(types.all.map(({ type }) => type));
  const hasOthers = nodes.some(({ type }) => !builtIn.has(type));
  const partition = { workspace: workspace?.key ?? "", environment };
  const made = hasOthers
    ? await platform.db.read(partition, (tx) => listWorkspaceNodeTypes(tx, platform))
    : [];
  const outputs = new Map(made.map(({ type, output }) => [type, output]));
  return new Map(
    nodes.map(({ key, type, config }) => {
      const known = builtIn.has(type) ? types.get(type) : undefined;
      return [key, known ? { ...outputSchema(known, config) } : (outputs.get(type) ?? {})];
    }),
  );
}

function itemNames({ values, position: { loops } }: PreviewScope): VisibleName[] {
  const items = loops.toReversed().map(({ as, key, name, id }): VisibleName => ({
    path: as,
    kind: "item",
    title: `An item of ${name ?? id}`,
    stepId: key,
    schema: {},
    ...(values[as] !== undefined && { sample: values[as] }),
  }));
  if (loops.length === 0) return [];
  const schema = { type: "integer" };
  return [
    ...items,
    {
      path: "index",
      kind: "index",
      title: "The index of the item, from 0",
      schema,
      sample: values["index"] ?? 0,
    },
  ];
}

function triggerName({ values, triggerType }: PreviewScope): VisibleName {
  const { scope, title } = triggerTypes.get(triggerType ?? "manual") ?? {};
  const { trigger } = values;
  const hasSample = Object.keys(Object(trigger)).length > 0;
  return {
    path: "trigger",
    kind: "trigger",
    title: title ?? "Trigger",
    schema: { ...scope },
    ...(hasSample && { sample: trigger }),
  };
}

function stepName(
  { values, sources }: PreviewScope,
  { id, key, name, type }: OutlineNode,
  schema: Readonly<Record<string, unknown>> = {},
): VisibleName {
  const steps = Object(values["steps"]) as Record<string, { readonly output?: unknown }>;
  const output = Object.hasOwn(steps, id) ? steps[id]?.output : undefined;
  const source = sources.get(id);
  return {
    path: /^[A-Za-z_][A-Za-z0-9_]*$/.test(id) ? `steps.${id}.output` : `steps.\`${id}\`.output`,
    kind: "step",
    title: name ?? id,
    stepId: key,
    nodeType: type,
    schema: { ...schema },
    ...(output !== undefined && { sample: output, ...(source && { source }) }),
  };
}

/** Names that are available at every location. */
function constantNames({ values }: PreviewScope): VisibleName[] {
  const text = { type: "string" };
  const objectOf = (value: unknown) => ({
    type: "object",
    properties: Object.fromEntries(Object.keys(Object(value)).map((name) => [name, text])),
  });
  const { run, workspace, environment, variables } = values;
  return [
    { path: "run", kind: "run", title: "This run", schema: objectOf(run), sample: run },
    {
      path: "workspace",
      kind: "workspace",
      title: "The workspace",
      schema: objectOf(workspace),
      sample: workspace,
    },
    {
      path: "environment",
      kind: "environment",
      title: "The environment",
      schema: text,
      sample: environment,
    },
    ...Object.entries(Object(variables) as Record<string, unknown>).map(
      ([name, sample]): VisibleName => ({
        path: `variables.${name}`,
        kind: "variable",
        title: name,
        schema: {},
        ...(sample !== null && { sample }),
      }),
    ),
  ];
}

/** Cuts samples to size. If many exist, the farthest names have no samples. */
function withinBudget(names: readonly VisibleName[]): VisibleName[] {
  let left = SAMPLES_CHARACTERS_MAX;
  return names.map(({ sample, ...name }) => {
    if (sample === undefined) return name;
    const { value } = cutValue(sample, SAMPLE_CHARACTERS_MAX);
    left -= JSON.stringify(value).length;
    return left < 0 ? name : { ...name, sample: value };
  });
}
