import {
  type CallNode,
  childrenOf,
  type NamedNode,
  type PathNode,
  type SyntaxTree,
} from "./syntax-tree.ts";

/** Stands for all names, where an expression does not name them. */
export const ANY_NAME = "*";

/** The names that an expression reads of its scope. */
export interface References {
  /** Names under `secrets`. */
  readonly secrets: readonly string[];
  /** Names under `steps`. */
  readonly steps: readonly string[];
  /** Names of the scope itself, `secrets` and `steps` among them. */
  readonly roots: readonly string[];
}

export const NO_REFERENCES: References = { secrets: [], steps: [], roots: [] };

/** All that the expression may read; it may read less, never more. */
export function referencesOf(tree: SyntaxTree): References {
  const finder = new ReferenceFinder();
  finder.walk(tree, true);
  return finder.references();
}

/** The references of several expressions together. */
export function joinReferences(all: readonly References[]): References {
  if (all.length === 0) return NO_REFERENCES;
  const names = (of: keyof References): string[] => [
    ...new Set(all.flatMap((references) => references[of])),
  ];
  return { secrets: names("secrets"), steps: names("steps"), roots: names("roots") };
}

/** Functions that take the context where an argument is missing, and how many make that needless. */
const CONTEXT_FUNCTIONS: ReadonlyMap<string, number> = new Map([
  ["string", 1],
  ["boolean", 1],
  ["not", 1],
  ["keys", 1],
  ["spread", 1],
  ["clone", 1],
  ["lookup", 2],
  ["each", 2],
  ["sift", 2],
]);

class ReferenceFinder {
  readonly #secrets = new Set<string>();
  readonly #steps = new Set<string>();
  readonly #roots = new Set<string>();

  references(): References {
    return { secrets: [...this.#secrets], steps: [...this.#steps], roots: [...this.#roots] };
  }

  /** `atRoot`: the names in this part are those of the scope, and not of some value within. */
  walk(tree: SyntaxTree, atRoot: boolean): void {
    switch (tree.type) {
      case "path":
        this.#walkPath(tree, atRoot);
        break;
      case "variable":
        if (isRoot(tree, atRoot)) this.#addAll();
        break;
      case "wildcard":
      case "descendant":
        if (atRoot) this.#addAll();
        break;
      case "parent":
        // It climbs from a value to its parents, in the end to the scope.
        this.#addAll();
        break;
      case "function":
        this.#walkCall(tree, tree.arguments.length, atRoot);
        break;
      case "apply":
        this.walk(tree.lhs, atRoot);
        if (tree.rhs.type !== "function") this.walk(tree.rhs, atRoot);
        else this.#walkCall(tree.rhs, tree.rhs.arguments.length + 1, atRoot);
        break;
      case "lambda":
        // A signature may ask for the context.
        if (tree.signature !== undefined && atRoot) this.#addAll();
        this.walk(tree.body, atRoot);
        break;
      case "sort":
      case "transform":
        for (const child of childrenOf(tree)) this.walk(child, false);
        return;
      case "binary":
      case "unary":
      case "condition":
      case "block":
      case "bind":
      case "partial":
      case "string":
      case "number":
      case "value":
      case "name":
      case "regex":
      case "operator":
        for (const child of childrenOf({ ...tree, stages: [], predicate: [], group: NO_GROUP })) {
          this.walk(child, atRoot);
        }
    }
    this.#walkFilters(tree);
  }

  #walkPath(path: PathNode, atRoot: boolean): void {
    const [first, ...rest] = path.steps;
    if (!first) return;
    if (first.type === "name") {
      if (atRoot) this.#addReference(first, rest[0]);
    } else if (first.type === "variable" && isRoot(first, atRoot)) {
      const [second, third] = rest;
      if (second?.type === "name" && !first.predicate) this.#addReference(second, third);
      else this.#addAll();
    } else {
      this.walk(first, atRoot);
    }
    if (first.type === "name" || first.type === "variable") this.#walkFilters(first);
    for (const step of rest) this.walk(step, false);
  }

  #walkCall(call: CallNode, count: number, atRoot: boolean): void {
    const { procedure } = call;
    if (procedure.type !== "variable") this.walk(procedure, atRoot);
    else if (atRoot && count < (CONTEXT_FUNCTIONS.get(procedure.value) ?? 0)) this.#addAll();
    for (const argument of call.arguments) this.walk(argument, atRoot);
  }

  #walkFilters(tree: SyntaxTree): void {
    for (const { expr } of [...(tree.stages ?? []), ...(tree.predicate ?? [])]) {
      if (expr) this.walk(expr, false);
    }
    for (const part of (tree.group?.lhs ?? []).flat()) this.walk(part, false);
  }

  #addReference(root: NamedNode, next: SyntaxTree | undefined): void {
    this.#roots.add(root.value);
    const names = root.value === "secrets" ? this.#secrets : this.#steps;
    if (root.value !== "secrets" && root.value !== "steps") return;
    const named = next?.type === "name" && root.stages === undefined;
    names.add(named ? next.value : ANY_NAME);
  }

  #addAll(): void {
    for (const names of [this.#secrets, this.#steps, this.#roots]) names.add(ANY_NAME);
  }
}

const NO_GROUP = { lhs: [] };

/** True when a variable is the whole scope: `$$` anywhere, `$` where the scope is the context. */
function isRoot(variable: NamedNode, atRoot: boolean): boolean {
  return variable.value === "$" || (variable.value === "" && atRoot);
}
