/* oxlint-disable */
// @ts-nocheck: it runs in a context of its own, where nothing has a type.
/** Converts rows of spreadsheets to n8n items: the first row contains the column names. */
export function addSheets(n8n) {
  const letters = (index) => {
    let name = "";
    for (let at = index + 1; at > 0; at = Math.floor((at - 1) / 26))
      name = String.fromCharCode(65 + ((at - 1) % 26)) + name;
    return name;
  };
  const quote = (sheet) => (sheet === "" ? "" : `'${String(sheet).replaceAll("'", "''")}'`);
  const toObject = (names, row, number) => ({
    row_number: number,
    ...Object.fromEntries(
      names.flatMap((name, at) => (name === "" ? [] : [[name, row[at] ?? ""]])),
    ),
  });
  const cell = (value) =>
    value === undefined || value === null
      ? ""
      : typeof value === "object"
        ? JSON.stringify(value)
        : value;
  // The range of a complete sheet.
  n8n.sheetRange = (sheet, cells = "") => {
    const name = quote(sheet);
    if (name === "") return cells === "" ? "A:ZZZ" : cells;
    return cells === "" ? name : `${name}!${cells}`;
  };
  n8n.sheetRequest = (id, sheet, cells) => ({
    method: "GET",
    path: `/v4/spreadsheets/${encodeURIComponent(id)}/values/${encodeURIComponent(n8n.sheetRange(sheet, cells))}`,
    query: { valueRenderOption: "UNFORMATTED_VALUE", dateTimeRenderOption: "FORMATTED_STRING" },
  });
  // The title of a sheet by its number.
  n8n.sheetTitle = (sheets, number) => {
    const found = sheets.find(({ properties }) => properties.sheetId === Number(number));
    if (!found) throw new Error(`There is no sheet with the number ${number}.`);
    return found.properties.title;
  };
  n8n.sheetRows = (values, { header = 1, first = header + 1 } = {}) => {
    const names = (values[header - 1] ?? []).map(String);
    return values
      .slice(first - 1)
      .map((row, at) => toObject(names, row, first + at))
      .filter(({ row_number, ...row }) => Object.values(row).some((one) => one !== ""));
  };
  n8n.sheetFilter = (rows, filters, { any = false, first = false } = {}) => {
    const fits = (row, { column, value }) =>
      value === "" || value === undefined
        ? n8n.given(row[column]) !== undefined
        : String(row[column] ?? "") === String(value);
    const found = rows.filter((row) =>
      any ? filters.some((one) => fits(row, one)) : filters.every((one) => fits(row, one)),
    );
    return first ? found.slice(0, 1) : found;
  };
  // The ranges to write to append rows after the existing ones.
  n8n.sheetAppend = (values, rows) => {
    const names = (values[0] ?? []).map(String);
    const added = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter(
      (name) => !names.includes(name) && name !== "row_number",
    );
    const all = [...names, ...added];
    return {
      updates: added.length === 0 ? [] : [{ cells: `${letters(names.length)}1`, values: [added] }],
      appends: rows.map((row) => all.map((name) => cell(row[name]))),
    };
  };
  // The ranges to write to update the rows with the same keys. Other rows are appended or omitted.
  n8n.sheetUpdate = (values, rows, keys, { append = false } = {}) => {
    const names = (values[0] ?? []).map(String);
    const added = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter(
      (name) => !names.includes(name) && name !== "row_number",
    );
    const all = [...names, ...added];
    const updates =
      added.length === 0 ? [] : [{ cells: `${letters(names.length)}1`, values: [added] }];
    const missing = [];
    // A row without a key matches no existing row.
    const hasKeys = (row) =>
      keys.every((key) => names.includes(key) && n8n.given(row[key]) !== undefined);
    for (const row of rows) {
      const at =
        keys.length === 0
          ? -1
          : keys.includes("row_number")
            ? Number(row.row_number) - 1
            : !hasKeys(row)
              ? -1
              : values.findIndex(
                  (one, index) =>
                    index > 0 &&
                    keys.every((key) => String(one[names.indexOf(key)] ?? "") === String(row[key])),
                );
      if (at < 1) {
        missing.push(row);
        continue;
      }
      for (const [index, name] of all.entries())
        if (Object.hasOwn(row, name) && !keys.includes(name))
          updates.push({ cells: `${letters(index)}${at + 1}`, values: [[cell(row[name])]] });
    }
    return {
      updates,
      appends: append ? missing.map((row) => all.map((name) => cell(row[name]))) : [],
    };
  };
}
