import fc from "fast-check";
import { expect, test } from "vitest";
import { COLUMN_PATTERN, TITLE_CHARACTERS_MAX } from "../../table.ts";
import {
  cutTitle,
  distinctTitles,
  nameColumns,
  nameTitles,
  titleFromName,
} from "./column-title.ts";
import { isReserved } from "./reserved-names.ts";

test("derives readable names from titles", () => {
  const names = {
    SKU: "sku",
    "E-Mail": "email",
    "Owner (e-mail)": "ownerEmail",
    "Order #": "order",
    "Price €": "price",
    "Order date": "orderDate",
    "VAT ID": "vatId",
    orderedAt: "orderedAt",
    OrderID: "orderID",
    SKUCode: "skuCode",
    Größe: "grosse",
    "Smørrebrød & Œufs": "smorrebrodOeufs",
    "Owner's name": "ownersName",
    "2026 Q1": "n2026Q1",
    "#": "number",
    "%": "percent",
  };
  for (const [title, name] of Object.entries(names)) expect(nameTitles([title])).toEqual([name]);
});

test("Names are unique, not reserved, and valid for titles without Latin letters", () => {
  expect(
    nameTitles(["Price €", "Price $", "price", "Q1", "q1", "ID", "Created at", "名前", "Имя"]),
  ).toEqual(["price", "price2", "price3", "q1", "q1_2", "id2", "createdAt2", "column8", "column9"]);
  expect(nameTitles(["SKU", "名前"], ["sku", "other"])).toEqual(["sku2", "column4"]);
});

test("A title is derived from a name without breaking words in capitals", () => {
  const titles = {
    customerName: "Customer name",
    ordered_at: "Ordered at",
    sKU: "SKU",
    SKU: "SKU",
    sku: "Sku",
    eMail: "E-mail",
    ownerEMail: "Owner e-mail",
    withVAT: "With VAT",
    vatID: "Vat ID",
    HTTPServer: "HTTP server",
    sKUCode: "SKU code",
    planB: "Plan B",
    total2: "Total2",
    x: "X",
    a_: "A",
  };
  for (const [name, title] of Object.entries(titles)) expect(titleFromName(name)).toBe(title);
});

test("a header too long for a title is truncated visibly, at a whole character", () => {
  expect(cutTitle("a".repeat(TITLE_CHARACTERS_MAX))).toBe("a".repeat(TITLE_CHARACTERS_MAX));
  expect(cutTitle("a".repeat(TITLE_CHARACTERS_MAX + 1))).toBe(
    `${"a".repeat(TITLE_CHARACTERS_MAX - 1)}…`,
  );
  const emoji = cutTitle(`a${"🙂".repeat(TITLE_CHARACTERS_MAX)}`);
  expect([emoji.isWellFormed(), emoji.length <= TITLE_CHARACTERS_MAX]).toEqual([true, true]);
});

test("Equal headers get distinct titles that do not equal another header", () => {
  expect(distinctTitles(["Name", "Name ", "", "Name (2)", "", "Name"])).toEqual([
    "Name",
    "Name (3)",
    "",
    "Name (2)",
    "",
    "Name (4)",
  ]);
  const long = "a".repeat(TITLE_CHARACTERS_MAX);
  const [first, second = ""] = distinctTitles([long, long]);
  expect([first, second.length, second.endsWith("… (2)")]).toEqual([
    long,
    TITLE_CHARACTERS_MAX,
    true,
  ]);
});

test("All titles produce valid, distinct names", () => {
  const title = fc.oneof(
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 }),
    fc.constantFrom("SKU", "sku", "id", "and", "Order #", "Order", "column1", "Q1", "q1_2", "ß"),
  );
  fc.assert(
    fc.property(fc.array(title, { maxLength: 40 }), fc.array(title), (titles, others) => {
      const taken = nameTitles(others);
      const names = nameTitles(titles, taken);
      for (const name of names) {
        expect(name).toMatch(new RegExp(COLUMN_PATTERN));
        expect(isReserved(name)).toBe(false);
      }
      const all = [...taken, ...names].map((name) => name.toLowerCase());
      expect(new Set(all).size).toBe(all.length);
    }),
  );
});

test("each name produces a title that is not empty", () => {
  fc.assert(
    fc.property(fc.stringMatching(new RegExp(COLUMN_PATTERN)), (name) => {
      expect(titleFromName(name).trim()).not.toBe("");
    }),
  );
});

test("Given names are kept, and derived names do not conflict with them", () => {
  const { columns, errors } = nameColumns(
    [{ title: "Order #" }, { name: "order", title: "Other" }, {}],
    { path: "/columns" },
  );
  expect(columns.map(({ name }) => name).slice(0, 2)).toEqual(["order2", "order"]);
  expect(errors).toEqual([{ path: "/columns/2/name", message: "is required without a title" }]);
});
