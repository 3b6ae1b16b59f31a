import { useMemo } from "react";
import { usePresence } from "../../data/live/presence.ts";
import type { Range } from "./cell-range.ts";
import { rowOnLine, type Sheet } from "./cell-acts.ts";
import { hueOf, type Other } from "./other.ts";

const NOBODY: ReadonlyMap<string, ReadonlyMap<string, Other>> = new Map();

/** The cells that other users have focused, by record and column. */
export function useOthers(
  tableId: string,
  sheet: Sheet,
  { anchor }: Range,
  isEditing: boolean,
): ReadonlyMap<string, ReadonlyMap<string, Other>> {
  const row = rowOnLine(sheet, anchor.row)?.row.id;
  const column = sheet.columns[anchor.column]?.name;
  const at = row !== undefined && column !== undefined ? `${row}.${column}` : undefined;
  const people = usePresence(tableId, { isEditing, at });
  return useMemo(() => {
    if (people.length === 0) return NOBODY;
    const byRow = new Map<string, Map<string, Other>>();
    for (const { name, at: place } of people) {
      const [id = "", field = ""] = (place ?? "").split(".");
      if (id === "") continue;
      const own = byRow.get(id) ?? new Map<string, Other>();
      own.set(field, { name: name ?? "Another user", hue: hueOf(name ?? "") });
      byRow.set(id, own);
    }
    return byRow;
  }, [people]);
}
