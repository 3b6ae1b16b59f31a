import type { Operation } from "../../contract.ts";

/** The operation at a path and method, and the path parameters. */
export interface OperationMatch {
  readonly operation: Operation;
  /** The pattern of the path. */
  readonly url: string;
  readonly params: Record<string, string>;
}

interface Target {
  readonly operation: Operation;
  readonly url: string;
  readonly names: readonly string[];
}

interface NodeMatch {
  readonly node: PathNode;
  /** The raw parameter values in order. */
  readonly words: readonly string[];
}

const PARAMETER_LENGTH_MAX = 500;
const WILDCARD = "*";

/** All routed paths with their methods. A pattern word that begins with a colon is a parameter. */
export class PathTable {
  readonly #root = new PathNode();
  /** The length of the longest pattern. */
  #wordsMax = 0;

  /** Adds a route without an operation. */
  add(url: string, method: string): void {
    this.#open(wordsOf(url)).targets.set(method, undefined);
  }

  /** Adds the routes of an operation. */
  addOperation(operation: Operation): void {
    for (const { method, words, target } of parseRoutes(operation)) {
      this.#open(words).targets.set(method, target);
    }
  }

  /**
   * The methods of the path that the router would choose; a literal word precedes a parameter. Undefined if no
   * path matches.
   */
  methodsAt(url: string): ReadonlySet<string> | undefined {
    const found = this.#match(url);
    return found && new Set(found.node.targets.keys());
  }

  /**
   * The operation at a path. The method is part of the match: a literal path with another method does not hide
   * a parameter path.
   */
  findOperation(method: string, url: string): OperationMatch | undefined {
    const found = this.#match(url);
    const target = found?.node.targets.get(method === "HEAD" ? "GET" : method);
    if (!found || !target) return undefined;
    const params: Record<string, string> = {};
    for (const [place, name] of target.names.entries()) {
      const value = decode(found.words[place] ?? "");
      if (value === undefined || value.length > PARAMETER_LENGTH_MAX) return undefined;
      params[name] = value;
    }
    return { operation: target.operation, url: target.url, params };
  }

  /** The nearest page above an unknown path. The search depth is limited by the longest pattern. */
  findPageAbove(url: string): Operation | undefined {
    const words = wordsOf(url).slice(0, this.#wordsMax + 1);
    while (words.length > 1) {
      words.pop();
      const found = this.findOperation("GET", `/${words.join("/")}`);
      if (found) return found.operation;
    }
    return undefined;
  }

  #open(words: readonly string[]): PathNode {
    this.#wordsMax = Math.max(this.#wordsMax, words.length);
    let node = this.#root;
    for (const word of words) node = node.open(word);
    return node;
  }

  #match(url: string): NodeMatch | undefined {
    const end = url.search(/[?#]/);
    return match(this.#root, wordsOf(end === -1 ? url : url.slice(0, end)), 0);
  }
}

/** A node of the path tree: a common prefix with its next words. */
class PathNode {
  /** By method. Undefined for routes without an operation. */
  readonly targets = new Map<string, Target | undefined>();
  readonly children = new Map<string, PathNode>();
  /** Children for a parameter, with a required suffix in the same word. */
  readonly parameters: { readonly suffix: string; readonly node: PathNode }[] = [];

  open(word: string): PathNode {
    if (!word.startsWith(":")) return this.#child(word);
    const suffix = suffixOf(word);
    const known = this.parameters.find((parameter) => parameter.suffix === suffix);
    if (known) return known.node;
    const node = new PathNode();
    this.parameters.push({ suffix, node });
    // The longest suffix first, like the router.
    this.parameters.sort((a, b) => b.suffix.length - a.suffix.length);
    return node;
  }

  #child(word: string): PathNode {
    const known = this.children.get(word);
    if (known) return known;
    const node = new PathNode();
    this.children.set(word, node);
    return node;
  }
}

interface ParsedRoute {
  readonly method: string;
  readonly words: readonly string[];
  readonly target: Target;
}

/** Cached per operation for all servers of a process, because tests create hundreds. */
const parsedRoutes = new WeakMap<Operation, readonly ParsedRoute[]>();

function parseRoutes(operation: Operation): readonly ParsedRoute[] {
  const known = parsedRoutes.get(operation);
  if (known) return known;
  const parsed = [operation.route, ...(operation.aliases ?? [])].map((route) => {
    const [method = "", path = ""] = route.split(" ");
    const url = path.replaceAll(/\{(\w+)\}/g, ":$1");
    return { method, words: wordsOf(url), target: { operation, url, names: namesOf(url) } };
  });
  parsedRoutes.set(operation, parsed);
  return parsed;
}

function match(node: PathNode, words: readonly string[], at: number): NodeMatch | undefined {
  const word = words[at];
  if (word === undefined) return node.targets.size > 0 ? { node, words: [] } : undefined;
  const named = node.children.get(word.includes("%") ? (decode(word) ?? word) : word);
  const found = named && match(named, words, at + 1);
  if (found) return found;
  for (const { suffix, node: next } of node.parameters) {
    if (word.length <= suffix.length || !word.endsWith(suffix)) continue;
    const rest = match(next, words, at + 1);
    if (rest) {
      return {
        node: rest.node,
        words: [word.slice(0, word.length - suffix.length), ...rest.words],
      };
    }
  }
  const wildcard = node.children.get(WILDCARD);
  return wildcard && { node: wildcard, words: [words.slice(at).join("/")] };
}

function wordsOf(path: string): string[] {
  return path.slice(1).split("/");
}

function namesOf(url: string): string[] {
  return wordsOf(url).flatMap((word) => {
    if (word === WILDCARD) return [WILDCARD];
    return word.startsWith(":") ? [/\w+/.exec(word)?.[0] ?? ""] : [];
  });
}

function suffixOf(word: string): string {
  return word.replace(/^:\w+/, "");
}

/** Undefined if it is not valid text. */
function decode(word: string): string | undefined {
  if (!word.includes("%")) return word;
  try {
    return decodeURIComponent(word);
  } catch {
    return undefined;
  }
}
