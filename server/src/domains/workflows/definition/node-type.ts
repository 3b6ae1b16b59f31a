import Type, { type Static, type TObject, type TSchema } from "typebox";
import type { FieldError } from "#kernel/operation/failure.ts";
import { type FieldHints, NODE_GROUPS, type NodeForm, schemaWithHints } from "./node-form.ts";
import type { GraphDefinition, Node } from "./definition.ts";
import { templateSchema } from "./template.ts";

/** A configuration as it stands in a definition: any value may still be a template. */
export type Config = Readonly<Record<string, unknown>>;

/**
 * The effect of a step: none, so that it needs no checkpoint of its own; something outside of the
 * run; or a wait for something outside of the run.
 */
export type Effect = "pure" | "outside" | "wait";

/** One kind of step, as far as definitions and the graph are concerned; others execute it. */
export interface NodeType<Schema extends TObject = TObject> {
  readonly type: string;
  readonly summary: string;
  /** The configuration that its executor gets, with the templates evaluated. */
  readonly config: Schema;
  /** The labels that a completed step can choose among; `error` is not for types to name. */
  readonly branches: "none" | readonly string[] | ((config: Config) => readonly string[]);
  /** Those of them that edges without a label do not follow. */
  readonly aside?: readonly string[];
  /** The field of the configuration that adds branches. */
  readonly branchesFrom?: string;
  readonly effect: Effect;
  /** The looks of it in a console. */
  readonly form: NodeForm;
  /** A JSON Schema of what a completed step gives, as far as the configuration tells. */
  readonly output: TSchema | ((config: Config) => TSchema);
  /** Checks what the schema can't express; called with a value that fits it, templates included. */
  readonly check?: (config: Config) => readonly FieldError[];
  /** It runs the graph in `config.body` for each of its items. */
  readonly iterates?: true;
  /** It runs that graph turn by turn, until a condition holds, and not for each of a list. */
  readonly repeats?: true;
  /** It runs that graph once: parts of it that no edge connects race, and the first to complete ends it. */
  readonly races?: true;
  /** It runs a graph that no author writes, but its plan; `iterates` and `repeats` hold for that. */
  readonly plans?: (config: Config, retry: Node["retry"]) => GraphDefinition;
  /** How long an attempt may take unless its node says so. */
  readonly timeoutMs?: number;
  /** Names that an expression of the configuration sees beside the scope, by its field. */
  readonly names?: Readonly<Record<string, readonly string[]>>;
  /** Its output is the answer of the run. */
  readonly answers?: true;
  /** Others reach it at an address of its own, which `run.resumeUrls` tells. */
  readonly takesCalls?: true;
  /** It ends in failure by design, which no retry or `onError` could turn into anything else. */
  readonly alwaysFails?: true;
  /** Its configuration stays in the platform, where people read it: it must hold no secret. */
  readonly inside?: true;
  /** It computes before it reaches outside, so it may start before its run is written. */
  readonly computesFirst?: true;
  /** It reaches outside by operations alone, whose stored responses it gets when it begins again. */
  readonly replays?: true;
  /** The type by which it is executed, where that is not its own. */
  readonly executedAs?: string;
  /** Its effect and executor, where the configuration changes them. */
  readonly inFact?: (config: Config) => Pick<NodeType, "effect" | "executedAs"> | undefined;
}

/** Declares a node type. */
export function nodeType<Schema extends TObject>(
  declaration: NodeType<Schema> & { readonly form: CompleteForm<Schema> },
): NodeType<Schema> {
  return declaration;
}

/** A form that has a word on every field. */
interface CompleteForm<Schema extends TObject> extends NodeForm {
  readonly fields: { readonly [Name in keyof Static<Schema>]-?: FieldHints };
}

/** The node types that an installation knows. */
export interface NodeTypes {
  readonly all: readonly NodeType[];
  readonly get: (type: string) => NodeType | undefined;
}

/** Types that people make, so that each workspace has others: alike in all but their names. */
export interface NodeFamily {
  readonly like: NodeType;
  /** True for a name of the form that its members have. */
  readonly names: (type: string) => boolean;
}

/** Makes a registry; each domain that can do something in a workflow contributes to the list. */
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

/** The labels that may stand on the edges from a node of this type, `error` aside. */
export function branchLabels({ branches }: NodeType, config: Config): readonly string[] {
  if (branches === "none") return [];
  return typeof branches === "function" ? branches(config) : branches;
}

/** The schema of what a step with this configuration gives. */
export function outputSchema({ output }: NodeType, config: Config): TSchema {
  return typeof output === "function" ? output(config) : output;
}

const JsonSchema = (description: string) =>
  Type.Record(Type.String(), Type.Unknown(), { description });

/** A node type as a console needs it to draw a form. */
export const NodeTypeDescription = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    group: Type.Enum([...NODE_GROUPS]),
    icon: Type.String({ description: "Name of a Lucide icon, such as `git-branch`" }),
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
    output: JsonSchema("JSON Schema of the output, as far as it is known before a run"),
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
