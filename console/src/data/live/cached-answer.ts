/** Describes cached queries for the staleness rules. */
import type { Query, QueryClient } from "@tanstack/react-query";
import type { Reading } from "./stale.ts";

const NO_PARAMS = { params: {}, shows: () => true, otherNames: () => [] };

/** Describes a cached query for the staleness rules. */
export function toReading(
  { queryKey: [operation, input], state }: Query,
  cache: QueryClient,
): Reading {
  // A complete list, loaded page by page, is cached under its operation (lists/every.ts).
  if (operation === "every") return { ...NO_PARAMS, operation: String(input) };
  const { data, fetchStatus } = state;
  let text: string | undefined;
  const { params } = (typeof input === "object" && input !== null ? input : {}) as {
    readonly params?: Readonly<Record<string, unknown>>;
  };
  return {
    operation: String(operation),
    params: params ?? {},
    // Queries without data match everything, because their response may contain any name.
    shows: (name) =>
      data === undefined
        ? fetchStatus === "fetching"
        : (text ??= JSON.stringify(data)).includes(`"${name}"`),
    otherNames: (name) => otherNames(cache, name),
  };
}

/** A resource read by number also has an id. */
function otherNames(cache: QueryClient, name: string): readonly string[] {
  const found = cache.getQueryCache().findAll({
    predicate: ({ queryKey: [operation, input] }) =>
      String(operation).endsWith(".get") &&
      (input as { readonly params?: { readonly id?: unknown } } | undefined)?.params?.id === name,
  });
  return found.flatMap(({ state }) => {
    const id = (state.data as { readonly data?: { readonly id?: unknown } } | undefined)?.data?.id;
    return typeof id === "string" && id !== name ? [id] : [];
  });
}
