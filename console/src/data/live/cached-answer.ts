/** What is cached, in the terms in which staleness is decided. */
import type { Query, QueryClient } from "@tanstack/react-query";
import type { Reading } from "./stale.ts";

const NO_PARAMS = { params: {}, shows: () => true, otherNames: () => [] };

/** A cached query, as the rules of staleness see it. */
export function toReading(
  { queryKey: [operation, input], state }: Query,
  cache: QueryClient,
): Reading {
  // The whole of a list, read page by page, is cached under its operation (lists/every.ts).
  if (operation === "every") return { ...NO_PARAMS, operation: String(input) };
  const { data, fetchStatus } = state;
  let text: string | undefined;
  const { params } = (typeof input === "object" && input !== null ? input : {}) as {
    readonly params?: Readonly<Record<string, unknown>>;
  };
  return {
    operation: String(operation),
    params: params ?? {},
    // What is being read for the first time may show anything, as it was before.
    shows: (name) =>
      data === undefined
        ? fetchStatus === "fetching"
        : (text ??= JSON.stringify(data)).includes(`"${name}"`),
    otherNames: (name) => otherNames(cache, name),
  };
}

/** A thing that was read by its number says its id. */
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
