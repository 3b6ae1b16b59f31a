import { cache, etagOf, type Input, type OperationId, query, type Reply } from "../api.ts";
import type { Version } from "./draft.ts";

/** The version of what a query has read, and how it is read again. */
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

/** The version of a thing of a list, which says its revision; nothing for one that is being made. */
export const revisionOf = (thing: { readonly revision: number } | undefined) =>
  thing && { etag: `"${thing.revision}"` };
