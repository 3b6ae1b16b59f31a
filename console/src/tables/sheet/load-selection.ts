/**
 * Loads the unloaded records of a selection, so that operations apply to all of it. Their order is read in one
 * statement and compared with the displayed rows: if other users moved records in the meantime, nothing is changed,
 * so that no record gets the values of another.
 */
import { call } from "../../data/api.ts";
import { isDraft, type Row } from "../book/row-book.ts";
import { readRows } from "../book/send-change.ts";
import { type ListSpec, toQuery } from "../book/use-row-book.ts";
import { count } from "../../ui/words.ts";
import type { Sheet } from "./cell-acts.ts";

/** The maximum number of records in one request. */
export const RECORDS_MAX = 10_000;
export const CELLS_MAX = 50_000;

/** Returns why a selection is too large; undefined if it is not. */
export function explainTooLarge(records: number, columns: number): string | undefined {
  if (records > RECORDS_MAX) {
    return `You can change at most ${count(RECORDS_MAX, "record")} at once. You selected ${records.toLocaleString("en")}. Select fewer records.`;
  }
  if (records * columns > CELLS_MAX) {
    return `You can change at most ${count(CELLS_MAX, "cell")} at once. You selected ${(records * columns).toLocaleString("en")}. Select fewer cells.`;
  }
  return undefined;
}

/** Thrown if the record order differs from the displayed one. */
export class ListChanged extends Error {
  override readonly name = "ListChanged";
  constructor() {
    super(
      "The list changed after it was loaded, so nothing was changed. It is up to date now. Check your selection and try again.",
    );
  }
}

export const isLoaded = ({ book }: Sheet, places: readonly number[]): boolean =>
  places.every((place) => book.rowAt(place) !== undefined);

interface Wanted {
  readonly spec: ListSpec;
  readonly places: readonly number[];
  /** The fields to load of records that are not loaded. */
  readonly fields: readonly string[];
}

/** Returns the sheet with all records at these places. */
export async function loadSelection(
  sheet: Sheet,
  { spec, places, fields }: Wanted,
): Promise<Sheet> {
  const { book } = sheet;
  const [first] = places;
  const last = places.at(-1);
  if (first === undefined || last === undefined || isLoaded(sheet, places)) return sheet;
  const offset = book.toListPlace(first);
  const limit = book.toListPlace(last + 1) - offset;
  const ids = await readIds(spec, offset, Math.min(limit, RECORDS_MAX));
  const idAt = new Map<number, string>();
  let at = 0;
  for (let place = first; place <= last; place += 1) {
    const known = book.order[place];
    if (known !== undefined && isDraft(known)) continue;
    const id = ids[at];
    at += 1;
    if (id === undefined || (known !== undefined && known !== id)) {
      book.forgetPlaces();
      throw new ListChanged();
    }
    idAt.set(place, id);
  }
  const missing = places.filter((place) => book.rowAt(place) === undefined);
  const wanted = missing.flatMap((place) => idAt.get(place) ?? []);
  const names = ["id", ...fields].join(",");
  const found = new Map<string, Row>();
  for (const record of await readRows(spec.slug, wanted, { fields: names })) {
    const { revision, ...values } = record;
    const id = String(record["id"]);
    found.set(id, { id, revision: Number(revision), values });
    book.noteRevision(id, Number(revision));
  }
  const further = missing.flatMap((place): readonly (readonly [number, Row])[] => {
    const row = found.get(idAt.get(place) ?? "");
    return row ? [[place, row]] : [];
  });
  if (further.length === missing.length) return { ...sheet, further: new Map(further) };
  book.forgetPlaces();
  throw new ListChanged();
}

/** Throws if the list has more records than displayed: new records would not be the last ones. */
export async function assertEnd({ book }: Sheet, spec: ListSpec): Promise<void> {
  const more = await readIds(spec, book.toListPlace(book.count), book.unseen + 1);
  if (more.length <= book.unseen) return;
  book.forget();
  throw new ListChanged();
}

async function readIds(spec: ListSpec, offset: number, limit: number): Promise<readonly string[]> {
  const { expand: _, ...which } = toQuery(spec);
  const query = { ...which, offset, limit };
  return (await call("records.list_ids", { params: { slug: spec.slug }, query })).data.ids;
}
