/** Streams a list as a file, reading page by page. */
import { TurnTimer } from "../work/turn-timer.ts";

/** The file format of a list. */
export interface ListFileFormat<Item> {
  readonly mediaType: string;
  readonly begin: string;
  /** `index` counts from 0 over the whole file. */
  readonly line: (item: Item, index: number) => string;
  readonly end: string;
}

/** A JSON array of the items. */
export function jsonListFormat<Item>(toJson: (item: Item) => object): ListFileFormat<Item> {
  return {
    mediaType: "application/json",
    begin: "[",
    line: (item, index) => `${index === 0 ? "\n" : ",\n"}${JSON.stringify(toJson(item))}`,
    end: "\n]\n",
  };
}

/** Reads a list page by page. */
export interface PageSource<Item> {
  /** Page sizes in ascending order: the first page uses the smallest, later pages the largest that fits a chunk. */
  readonly sizes: readonly [number, ...number[]];
  /** Reads up to `count` items after the last one, or from the start. */
  readonly read: (last: Item | undefined, count: number) => Promise<readonly Item[]>;
}

/** A page is read and written in one or a few event loop turns. */
const CHUNK_CHARACTERS_MAX = 1_000_000;

/** Releases the connection between pages, and reads the next page only after the client has received the last. */
export async function* listFileChunks<Item>(
  format: ListFileFormat<Item>,
  { sizes, read }: PageSource<Item>,
  shutdown: AbortSignal,
): AsyncGenerator<string> {
  let index = 0;
  let count = sizes[0];
  let last: Item | undefined;
  let chunk = format.begin;
  const turn = new TurnTimer();
  for (;;) {
    const page = await read(last, count);
    for (const item of page) {
      if (turn.isOver()) await turn.next();
      chunk += format.line(item, index);
      index += 1;
    }
    const isEnd = page.length < count;
    // Also after an empty page, because only it proves that the previous one was the last.
    if (isEnd) chunk += format.end;
    if (chunk !== "") yield chunk;
    if (isEnd) return;
    // The client must be able to detect that the file is incomplete.
    if (shutdown.aborted) throw new Error("The server ends, and the file with it.");
    const itemCharacters = chunk.length / page.length;
    count = sizes.findLast((size) => size * itemCharacters <= CHUNK_CHARACTERS_MAX) ?? sizes[0];
    last = page.at(-1);
    chunk = "";
  }
}
