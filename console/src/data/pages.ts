/** Lists that are read as a whole: a screen that orders and narrows them itself needs every line. */
import { useQuery } from "@tanstack/react-query";
import { call, type Input, type OperationId, type Reply } from "./api.ts";

const PAGE = 200;

interface Page {
  readonly data: readonly unknown[];
  readonly pagination: { readonly nextCursor?: string | null };
}

/** The operations that answer with a page. */
type ListId = {
  [O in OperationId]: Reply<O> extends Page ? O : never;
}[OperationId];

type ItemOf<R> = R extends { readonly data: readonly (infer I)[] } ? I : never;

export interface Every<Item> {
  readonly items: readonly Item[];
  /** There are more than were asked for. */
  readonly isCut: boolean;
}

/** Reads the pages of a list one after the other, up to so many lines; the log says when it is stale. */
export function useEvery<O extends ListId>(id: O, query: object, max: number) {
  type Item = ItemOf<Reply<O>>;
  return useQuery<Every<Item>, Error>({
    queryKey: [id, { query, every: max }],
    async queryFn({ signal }) {
      const items: Item[] = [];
      let after: string | null | undefined;
      do {
        const input = { query: { ...query, limit: PAGE, ...(after && { after }) } };
        const page = (await call(id, input as unknown as Input<O>, { signal })) as Page;
        items.push(...(page.data as readonly Item[]));
        after = page.pagination.nextCursor;
      } while (after && items.length < max);
      return { items, isCut: Boolean(after) };
    },
  });
}
