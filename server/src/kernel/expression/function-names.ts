import { childrenOf, type SyntaxTree } from "./syntax-tree.ts";

export interface ExpressionIssue {
  /** The character offset in the text. */
  readonly position: number;
  readonly message: string;
}

/** Calls of unknown functions. They always fail, so they are reported early. */
export function unknownFunctions(tree: SyntaxTree): ExpressionIssue[] {
  const nodes = [...nodesOf(tree)];
  const bound = new Set(nodes.flatMap(boundBy));
  return nodes.flatMap((node) => {
    // A text that is evaluated at run time bypasses all checks made here.
    const banned = node.type === "variable" && node.value === "eval";
    const called =
      (node.type === "function" || node.type === "partial") && node.procedure.type === "variable"
        ? node.procedure.value
        : undefined;
    const name = banned ? "eval" : called;
    if (name === undefined || bound.has(name) || (!banned && FUNCTIONS.has(name))) return [];
    // The called variable is also a node and is reported there.
    if (!banned && name === "eval") return [];
    return [{ position: node.position ?? 0, message: `The function $${name} does not exist.` }];
  });
}

/** Free variables except functions. They have no value. */
export function unboundVariables(tree: SyntaxTree): string[] {
  const nodes = [...nodesOf(tree)];
  const known = new Set(["", "$", ...FUNCTIONS, ...nodes.flatMap(boundBy)]);
  // Unknown functions are reported separately.
  for (const node of nodes) {
    if ((node.type === "function" || node.type === "partial") && node.procedure.type === "variable")
      known.add(node.procedure.value);
  }
  const read = nodes.flatMap((node) => (node.type === "variable" ? node.value : []));
  return [...new Set(read)].filter((name) => !known.has(name) && name !== "eval");
}

/** True if it can change an object in place, including functions of the library in its process. */
export function assignsVariables(tree: SyntaxTree): boolean {
  for (const node of nodesOf(tree)) if (node.type === "transform") return true;
  return false;
}

/** True for names of built-in functions. */
export function isFunctionName(name: string): boolean {
  return FUNCTIONS.has(name);
}

function* nodesOf(tree: SyntaxTree): Generator<SyntaxTree> {
  const left: SyntaxTree[] = [tree];
  for (let node = left.pop(); node; node = left.pop()) {
    yield node;
    left.push(...childrenOf(node));
  }
}

function boundBy(node: SyntaxTree): string[] {
  const indexes = (node.stages ?? []).flatMap(({ value }) => value ?? []);
  const own = [node.focus, node.index].flatMap((name) => name ?? []);
  if (node.type === "bind") own.push(node.lhs.value);
  if (node.type === "lambda") own.push(...node.arguments.map(({ value }) => value));
  return [...indexes, ...own];
}

const FUNCTIONS: ReadonlySet<string> = new Set(
  (
    "sum count max min average string substring substringBefore substringAfter lowercase uppercase " +
    "length trim pad match contains replace split join formatNumber formatBase formatInteger " +
    "parseInteger number floor ceil round abs sqrt power random boolean not map zip filter single " +
    "reduce sift keys lookup append exists spread merge reverse each error assert type sort shuffle " +
    "distinct base64encode base64decode encodeUrlComponent encodeUrl decodeUrlComponent decodeUrl " +
    "toMillis fromMillis clone now millis"
  ).split(" "),
);
