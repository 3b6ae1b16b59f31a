/**
 * The start of a page: after a row, before a row, or at an offset.
 *
 * A list is read in one direction only. A page before a row is read after it in the opposite order and then
 * reversed. A jump first finds the row before the page by its sort values, which an index contains, and then
 * continues like any other page.
 */
import Type from "typebox";
import { invalidField } from "../operation/failure.ts";
import {
  CURSOR_CHARACTERS_MAX,
  type Cursors,
  LIMIT_DEFAULT,
  pageQuery,
} from "../operation/pagination.ts";
import type { SortKey } from "./order.ts";

const LIMIT_MAX = 1_000;
/** A jump reads the skipped index entries, about 10 million per second. */
const OFFSET_MAX = 1_000_000;

/** The query parameters of lists with backward pages and jumps. */
export const jumpQuery = {
  ...pageQuery,
  limit: Type.Integer({ minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT }),
  before: Type.Optional(
    Type.String({
      maxLength: CURSOR_CHARACTERS_MAX,
      description:
        "Returns the items before this cursor, in the same order. Use `previousCursor` of a page",
    }),
  ),
  offset: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: OFFSET_MAX,
      description: "Number of items to skip. For further pages, use the cursors",
    }),
  ),
};

/** The sort values of a row. */
export type ListPosition = readonly unknown[];

/** The position of a page in its list. */
export interface PageStart {
  readonly keys: readonly SortKey[];
  /** True if the page is read in the opposite order and then reversed. */
  readonly isBackward: boolean;
  /** The row before the page in the order of `keys`. Undefined at the end of the list. */
  readonly from: ListPosition | undefined;
  /** True if a jump leads beyond the last row. */
  readonly isBeyond?: boolean;
}

/** The query parameters for the start of a page. */
export interface PageQuery {
  readonly after?: string | undefined;
  readonly before?: string | undefined;
  readonly offset?: number | undefined;
}

/** Finds the row at an offset in an order. Undefined if the list is shorter. */
export type FindPosition = (
  keys: readonly SortKey[],
  place: number,
) => Promise<ListPosition | undefined>;

/** Resolves the start of a page. `name` is the name of the list's cursors. */
export async function resolvePageStart(
  { cursors }: { readonly cursors: Cursors },
  name: string,
  keys: readonly SortKey[],
  { query, find }: { readonly query: PageQuery; readonly find: FindPosition },
): Promise<PageStart> {
  const { after, before, offset } = query;
  assertOneStart({ after, before, offset });
  if (before !== undefined) {
    const from = cursors.decode(name, before, "?before");
    return { keys: reverseKeys(keys), isBackward: true, from };
  }
  if (after !== undefined) return { keys, isBackward: false, from: cursors.decode(name, after) };
  return jumpTo(keys, offset ?? 0, { isBackward: false, find });
}

/** The page at an offset, in an order or its opposite. */
export async function jumpTo(
  keys: readonly SortKey[],
  offset: number,
  { isBackward, find }: { readonly isBackward: boolean; readonly find: FindPosition },
): Promise<PageStart> {
  const order = isBackward ? reverseKeys(keys) : keys;
  const from = offset === 0 ? undefined : await find(order, offset - 1);
  return { keys: order, isBackward, from, isBeyond: offset > 0 && from === undefined };
}

/** Rejects a query with two page starts. */
export function assertOneStart(starts: Readonly<Record<string, unknown>>): void {
  const [first, second] = Object.keys(starts).filter((name) => starts[name] !== undefined);
  if (first !== undefined && second !== undefined)
    throw invalidField(`?${second}`, `can't be combined with \`${first}\``);
}

/** Returns the cursors of a page. The rows must be in list order. */
export function boundCursors(
  { isBackward, from }: PageStart,
  { first, last, hasMore }: PageEnds,
): { readonly next: ListPosition | undefined; readonly previous: ListPosition | undefined } {
  const isInside = from !== undefined;
  return isBackward
    ? { next: isInside ? last : undefined, previous: hasMore ? first : undefined }
    : { next: hasMore ? last : undefined, previous: isInside ? first : undefined };
}

/** The first and last rows of a page. Undefined if it is empty. */
export interface PageEnds {
  readonly first: ListPosition | undefined;
  readonly last: ListPosition | undefined;
  /** True if there are more rows in the read direction. */
  readonly hasMore: boolean;
}

/** The opposite order. PostgreSQL then sorts nulls at the other end. */
function reverseKeys(keys: readonly SortKey[]): readonly SortKey[] {
  return keys.map((key) => ({ ...key, descending: !key.descending }));
}
