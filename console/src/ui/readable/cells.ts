/** Parses separated text such as CSV from spreadsheets and exports. */

export type Cells = readonly (readonly string[])[];

/** Parses separated cells; quoted cells may contain separators and line breaks. */
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

/** Returns the most frequent separator of the first line. */
export function guessSeparator(text: string): string {
  const first = text.slice(0, text.search(/\r?\n|$/));
  const countOf = (letter: string): number => first.split(letter).length - 1;
  return ["\t", ";", ",", "|"].toSorted((a, b) => countOf(b) - countOf(a))[0] ?? ",";
}
