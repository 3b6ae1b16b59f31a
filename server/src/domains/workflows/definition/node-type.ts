import Type, { type Static, type TObject } from "typebox";
import type { FieldError } from "#kernel/operation/failure.ts";
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
  readonly effect: Effect;
  /** Checks what the schema can't express; called with a value that fits it, templates included. */
  readonly check?: (config: Config) => readonly FieldError[];
  /** It runs the graph in `config.body` for each of its items. */
  readonly iterates?: true;
  /** Its output is the answer of the run. */
  readonly answers?: true;
  /** It ends in failure by design, which no retry or `onError` could turn into anything else. */
  readonly alwaysFails?: true;
  /** Its configuration stays in the platform, where people read it: it must hold no secret. */
  readonly inside?: true;
  /** It computes before it reaches outside, so it may start before its run is written. */
  readonly computesFirst?: true;
  /** The type by which it is executed, where that is not its own. */
  readonly executedAs?: string;
  /** Its effect and executor, where the configuration changes them. */
  readonly inFact?: (config: Config) => Pick<NodeType, "effect" | "executedAs"> | undefined;
}

/** Declares a node type. */
export function nodeType<Schema extends TObject>(declaration: NodeType<Schema>): NodeType<Schema> {
  return declaration;
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

/** A node type as a console needs it to draw a form. */
export const NodeTypeDescription = Type.Object(
  {
    type: Type.String(),
    summary: Type.String(),
    effect: Type.Enum(["pure", "outside", "wait"]),
    branches: Type.Array(Type.String(), { description: "What `when` may name, `error` aside" }),
    branchesDependOnConfig: Type.Boolean({ description: "Whether the config adds branches" }),
    config: Type.Record(Type.String(), Type.Unknown(), { description: "A JSON Schema" }),
  },
  { title: "NodeType" },
);
export type NodeTypeDescription = Static<typeof NodeTypeDescription>;

export function describeNodeType(type: NodeType): NodeTypeDescription {
  return {
    type: type.type,
    summary: type.summary,
    effect: type.effect,
    branches: [...branchLabels(type, {})],
    branchesDependOnConfig: typeof type.branches === "function",
    config: { ...templateSchema(type.config) },
  };
}
