import { type Cell, openSource, type RandomAccess } from "#domains/imports/source/index.ts";
import { DocumentError, PREVIEW, type ReadTask, VALUE_CHARACTERS_MAX } from "../work/task.ts";

/** Rows as objects with the names of the first row, or as lists if there are no names. */
export async function readTable(
  file: RandomAccess,
  { format, options }: ReadTask,
): Promise<unknown> {
  const { header = true, separator, encoding, sheet, skip = 0, limit = Infinity } = options;
  if (options.isPreview === true) return readCells(file, format);
  if (file.size === 0) return { columns: [], rows: [], more: false };
  const source = await openSource(file, {
    type: format === "xlsx" ? "xlsx" : "csv",
    ...(separator !== undefined && { separator }),
    ...(encoding !== undefined && { encoding }),
    ...(sheet !== undefined && { sheet }),
  });
  let columns: readonly string[] | undefined;
  let [passed, characters] = [0, 0];
  const rows: unknown[] = [];
  for await (const batch of source.rows) {
    for (const { cells, line } of batch) {
      if (header && columns === undefined) {
        columns = toNames(cells);
        continue;
      }
      passed += 1;
      if (passed <= skip) continue;
      if (rows.length >= limit) return { columns: columns ?? [], rows, more: true };
      const row = columns ? toRow(columns, cells) : cells;
      characters += JSON.stringify(row).length;
      if (characters > VALUE_CHARACTERS_MAX) {
        throw new DocumentError(
          `The table is larger than the limit of 1 MiB for a step, reached after ${rows.length} rows. Read it in parts, with skip and limit.`,
          line,
        );
      }
      rows.push(row);
    }
  }
  return { columns: columns ?? [], rows, more: false };
}

/** The first cells of a table as texts. */
async function readCells(file: RandomAccess, format: ReadTask["format"]): Promise<unknown> {
  const source = await openSource(file, { type: format === "xlsx" ? "xlsx" : "csv" });
  const rows: string[][] = [];
  let characters = 0;
  for await (const batch of source.rows) {
    for (const { cells } of batch) {
      const row = cells
        .slice(0, PREVIEW.columns)
        .map((cell) => String(cell ?? "").slice(0, PREVIEW.cellCharacters));
      characters += row.join("").length;
      const isEnough = rows.length === PREVIEW.rows || characters > PREVIEW.characters;
      if (isEnough) return { rows, more: true };
      rows.push(row);
    }
  }
  return { rows, more: false };
}

/** Makes names unique: a second `name` becomes `name_2`, and an empty one its column number. */
function toNames(cells: readonly Cell[]): readonly string[] {
  const seen = new Map<string, number>();
  return cells.map((cell, index) => {
    const text = String(cell ?? "").trim();
    const name = text === "" ? `column_${index + 1}` : text;
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count === 1 ? name : `${name}_${count}`;
  });
}

function toRow(columns: readonly string[], cells: readonly Cell[]): object {
  const extra = cells.slice(columns.length).map((cell, index) => {
    return [`column_${columns.length + index + 1}`, cell] as const;
  });
  return Object.fromEntries([
    ...columns.map((name, index) => [name, cells[index] ?? null] as const),
    ...extra,
  ]);
}
