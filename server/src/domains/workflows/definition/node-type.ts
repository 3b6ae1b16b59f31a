import Type, { type Static, type TObject, type TSchema } from "typebox";
import type { FieldError } from "#kernel/operation/failure.ts";
import { type FieldHints, NODE_GROUPS, type NodeForm, schemaWithHints } from "./node-form.ts";
import type { GraphDefinition, Node } from "./definition.ts";
import { templateSchema } from "./template.ts";

/** A configuration as written: any value can still be a template. */
export type Config = Readonly<Record<string, unknown>>;

/**
 * The effect of a step: pure steps need no checkpoint; others have an effect outside of the run or wait for something
 * outside.
 */
export type Effect = "pure" | "outside" | "wait";

/** A type of step, as needed for definitions and graphs. Executors are registered separately. */
export interface NodeType<Schema extends TObject = TObject> {
  readonly type: string;
  readonly summary: string;
  /** The configuration of the executor, with evaluated templates. */
  readonly config: Schema;
  /** The labels among which a completed step chooses. Types must not use `error`. */
  readonly branches: "none" | readonly string[] | ((config: Config) => readonly string[]);
  /** Labels that edges without a label do not follow. */
  readonly aside?: readonly string[];
  /** The configuration field that adds branches. */
  readonly branchesFrom?: string;
  readonly effect: Effect;
  /** The form metadata for the console. */
  readonly form: NodeForm;
  /** The output schema of a completed step. It can depend on the configuration. */
  readonly output: TSchema | ((config: Config) => TSchema);
  /** Checks what the schema cannot express. Called with a valid value that can contain templates. */
  readonly check?: (config: Config) => readonly FieldError[];
  /** Runs the graph in `config.body` for each item. */
  readonly iterates?: true;
  /** Runs that graph repeatedly until a condition holds, instead of per item. */
  readonly repeats?: true;
  /** Runs that graph once: disconnected parts race, and the first to complete ends the step. */
  readonly races?: true;
  /** Runs a graph created by the plan instead of the author. `iterates` and `repeats` apply to that graph. */
  readonly plans?: (config: Config, retry: Node["retry"]) => GraphDefinition;
  /** The default timeout of an attempt. */
  readonly timeoutMs?: number;
  /** Additional names visible to an expression field, by field name. */
  readonly names?: Readonly<Record<string, readonly string[]>>;
  /** Its output is the response of the run. */
  readonly answers?: true;
  /** External callers reach the step at its own address, listed in `run.resumeUrls`. */
  readonly takesCalls?: true;
  /** Always fails by design. Retries and `onError` do not apply. */
  readonly alwaysFails?: true;
  /** Its configuration is stored and shown inside the platform, so it must not contain secrets. */
  readonly inside?: true;
  /** Computes before its effects outside, so it can start before its run is written. */
  readonly computesFirst?: true;
  /** Has effects through operations only. If it starts again it gets their stored responses. */
  readonly replays?: true;
  /** The type whose executor runs it, if different. */
  readonly executedAs?: string;
  /** The effective effect and executor, if they depend on the configuration. */
  readonly inFact?: (config: Config) => Pick<NodeType, "effect" | "executedAs"> | undefined;
}

export function nodeType<Schema extends TObject>(
  declaration: NodeType<Schema> & { readonly form: CompleteForm<Schema> },
): NodeType<Schema> {
  return declaration;
}

/** A form with hints for every field. */
interface CompleteForm<Schema extends TObject> extends NodeForm {
  readonly fields: { readonly [Name in keyof Static<Schema>]-?: FieldHints };
}

/** The node types of an installation. */
export interface NodeTypes {
  readonly all: readonly NodeType[];
  readonly get: (type: string) => NodeType | undefined;
}

/** Custom node types of a workspace. Only their names differ. */
export interface NodeFamily {
  readonly like: NodeType;
  /** True for a name with the form of this family. */
  readonly names: (type: string) => boolean;
}

/** Creates a registry from the node types contributed by all domains. */
export function nodeTypes(
  all: readonly NodeType[],
  families: readonly NodeFamily[] = [],
): NodeTypes {
  const byName = new Map(all.map((type) => [type.type, type]));
  if (byName.size !== all.length) throw new Error("Two node types have the same name.");
  const inFamily = (type: string): NodeType | undefined => {
    const like = families.find(({ names }) => names(type))?.like;
    return like && { ...like, type, executedAs: like.type };
  };
  return { all, get: (type) => byName.get(type) ?? inFamily(type) };
}

/** The labels allowed on edges from a node of this type, without `error`. */
export function branchLabels({ branches }: NodeType, config: Config): readonly string[] {
  if (branches === "none") return [];
  return typeof branches === "function" ? branches(config) : branches;
}

/** The schema of the step output for this configuration. */
export function outputSchema({ output }: NodeType, config: Config): TSchema {
  return typeof output === "function" ? output(config) : output;
}

const JsonSchema = (description: string) =>
  Type.Record(Type.String(), Type.Unknown(), { description });

/** A node type with the metadata for its console form. */
export const NodeTypeDescription = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    group: Type.Enum([...NODE_GROUPS]),
    icon: Type.String({ description: "Lucide icon name. Example: `git-branch`" }),
    summary: Type.String(),
    effect: Type.Enum(["pure", "outside", "wait"]),
    branches: Type.Array(Type.String(), {
      description: "Values of `when`, in addition to `error`",
    }),
    branchesDependOnConfig: Type.Boolean({
      description: "Whether the configuration adds branches",
    }),
    branchesFrom: Type.Optional(
      Type.String({ description: "The configuration field that adds one branch per item" }),
    ),
    iterates: Type.Optional(
      Type.Boolean({ description: "Whether the node runs the graph in `config.body`" }),
    ),
    config: JsonSchema("A JSON Schema"),
    firstConfig: JsonSchema("Initial configuration of a new node"),
    output: JsonSchema("JSON Schema of the output. Can be incomplete before a run"),
  },
  { title: "NodeType" },
);
export type NodeTypeDescription = Static<typeof NodeTypeDescription>;

export function describeNodeType(type: NodeType): NodeTypeDescription {
  const { title, group, icon, first, fields } = type.form;
  return {
    type: type.type,
    title,
    group,
    icon,
    summary: type.summary,
    effect: type.effect,
    branches: [...branchLabels(type, {})],
    branchesDependOnConfig: typeof type.branches === "function",
    ...(type.branchesFrom !== undefined && { branchesFrom: type.branchesFrom }),
    ...(type.iterates && !type.plans && { iterates: true }),
    config: { ...templateSchema(schemaWithHints(type.config, fields)) },
    firstConfig: { ...first },
    output: { ...outputSchema(type, first) },
  };
}
