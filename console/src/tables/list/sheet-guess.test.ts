import { expect, test } from "vitest";
import { guessSheet, toRecords } from "./sheet-guess.ts";

test("a sheet with semicolons, decimals with commas and dates with dots becomes typed columns", () => {
  const states = ["offen", "zu"];
  const lines = Array.from(
    { length: 30 },
    (_, n) => `"Kunde ${n}; Nord";${n},50;${1 + (n % 28)}.11.2026;${states[n % 2]};00${n}`,
  );
  const sheet = guessSheet(
    `\uFEFFName;Preis (€);Bestellt am;Status;Code\r\n${lines.join("\r\n")}\r\n`,
  );
  expect(sheet.columns.map(({ name, type }) => [name, type])).toEqual([
    ["name", "text"],
    ["preis", "decimal"],
    ["bestelltAm", "date"],
    ["status", "enum"],
    ["code", "text"],
  ]);
  const { records, faults } = toRecords(sheet);
  expect(faults).toBe(0);
  expect(records[3]).toEqual({
    name: "Kunde 3; Nord",
    preis: 3.5,
    bestelltAm: "2026-11-04",
    status: "zu",
    code: "003",
  });
});
