/** A list as a file, made page by page while it is sent. */

/** How the items of a list are written. */
export interface ListFileFormat<Item> {
  readonly mediaType: string;
  readonly begin: string;
  /** `index` counts from 0 over the whole file. */
  readonly line: (item: Item, index: number) => string;
  readonly end: string;
}

/** One list in JSON, of what is shown of each item. */
export function jsonListFormat<Item>(shownOf: (item: Item) => object): ListFileFormat<Item> {
  return {
    mediaType: "application/json",
    begin: "[",
    line: (item, index) => `${index === 0 ? "\n" : ",\n"}${JSON.stringify(shownOf(item))}`,
    end: "\n]\n",
  };
}

/** How a list is read. */
export interface PageSource<Item> {
  /** How many items there may be in a page, ascending: the first has the fewest, others as many as fit. */
  readonly sizes: readonly [number, ...number[]];
  /** Up to so many items behind the last one that was read, or from the beginning. */
  readonly read: (last: Item | undefined, count: number) => Promise<readonly Item[]>;
}

const PIECE_CHARACTERS_MAX = 4_000_000;

/** No connection is held from page to page, and no page is read before the client has taken the last one. */
export async function* listFileChunks<Item>(
  form: ListFileFormat<Item>,
  { sizes, read }: PageSource<Item>,
  ending: AbortSignal,
): AsyncGenerator<string> {
  let index = 0;
  let count = sizes[0];
  let last: Item | undefined;
  let piece = form.begin;
  for (;;) {
    const page = await read(last, count);
    for (const item of page) {
      piece += form.line(item, index);
      index += 1;
    }
    const isEnd = page.length < count;
    // Also behind a page with nothing in it: that the one before was the last one shows only here.
    if (isEnd) piece += form.end;
    if (piece !== "") yield piece;
    if (isEnd) return;
    // The client must be able to tell that this is not all.
    if (ending.aborted) throw new Error("The server ends, and the file with it.");
    const each = piece.length / page.length;
    count = sizes.findLast((size) => size * each <= PIECE_CHARACTERS_MAX) ?? sizes[0];
    last = page.at(-1);
    piece = "";
  }
}
