import type { Operation } from "./contract.ts";

/** Finds the operation of a path. Literal words have precedence over parameters, like in the server. */
export class Router {
  readonly #byMethod = new Map<string, { readonly test: RegExp; readonly op: Operation }[]>();

  constructor(operations: readonly Operation[]) {
    const ranked = operations.toSorted((a, b) => (rankOf(a.path) < rankOf(b.path) ? -1 : 1));
    for (const op of ranked) {
      let routes = this.#byMethod.get(op.method);
      if (!routes) this.#byMethod.set(op.method, (routes = []));
      routes.push({ test: expressionOf(op.path), op });
    }
  }

  find(method: string, path: string): Operation | undefined {
    const end = path.indexOf("?");
    const bare = end === -1 ? path : path.slice(0, end);
    const words = decoded(bare);
    if (words === undefined) return undefined;
    return this.#byMethod.get(method)?.find(({ test }) => test.test(words))?.op;
  }
}

/** A parameter at the end of a path may be empty. */
function expressionOf(path: string): RegExp {
  const source = path
    .split("/")
    .map((word) =>
      word === "*"
        ? ".*"
        : word.replaceAll(/[.+]/g, String.raw`\$&`).replaceAll(/\{\w+\}/g, "[^/]+"),
    )
    .join("/");
  return new RegExp(`^${source.replace(/\+$/, "*")}$`, "s");
}

/** Sorts literal words before parameters and parameters before wildcards, per segment. */
function rankOf(path: string): string {
  return path
    .split("/")
    .map((word) => (word === "*" ? "2" : word.includes("{") ? "1" : "0"))
    .join("");
}

const PARAMETER_MAX = 500;

/**
 * The server compares decoded words but never treats `%2F` as a separator. Paths that can't be decoded or have words
 * that are too long are not found.
 */
function decoded(path: string): string | undefined {
  try {
    const words = path.split("/").map((word) => decodeURIComponent(word));
    if (words.some((word) => word.length > PARAMETER_MAX)) return undefined;
    return words.map((word) => word.replaceAll("/", "%2F")).join("/");
  } catch {
    return undefined;
  }
}
