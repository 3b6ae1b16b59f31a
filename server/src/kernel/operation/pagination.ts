import Type from "typebox";
import { equalBytes, hmac } from "../access/crypto.ts";
import { invalidField } from "./failure.ts";
import type { Page } from "./response.ts";

/** The maximum page size in characters of JSON. Serialising more would block the event loop. */
const PAGE_CHARACTERS_MAX = 16 * 1024 * 1024;

/** The first items that fit on a page. At least one, so that a client can continue. */
export function takeFittingPage<Item>(items: readonly Item[]): readonly Item[] {
  let room = PAGE_CHARACTERS_MAX;
  for (let index = 0; index < items.length; index += 1) {
    room -= estimateSize(items[index]);
    if (room < 0 && index > 0) return items.slice(0, index);
  }
  return items;
}

/** The estimated size of a number, boolean or null, with its comma. */
const SCALAR_CHARACTERS = 5;

/**
 * Estimates the JSON size, at a fifth of the cost of serialising. Texts are measured inline: most values are
 * texts, and a function call for each would double the cost.
 */
function estimateSize(value: unknown): number {
  if (typeof value === "string") return value.length + SCALAR_CHARACTERS;
  if (typeof value !== "object" || value === null) return SCALAR_CHARACTERS;
  let size = SCALAR_CHARACTERS;
  if (Array.isArray(value)) {
    for (const part of value) size += estimateSize(part);
    return size;
  }
  for (const name in value) {
    const part = (value as Record<string, unknown>)[name];
    size += name.length + SCALAR_CHARACTERS;
    size += typeof part === "string" ? part.length : estimateSize(part);
  }
  return size;
}

const LIMIT_MAX = 200;
export const LIMIT_DEFAULT = 50;
const SIGNATURE_BYTES = 9;
/** Half of the limit of request headers. A cursor can contain a long text. */
export const CURSOR_CHARACTERS_MAX = 16_000;

/** The query parameters of lists. Domains add their own. */
export const pageQuery = {
  limit: Type.Integer({ minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT }),
  after: Type.Optional(
    Type.String({
      maxLength: CURSOR_CHARACTERS_MAX,
      description: "`nextCursor` of the previous page",
    }),
  ),
};

/**
 * Cursors are signed keyset positions: a list continues after the sort values of a row, so deep pages cost the
 * same as the first, and forged cursors are rejected.
 */
export class Cursors {
  readonly #key: Buffer;

  constructor(key: Buffer) {
    this.#key = key;
  }

  /** `list` identifies the list and its order, so that its cursors are invalid elsewhere. */
  encode(list: string, values: readonly unknown[]): string {
    const text = Buffer.from(JSON.stringify(values)).toString("base64url");
    return `${text}.${this.#sign(list, text).toString("base64url")}`;
  }

  /** `path` is the location of the cursor in the request. */
  decode(list: string, cursor: string, path = "?after"): unknown[] {
    const [text = "", signature = ""] = cursor.split(".");
    if (!equalBytes(this.#sign(list, text), Buffer.from(signature, "base64url"))) {
      throw invalidField(path, "is not a valid cursor for this list");
    }
    return JSON.parse(Buffer.from(text, "base64url").toString()) as unknown[];
  }

  #sign(list: string, text: string): Buffer {
    return hmac(this.#key, `${list} ${text}`).subarray(0, SIGNATURE_BYTES);
  }
}

/**
 * Creates a page from `limit + 1` rows; the last row only shows that more exist. The page ends earlier if it
 * gets too large.
 */
export function toPage<Row, Item>(
  rows: readonly Row[],
  limit: number,
  toItem: (row: Row) => Item,
  cursorOf: (row: Row) => string,
): Page<Item> {
  const data = takeFittingPage(rows.slice(0, limit).map(toItem));
  const last = rows.length > data.length ? rows[data.length - 1] : undefined;
  return { data, nextCursor: last === undefined ? null : cursorOf(last), limit };
}

/**
 * Returns a page of a short in-memory list. `keyOf` identifies an item. If the cursor's item was deleted, the
 * page starts at its old position.
 */
export function pageOfItems<Item>(
  { cursors }: { readonly cursors: Cursors },
  list: string,
  { limit, after }: { readonly limit: number; readonly after?: string | undefined },
  { items, keyOf }: { readonly items: readonly Item[]; readonly keyOf: (item: Item) => string },
): Page<Item> {
  const [last, place] = after === undefined ? [] : cursors.decode(list, after);
  const found = items.findIndex((item) => keyOf(item) === last) + 1;
  const start = found > 0 ? found : Number(place ?? 0);
  const numbered = items.slice(start).map((item, index) => ({ item, place: start + index }));
  return toPage(
    numbered.slice(0, limit + 1),
    limit,
    ({ item }) => item,
    (row) => cursors.encode(list, [keyOf(row.item), row.place]),
  );
}

/**
 * One page of a list sorted by id. `read` gets the id of the last row of the previous page and the number of
 * rows to read; its rows are the items.
 */
export async function listPageById<Row extends { readonly id: string }>(
  { cursors }: { readonly cursors: Cursors },
  list: string,
  { limit, after }: { readonly limit: number; readonly after?: string | undefined },
  read: (last: string | undefined, limit: number) => Promise<readonly Row[]>,
): Promise<Page<Row>> {
  const last = after === undefined ? undefined : String(cursors.decode(list, after)[0]);
  return toPage(
    await read(last, limit + 1),
    limit,
    (row) => row,
    ({ id }) => cursors.encode(list, [id]),
  );
}
