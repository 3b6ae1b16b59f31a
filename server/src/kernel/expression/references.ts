import {
  type CallNode,
  childrenOf,
  type NamedNode,
  type PathNode,
  type SyntaxTree,
} from "./syntax-tree.ts";

/** A placeholder for all names, for expressions that compute names. */
export const ANY_NAME = "*";

/** Names read from the scope. */
export interface References {
  /** Names under `secrets`. ANY_NAME if a name is computed. */
  readonly secrets: readonly string[];
  /** Names under `variables`. ANY_NAME if a name is computed. */
  readonly variables: readonly string[];
  /** Names under `steps`. */
  readonly steps: readonly string[];
  /** Names of the scope itself, including `secrets`, `variables` and `steps`. */
  readonly roots: readonly string[];
}

export const NO_REFERENCES: References = { secrets: [], variables: [], steps: [], roots: [] };

/** The paths and an upper bound of the names that the expression can read. */
export function referencesOf(tree: SyntaxTree): {
  readonly references: References;
  readonly paths: readonly (readonly string[])[];
} {
  const finder = new ReferenceFinder();
  finder.walk(tree, true);
  return { references: finder.references(), paths: finder.paths() };
}

/** Returns the names at the start of a path, up to the first filter, group or join. */
function namesOf(steps: readonly SyntaxTree[]): string[] {
  const names: string[] = [];
  for (const step of steps) {
    if (step.type !== "name") break;
    names.push(step.value);
    if (step.stages !== undefined || step.group !== undefined || step.focus !== undefined) break;
  }
  return names;
}

/** Combines the references of several expressions. */
export function joinReferences(all: readonly References[]): References {
  if (all.length === 0) return NO_REFERENCES;
  const names = (of: keyof References): string[] => [
    ...new Set(all.flatMap((references) => references[of])),
  ];
  return {
    secrets: names("secrets"),
    variables: names("variables"),
    steps: names("steps"),
    roots: names("roots"),
  };
}

/** Functions that use the context for a missing argument, with the number of arguments that makes it unnecessary. */
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
  readonly #variables = new Set<string>();
  readonly #steps = new Set<string>();
  readonly #roots = new Set<string>();
  readonly #paths = new Map<string, readonly string[]>();

  /** Paths that start in the scope, up to their first step that is not a name. */
  paths(): readonly (readonly string[])[] {
    return [...this.#paths.values()];
  }

  references(): References {
    return {
      secrets: [...this.#secrets],
      variables: [...this.#variables],
      steps: [...this.#steps],
      roots: [...this.#roots],
    };
  }

  /** `atRoot`: the names in this part belong to the scope, not to a value in it. */
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
        // It climbs from a value to its parents, possibly up to the scope.
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
        // A signature can use the context.
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
    const isScope = first.type === "variable" ? isRoot(first, atRoot) : atRoot;
    // In a join, the steps after `@$name` read the context of that step, which can be the scope.
    if (isScope && path.steps.some(({ focus }) => focus !== undefined)) this.#addAll();
    if (first.type === "name") {
      if (atRoot) this.#addReference(path.steps);
    } else if (first.type === "variable" && isRoot(first, atRoot)) {
      if (rest[0]?.type === "name" && !first.predicate) this.#addReference(rest);
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

  /** Adds a path that starts with a name of the scope. */
  #addReference(steps: readonly SyntaxTree[]): void {
    const names = namesOf(steps);
    const [root = "", next = ANY_NAME] = names;
    this.#roots.add(root);
    this.#paths.set(names.join("."), names);
    if (root === "secrets") this.#secrets.add(next);
    if (root === "variables") this.#variables.add(next);
    if (root === "steps") this.#steps.add(next);
  }

  /** Secrets and variables are read by name: an expression that reads the whole scope gets none. */
  #addAll(): void {
    for (const names of [this.#steps, this.#roots]) names.add(ANY_NAME);
  }
}

const NO_GROUP = { lhs: [] };

/** True if a variable is the whole scope: `$$` anywhere, `$` if the scope is the context. */
function isRoot(variable: NamedNode, atRoot: boolean): boolean {
  return variable.value === "$" || (variable.value === "" && atRoot);
}
