/**
 * Where a page of a list begins: after a row, before one, or so many rows from its beginning.
 *
 * A list is read in one direction only; a page before a row is one after it in the opposite order, turned
 * around. A jump first finds the row before the page by its sort values alone, which an index of them
 * holds, and then goes on from it like any other page.
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
/** A jump reads the entries of an index that it leaves out, some 10 million of them in a second. */
const OFFSET_MAX = 1_000_000;

/** The query of a list that can also go back and jump. */
export const jumpQuery = {
  ...pageQuery,
  limit: Type.Integer({ minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT }),
  before: Type.Optional(
    Type.String({
      maxLength: CURSOR_CHARACTERS_MAX,
      description: "`previousCursor` of the page behind: what stands before it, in the same order",
    }),
  ),
  offset: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: OFFSET_MAX,
      description: "Begins behind so many; to go on from there, use the cursors",
    }),
  ),
};

/** The values that a row is sorted by. */
export type ListPosition = readonly unknown[];

/** The place of a page in its list. */
export interface PageStart {
  readonly keys: readonly SortKey[];
  /** True when the page is read in the opposite order, and to be turned around. */
  readonly isBackward: boolean;
  /** The row that it begins after, in the order of `keys`; undefined at the end of the list. */
  readonly from: ListPosition | undefined;
  /** True when a jump leads beyond the last row. */
  readonly isBeyond?: boolean;
}

/** The part of a query that says where a page begins. */
export interface PageQuery {
  readonly after?: string | undefined;
  readonly before?: string | undefined;
  readonly offset?: number | undefined;
}

/** Finds the row at a place in an order; undefined when there are not so many. */
export type FindPosition = (
  keys: readonly SortKey[],
  place: number,
) => Promise<ListPosition | undefined>;

/** Resolves where a page begins. `name` is that of the list's cursors. */
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

/** The page that begins behind so many rows, in an order or its opposite. */
export async function jumpTo(
  keys: readonly SortKey[],
  offset: number,
  { isBackward, find }: { readonly isBackward: boolean; readonly find: FindPosition },
): Promise<PageStart> {
  const order = isBackward ? reverseKeys(keys) : keys;
  const from = offset === 0 ? undefined : await find(order, offset - 1);
  return { keys: order, isBackward, from, isBeyond: offset > 0 && from === undefined };
}

/** Refuses a query that begins in two places. */
export function assertOneStart(starts: Readonly<Record<string, unknown>>): void {
  const [first, second] = Object.keys(starts).filter((name) => starts[name] !== undefined);
  if (first !== undefined && second !== undefined)
    throw invalidField(`?${second}`, `does not go with \`${first}\``);
}

/** The cursors of a page, whose rows are in the list's own order. */
export function boundCursors(
  { isBackward, from }: PageStart,
  { first, last, hasMore }: PageEnds,
): { readonly next: ListPosition | undefined; readonly previous: ListPosition | undefined } {
  const isInside = from !== undefined;
  return isBackward
    ? { next: isInside ? last : undefined, previous: hasMore ? first : undefined }
    : { next: hasMore ? last : undefined, previous: isInside ? first : undefined };
}

/** The rows at both ends of a page; undefined when it is empty. */
export interface PageEnds {
  readonly first: ListPosition | undefined;
  readonly last: ListPosition | undefined;
  /** True when there are more in the direction in which it was read. */
  readonly hasMore: boolean;
}

/** The opposite order; PostgreSQL has the rows without a value at the other end then. */
function reverseKeys(keys: readonly SortKey[]): readonly SortKey[] {
  return keys.map((key) => ({ ...key, descending: !key.descending }));
}
