/** The content of a cell. Most cells are plain text for speed: a grid renders hundreds of them at once. */
import { Check } from "lucide-react";
import type { ReactNode } from "react";
import { choicesOf, type GridColumn, linkTargetOf, targetOf } from "../column/column.ts";
import { asText, type NameOf, toText } from "../column/value.ts";

const TONES = 6;

export function cellContent(column: GridColumn, value: unknown, nameOf: NameOf): ReactNode {
  if (value === null || value === undefined || value === "") return null;
  switch (column.type) {
    case "boolean":
      return value === true ? <Check className="ico cell-check" aria-label="Yes" /> : null;
    case "enum":
      return <Choice column={column} value={asText(value)} />;
    case "multi_enum":
      return Array.isArray(value)
        ? value.map((one) => <Choice key={String(one)} column={column} value={String(one)} />)
        : asText(value);
    case "embedding":
      return (
        <span className={`choice ${value === "pending" ? "tone-2" : "tone-0"}`}>
          {asText(value)}
        </span>
      );
    default:
      break;
  }
  if (targetOf(column) !== undefined || linkTargetOf(column) !== undefined) {
    const ids = Array.isArray(value) ? value : [value];
    return ids.map((id, n) => (
      <span key={n} className="cell-ref">
        {toText(column, id, nameOf)}
      </span>
    ));
  }
  return toText(column, value, nameOf);
}

/** Shows a choice. The colour only depends on the position in the list. */
export function Choice({ column, value }: { readonly column: GridColumn; readonly value: string }) {
  const place = choicesOf(column).indexOf(value);
  return <span className={`choice tone-${place < 0 ? 0 : 1 + (place % TONES)}`}>{value}</span>;
}
