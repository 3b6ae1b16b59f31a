import Type from "typebox";
import { equalBytes, hmac } from "../access/crypto.ts";
import { invalidField } from "./failure.ts";
import type { Page } from "./response.ts";

/** What a page of a list may hold, in characters of JSON: to write more would hold up everyone else. */
const PAGE_CHARACTERS_MAX = 16 * 1024 * 1024;

/** The first of these items, as many as a page may hold; one at least, so that its reader gets on. */
export function takeFittingPage<Item>(items: readonly Item[]): readonly Item[] {
  let room = PAGE_CHARACTERS_MAX;
  for (let index = 0; index < items.length; index += 1) {
    room -= sizeOf(items[index]);
    if (room < 0 && index > 0) return items.slice(0, index);
  }
  return items;
}

/** Of a number, a boolean or null, with the comma behind it. */
const SCALAR_CHARACTERS = 5;

/**
 * Near enough, and a fifth of the work of writing it. Texts are looked at where they are met: most
 * values are texts, and a call for each would double that.
 */
function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length + SCALAR_CHARACTERS;
  if (typeof value !== "object" || value === null) return SCALAR_CHARACTERS;
  let size = SCALAR_CHARACTERS;
  if (Array.isArray(value)) {
    for (const part of value) size += sizeOf(part);
    return size;
  }
  for (const name in value) {
    const part = (value as Record<string, unknown>)[name];
    size += name.length + SCALAR_CHARACTERS;
    size += typeof part === "string" ? part.length : sizeOf(part);
  }
  return size;
}

const LIMIT_MAX = 200;
const LIMIT_DEFAULT = 50;
const SIGNATURE_BYTES = 9;
/** Half of what the headers of a request may be; where a list goes on may be behind a long text. */
export const CURSOR_CHARACTERS_MAX = 16_000;

/** The query of every list; a domain spreads it into its own. */
export const pageQuery = {
  limit: Type.Integer({ minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT }),
  after: Type.Optional(
    Type.String({
      maxLength: CURSOR_CHARACTERS_MAX,
      description: "`nextCursor` of the page before",
    }),
  ),
};

/**
 * Cursors are keyset positions, signed: a list goes on from a row's own sort values, so a page deep
 * in costs what the first one costs, and what we did not issue is refused.
 */
export class Cursors {
  readonly #key: Buffer;

  constructor(key: Buffer) {
    this.#key = key;
  }

  /** `list` names the list and its order, so that a cursor of one can't be used in another. */
  encode(list: string, values: readonly unknown[]): string {
    const text = Buffer.from(JSON.stringify(values)).toString("base64url");
    return `${text}.${this.#sign(list, text).toString("base64url")}`;
  }

  decode(list: string, cursor: string): unknown[] {
    const [text = "", signature = ""] = cursor.split(".");
    if (!equalBytes(this.#sign(list, text), Buffer.from(signature, "base64url"))) {
      throw invalidField("?after", "is not a cursor of this list");
    }
    return JSON.parse(Buffer.from(text, "base64url").toString()) as unknown[];
  }

  #sign(list: string, text: string): Buffer {
    return hmac(this.#key, `${list} ${text}`).subarray(0, SIGNATURE_BYTES);
  }
}

/**
 * A page from `limit + 1` rows: the extra one only tells that there is more. It ends before its limit
 * where it would become too large.
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
 * One page of a list whose rows are in the order of their ids. `read` is told the id of the last row of
 * the page before, and how many rows to read; what it gives is shown as it is.
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
