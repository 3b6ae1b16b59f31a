import { RefreshCw } from "lucide-react";
import { useMemo } from "react";
import { count } from "../../ui/words.ts";
import type { Edits } from "../book/use-edits.ts";
import type { RowBook } from "../book/row-book.ts";
import { boxOf, isOne, type Range, sizeOf } from "../sheet/cell-range.ts";
import { columnsIn, placesIn, rowsIn, type Sheet } from "../sheet/cell-acts.ts";
import { isLoaded } from "../sheet/load-selection.ts";
import { figuresOfValues, toShort } from "../cell/figure.ts";
import { Button } from "../../ui/form/button.tsx";

const READ_MAX = 20_000;

interface StatusLineProps {
  readonly sheet: Sheet;
  readonly range: Range;
  readonly edits: Edits;
  readonly book: RowBook;
  readonly total: number | undefined;
  /** Describes the operation in progress on the selection. */
  readonly busy: string | undefined;
}

/** The grid's status bar: number of records, summary of the selection, and save state. */
export function StatusLine({ sheet, range, edits, book, total, busy }: StatusLineProps) {
  const size = sizeOf(boxOf(range));
  const figures = useSelectionFigures(sheet, range, book.version);
  const known = figures === "unloaded" ? undefined : figures;
  return (
    <footer className="status-line">
      <span>{total === undefined ? "…" : count(total, "record")}</span>
      {book.unseen > 0 && (
        <Button look="bare" onClick={() => book.forget()}>
          <RefreshCw /> {count(book.unseen, "new record")}: show
        </Button>
      )}
      <span className="grow" />
      {!isOne(range) && (
        <span aria-live="polite">
          {size.rows.toLocaleString("en")} × {size.columns} selected
        </span>
      )}
      {known && known.numbers > 0 && (
        <>
          <span>
            <span className="muted">Sum</span> {toShort(known.sum)}
          </span>
          <span>
            <span className="muted">Average</span> {toShort(known.sum / known.numbers)}
          </span>
          <span className="wide-only">
            <span className="muted">Minimum</span> {toShort(known.min)}
          </span>
          <span className="wide-only">
            <span className="muted">Maximum</span> {toShort(known.max)}
          </span>
        </>
      )}
      {known && (
        <span>
          <span className="muted">Not empty</span> {known.filled.toLocaleString("en")}
        </span>
      )}
      {figures === "unloaded" && (
        <span className="muted">Scroll through the selected rows to load their summary</span>
      )}
      <span className={edits.isUnsaved || busy ? "saving" : "saving done"} role="status">
        {busy ?? (edits.isUnsaved ? "Saving…" : "Saved")}
      </span>
    </footer>
  );
}

/** Computes the summary of the selection; `version` changes with every value. */
function useSelectionFigures(sheet: Sheet, range: Range, version: number) {
  return useMemo(() => {
    const size = sizeOf(boxOf(range));
    if (version < 0 || isOne(range) || size.rows * size.columns > READ_MAX) return undefined;
    const { top, bottom } = boxOf(range);
    // Returns nothing for a partly loaded selection, because the summary would be wrong.
    if (!isLoaded(sheet, placesIn(sheet, top, bottom))) return "unloaded" as const;
    const columns = columnsIn(sheet, range);
    const rows = rowsIn(sheet, range);
    return figuresOfValues(rows.flatMap(({ row }) => columns.map(({ name }) => row.values[name])));
  }, [sheet, range, version]);
}
