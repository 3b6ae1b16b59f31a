/** Cells of a text that has separators between them, as spreadsheets and exports write it. */

export type Cells = readonly (readonly string[])[];

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
