/** Cells of a spreadsheet as the import takes them: its own names, and values in its own form. */
import type { Cells } from "../book/clipboard.ts";
import type { Column } from "../column/column.ts";
import { parseText, toPlain } from "../column/value.ts";

/** `fields` are the columns for the cells of a line; an empty one leaves them out. */
export function toImportCsv(
  [, ...lines]: Cells,
  fields: readonly string[],
  columns: readonly Column[],
): string {
  const taken = fields.flatMap((name, n) => {
    const column = columns.find((one) => one.name === name);
    return column ? [{ n, column }] : [];
  });
  const header = taken.map(({ column }) => column.name);
  const rows = lines.map((line) => taken.map(({ n, column }) => toCell(line[n] ?? "", column)));
  return [header, ...rows].map((row) => row.map(quote).join(",")).join("\r\n");
}

/** A value in the form of the API where it can be read; otherwise as it is, so that its fault is reported. */
function toCell(text: string, column: Column): string {
  const grid = {
    ...column,
    isRequired: false,
    isUnique: false,
    readOnly: undefined,
    isSystem: false,
  };
  if (text.trim() === "") return "";
  const parsed = parseText(grid, text);
  if (!("value" in parsed)) return text;
  return column.type === "multi_enum" || column.type === "json"
    ? JSON.stringify(parsed.value)
    : toPlain({ ...grid, type: "text" }, parsed.value, () => undefined).replace(
        /^(TRUE|FALSE)$/,
        lower,
      );
}

const lower = (text: string): string => text.toLowerCase();
const quote = (cell: string): string =>
  /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
