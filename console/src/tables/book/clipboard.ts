/** Cells to and from spreadsheets: text with tabs, and a table of HTML for those that want one. */

export type Cells = readonly (readonly string[])[];

/** Tabs between cells; one with a tab, line or quote in it stands in quotes, as spreadsheets write it. */
export function toTsv(cells: Cells): string {
  return cells.map((row) => row.map(quote).join("\t")).join("\n");
}

const quote = (cell: string): string =>
  /[\t\n\r]|^"/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;

export function toHtml(cells: Cells): string {
  const rows = cells.map(
    (row) => `<tr>${row.map((cell) => `<td>${escape(cell)}</td>`).join("")}</tr>`,
  );
  return `<table>${rows.join("")}</table>`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "\n": "<br>",
};
const escape = (text: string): string => text.replaceAll(/[&<>\n]/g, (one) => ESCAPES[one] ?? one);

/** Reads what a spreadsheet put on the clipboard. */
export function parseTsv(text: string): Cells {
  return parseCells(text.replace(/\r?\n$/, ""), "\t");
}

/** Reads cells with a separator between them; quotes hold what has it, or a line, in it. */
export function parseCells(text: string, separator: string): Cells {
  const rows: string[][] = [[]];
  let cell = "";
  let isQuoted = false;
  const end = (): void => {
    rows.at(-1)?.push(cell);
    cell = "";
  };
  for (let n = 0; n < text.length; n += 1) {
    const letter = text[n] ?? "";
    if (isQuoted) {
      if (letter !== '"') cell += letter;
      else if (text[n + 1] === '"') {
        cell += '"';
        n += 1;
      } else isQuoted = false;
    } else if (letter === '"' && cell === "") isQuoted = true;
    else if (letter === separator) end();
    else if (letter === "\n") {
      end();
      rows.push([]);
    } else if (letter !== "\r") cell += letter;
  }
  end();
  return rows;
}

/** The separator of a file: the one that the first line has most of. */
export function guessSeparator(text: string): string {
  const first = text.slice(0, text.search(/\r?\n|$/));
  const countOf = (letter: string): number => first.split(letter).length - 1;
  return ["\t", ";", ",", "|"].toSorted((a, b) => countOf(b) - countOf(a))[0] ?? ",";
}

/** What is pasted fills a larger selection by repetition, as in spreadsheets. */
export function tileCells(cells: Cells, rows: number, columns: number): Cells {
  const [height, width] = [cells.length, Math.max(...cells.map((row) => row.length), 1)];
  const isWhole = rows % height === 0 && columns % width === 0;
  if (!isWhole || (rows === height && columns === width)) return cells;
  return Array.from({ length: rows }, (_, row) =>
    Array.from({ length: columns }, (__, column) => cells[row % height]?.[column % width] ?? ""),
  );
}
