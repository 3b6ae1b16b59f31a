/** Polyfills of newer Node features used by the bundled programs, for Node 20 and 22. */
import * as nodeModule from "node:module";

// The types describe the newest version, which has all of these.
const known = {
  promise: Promise as Partial<PromiseConstructor>,
  map: Map as Partial<MapConstructor>,
  regExp: RegExp as Partial<RegExpConstructor>,
  stripper: nodeModule as Partial<typeof nodeModule>,
};

known.promise.withResolvers ??= function withResolvers<T>() {
  let settle: Omit<PromiseWithResolvers<T>, "promise"> | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject };
  });
  // The function above has been called.
  return { promise, ...(settle as Omit<PromiseWithResolvers<T>, "promise">) };
};

known.map.groupBy ??= function groupBy<K, T>(
  items: Iterable<T>,
  keyOf: (item: T, index: number) => K,
): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  let index = 0;
  for (const item of items) {
    const key = keyOf(item, index);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
    index += 1;
  }
  return groups;
};

known.regExp.escape ??= (text) =>
  text.replaceAll(/[^A-Za-z0-9_]/g, (character) => {
    const hex = character.charCodeAt(0).toString(16);
    return hex.length > 2 ? `\\u${hex.padStart(4, "0")}` : `\\x${hex.padStart(2, "0")}`;
  });

/** Strips types. A Node without a stripper gets the path of one. */
export const stripTypeScriptTypes = known.stripper.stripTypeScriptTypes ?? stripBySwc;

function stripBySwc(source: string): string {
  const [, , , , path = ""] = process.argv;
  const { transformSync } = nodeModule.createRequire(path)(path) as {
    readonly transformSync: (source: string, options: object) => { readonly code: string };
  };
  try {
    return transformSync(source, { mode: "strip-only" }).code;
  } catch (error) {
    const { message = String(error) } = Object(error) as { readonly message?: string };
    throw new SyntaxError(message);
  }
}
