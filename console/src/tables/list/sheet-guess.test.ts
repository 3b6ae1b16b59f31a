import { expect, test } from "vitest";
import { guessSheet, toColumns, toRecords } from "./sheet-guess.ts";

test("a sheet with semicolons, decimals with commas and dates with dots becomes typed columns", () => {
  const states = ["offen", "zu"];
  const lines = Array.from(
    { length: 30 },
    (_, n) => `"Kunde ${n}; Nord";${n},50;${1 + (n % 28)}.11.2026;${states[n % 2]};00${n}`,
  );
  const sheet = guessSheet(
    `\uFEFFName;Preis (€);Bestellt am;Status;Code\r\n${lines.join("\r\n")}\r\n`,
  );
  expect(sheet.columns.map(({ title, type }) => [title, type])).toEqual([
    ["Name", "text"],
    ["Preis (€)", "decimal"],
    ["Bestellt am", "date"],
    ["Status", "enum"],
    ["Code", "text"],
  ]);
  const made = ["name", "preis", "bestelltAm", "status", "code"].map((name) => ({ name }));
  const { records, faults } = toRecords(sheet, made);
  expect(faults).toBe(0);
  expect(records[3]).toEqual({
    name: "Kunde 3; Nord",
    preis: 3.5,
    bestelltAm: "2026-11-04",
    status: "zu",
    code: "003",
  });
});

test("titles are kept as they are pasted, and columns that are left out take no name", () => {
  const sheet = guessSheet("SKU\tE-Mail\tOrder #\t\tSKU\nA-1\ta@b.c\tx\ty\tz");
  expect(sheet.columns.map(({ title }) => title)).toEqual([
    "SKU",
    "E-Mail",
    "Order #",
    "Column 4",
    "SKU",
  ]);
  const [first, second, ...others] = sheet.columns;
  const left = {
    ...sheet,
    columns: [first, { ...second, isTaken: false }, ...others],
  } as typeof sheet;
  expect(toColumns(left).map(({ title }) => title)).toEqual(["SKU", "Order #", "Column 4", "SKU"]);
  const made = ["sku", "order", "column4", "sku2"].map((name) => ({ name }));
  expect(toRecords(left, made).records).toEqual([
    { sku: "A-1", order: "x", column4: "y", sku2: "z" },
  ]);
});

test("a title that is too long is cut visibly, and kept whole in the description", () => {
  const long = "x".repeat(300);
  const [column] = toColumns(guessSheet(`${long}\tB\n1\t2`));
  expect(column).toMatchObject({ title: `${"x".repeat(199)}…`, description: long });
});
