/** The parser's annotations of a node, in addition to its members. */
interface NodeAnnotations {
  readonly position?: number;
  /** Filters of a step or another node. */
  readonly stages?: readonly Stage[];
  readonly predicate?: readonly Stage[];
  readonly group?: { readonly lhs: readonly Pair[] };
  readonly keepArray?: boolean;
  readonly consarray?: boolean;
  readonly tuple?: boolean;
  readonly focus?: string;
  readonly index?: string;
  readonly ancestor?: unknown;
}

export interface Stage {
  readonly type: "filter" | "index";
  readonly expr?: SyntaxTree;
  /** The variable bound to an index. */
  readonly value?: string;
}

export type Pair = readonly [SyntaxTree, SyntaxTree];

export type PathNode = NodeAnnotations & {
  readonly type: "path";
  readonly steps: readonly SyntaxTree[];
  readonly keepSingletonArray?: boolean;
};
export type Binary = NodeAnnotations & {
  readonly type: "binary";
  readonly value: string;
  readonly lhs: SyntaxTree;
  readonly rhs: SyntaxTree;
};
export type Unary = NodeAnnotations & { readonly type: "unary" } & (
    | { readonly value: "-"; readonly expression: SyntaxTree }
    | { readonly value: "["; readonly expressions: readonly SyntaxTree[] }
    | { readonly value: "{"; readonly lhs: readonly Pair[] }
  );
export type Literal = NodeAnnotations & {
  readonly type: "string" | "number" | "value";
  readonly value: string | number | boolean | null;
};
export type NamedNode = NodeAnnotations & {
  readonly type: "name" | "variable";
  readonly value: string;
};
export type Condition = NodeAnnotations & {
  readonly type: "condition";
  readonly condition: SyntaxTree;
  readonly then: SyntaxTree;
  readonly else?: SyntaxTree;
};
export type Block = NodeAnnotations & {
  readonly type: "block";
  readonly expressions: readonly SyntaxTree[];
};
export type Bind = NodeAnnotations & {
  readonly type: "bind";
  readonly lhs: NamedNode;
  readonly rhs: SyntaxTree;
};
export type CallNode = NodeAnnotations & {
  readonly type: "function" | "partial";
  readonly procedure: SyntaxTree;
  readonly arguments: readonly SyntaxTree[];
};
export type Lambda = NodeAnnotations & {
  readonly type: "lambda";
  readonly arguments: readonly NamedNode[];
  readonly signature?: unknown;
  readonly body: SyntaxTree;
};
export type Apply = NodeAnnotations & {
  readonly type: "apply";
  readonly lhs: SyntaxTree;
  readonly rhs: SyntaxTree;
};
type Sort = NodeAnnotations & {
  readonly type: "sort";
  readonly terms: readonly { readonly expression: SyntaxTree }[];
};
type Transform = NodeAnnotations & {
  readonly type: "transform";
  readonly pattern: SyntaxTree;
  readonly update: SyntaxTree;
  readonly delete?: SyntaxTree;
};
type Leaf = NodeAnnotations & {
  readonly type: "wildcard" | "descendant" | "parent" | "regex" | "operator";
};

/** A node of the jsonata package's syntax tree. */
export type SyntaxTree =
  | PathNode
  | Binary
  | Unary
  | Literal
  | NamedNode
  | Condition
  | Block
  | Bind
  | CallNode
  | Lambda
  | Apply
  | Sort
  | Transform
  | Leaf;

/** The direct children of a node, including filters. */
export function childrenOf(tree: SyntaxTree): readonly SyntaxTree[] {
  const filters = [...(tree.stages ?? []), ...(tree.predicate ?? [])].flatMap(
    ({ expr }) => expr ?? [],
  );
  return [...membersOf(tree), ...filters, ...(tree.group?.lhs ?? []).flat()];
}

function membersOf(tree: SyntaxTree): readonly SyntaxTree[] {
  switch (tree.type) {
    case "path":
      return tree.steps;
    case "binary":
    case "apply":
      return [tree.lhs, tree.rhs];
    case "unary":
      if (tree.value === "-") return [tree.expression];
      return tree.value === "[" ? tree.expressions : tree.lhs.flat();
    case "condition":
      return [tree.condition, tree.then, ...(tree.else ? [tree.else] : [])];
    case "block":
      return tree.expressions;
    case "bind":
      return [tree.rhs];
    case "function":
    case "partial":
      return [tree.procedure, ...tree.arguments];
    case "lambda":
      return [tree.body];
    case "sort":
      return tree.terms.map((term) => term.expression);
    case "transform":
      return [tree.pattern, tree.update, ...(tree.delete ? [tree.delete] : [])];
    case "string":
    case "number":
    case "value":
    case "name":
    case "variable":
    case "wildcard":
    case "descendant":
    case "parent":
    case "regex":
    case "operator":
      return [];
  }
}
