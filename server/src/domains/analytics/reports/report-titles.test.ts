import { expect, test } from "vitest";
import { createFilledTable } from "#domains/records/testing/records.ts";
import { useWorld } from "#kernel/testing/world.ts";

const COLUMNS = [
  { name: "sku", title: "SKU", type: "text" },
  { name: "price", title: "Price €", type: "decimal", options: { scale: 2 } },
];
const ROWS = [
  { sku: "A-1", price: 2.5 },
  { sku: "B-2", price: 4 },
];

const world = await useWorld();
const owner = await world.member(["owner"]);
const table = await createFilledTable(world, owner, { columns: COLUMNS }, ROWS);
const source = { kind: "records", table: table.slug };
const REPORTS = "/api/v1/analytics/reports";

test("fields of a source have the titles of its columns, and none if the source has no titles", async () => {
  const fieldsOf = async (of: object) =>
    (await owner("POST /api/v1/analytics/sources/fields", { source: of })).body.data;
  expect(await fieldsOf(source)).toEqual(
    expect.arrayContaining([
      { name: "id", title: "ID", type: "text" },
      { name: "createdAt", title: "Created at", type: "time" },
      { name: "sku", title: "SKU", type: "text" },
      { name: "price", title: "Price €", type: "number" },
    ]),
  );
  const runs = await fieldsOf({ kind: "runs" });
  expect(runs.filter(({ title }: { title?: string }) => title !== undefined)).toEqual([]);
});

test("groups and values of a report have titles, unless the report names a value", async () => {
  const aggregates = [
    { fn: "count" },
    { fn: "sum", field: "price" },
    { fn: "max", field: "price", as: "dearest" },
  ];
  const report = { source, groupBy: ["sku"], aggregates, sort: "sku" };
  const { body } = await owner(`POST ${REPORTS}/preview`, report);
  expect(body.data.columns).toEqual([
    { name: "sku", title: "SKU", type: "text", role: "group" },
    { name: "count", type: "number", role: "value" },
    { name: "sum_price", title: "Sum of Price €", type: "number", role: "value" },
    { name: "dearest", type: "number", role: "value" },
  ]);
  expect(body.data.rows[0]).toEqual({ sku: "A-1", count: 1, sum_price: 2.5, dearest: 2.5 });
});

test("a CSV file of a report starts with titles, and JSON uses names", async () => {
  const body = { name: "Prices", source, groupBy: ["sku"], sort: "sku" };
  const report = (
    await owner(`POST ${REPORTS}`, { ...body, aggregates: [{ fn: "sum", field: "price" }] })
  ).body.data;
  const file = async (format: string) =>
    (await owner(`GET ${REPORTS}/${report.id}/export?format=${format}`)).body;
  expect(await file("csv")).toBe("SKU,Sum of Price €\r\nA-1,2.5\r\nB-2,4\r\n");
  expect(await file("json")).toEqual([
    { sku: "A-1", sum_price: 2.5 },
    { sku: "B-2", sum_price: 4 },
  ]);
});
