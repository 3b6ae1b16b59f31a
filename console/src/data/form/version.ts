import { cache, etagOf, type Input, type OperationId, query, type Reply } from "../api.ts";
import type { Version } from "./draft.ts";

/** Returns the version of a query's response, and how to reload it. */
export function versionOf<O extends OperationId, D>(
  id: O,
  input: Input<O>,
  toInitial: (reply: Reply<O>) => D,
): Version<D> {
  return {
    etag: etagOf(id, input),
    reread: async () => {
      const reply = await cache.fetchQuery({ ...query(id, input), staleTime: 0 });
      return { initial: toInitial(reply), etag: etagOf(id, input) };
    },
  };
}

/** Returns the version of a list item, from its revision; undefined for a new one. */
export const revisionOf = (thing: { readonly revision: number } | undefined) =>
  thing && { etag: `"${thing.revision}"` };
