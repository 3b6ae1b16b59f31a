import { expect, test } from "vitest";
import { resolveTable } from "../schema/table-schema.ts";
import { type Column, COLUMN_TYPES, type Table } from "../table.ts";
import type { NewColumn } from "./new-column.ts";
import { isComputed, columnTypeOf } from "./registry.ts";
import { parseColumn, parseColumns, parseFields } from "./parse-fields.ts";

const NOW = new Date("2026-03-01T23:59:59.123Z");
const REC = "rec_01jd0000000000000000000000";
const USR = "usr_01jd0000000000000000000000";

function columnOf(given: Omit<NewColumn, "name">): Column {
  const { column, errors } = parseColumn({ name: "it", ...given }, "");
  expect(errors).toEqual([]);
  return column;
}

const deep = (depth: number): unknown => (depth === 0 ? 1 : [deep(depth - 1)]);

/** For each type: valid values, with the canonical form if it differs, and invalid values. */
const VALUES: readonly {
  readonly column: Omit<NewColumn, "name">;
  readonly good: readonly (readonly [given: unknown, canonical?: unknown])[];
  readonly bad: readonly unknown[];
}[] = [
  {
    column: { type: "text" },
    good: [[""], ["a\nb"], ["😀"], ["x".repeat(10_000)], ["😀".repeat(10_000)]],
    bad: [1, true, [], {}, "a\0b", "\ud800", "x\udc00", "x".repeat(10_001), "😀".repeat(10_001)],
  },
  {
    column: { type: "text", options: { maxLength: 2 } },
    good: [["ab"], ["😀😀"]],
    bad: ["abc", "😀😀😀"],
  },
  {
    column: { type: "text", unique: true },
    good: [["x".repeat(600)]],
    bad: ["x".repeat(601)],
  },
  {
    column: { type: "integer" },
    good: [[0], [-0, 0], [1e3, 1000], [9007199254740991], [-9007199254740991]],
    bad: [1.5, "1", true, 9007199254740992, 1e300, Number.NaN, Infinity, [1]],
  },
  {
    column: { type: "integer", options: { min: 1, max: 5 } },
    good: [[1], [5]],
    bad: [0, 6],
  },
  {
    column: { type: "decimal" },
    good: [
      [1.5],
      [-0, 0],
      ["1.50", 1.5],
      [" 007 ", 7],
      ["1e3", 1000],
      ["-.5", -0.5],
      ["5.", 5],
      [123456789012345],
      ["0.000000000000001", 1e-15],
      [1e29],
    ],
    bad: [
      0.1 + 0.2,
      "1,5",
      "",
      ".",
      "NaN",
      "Infinity",
      "0x10",
      "1_000",
      1e30,
      1e300,
      1e-31,
      1234567890123456,
      true,
      [],
      "1 2",
    ],
  },
  {
    column: { type: "decimal", options: { scale: 2, min: -1, max: 100 } },
    good: [[1.25], ["1.250", 1.25], [-1], [100]],
    bad: [1.255, -1.01, 100.01],
  },
  { column: { type: "boolean" }, good: [[true], [false]], bad: [0, 1, "true", null, []] },
  {
    column: { type: "date" },
    good: [["2024-02-29"], ["0001-01-01"], ["9999-12-31"]],
    bad: [
      "2023-02-29",
      "2024-13-01",
      "2024-00-10",
      "0000-12-31",
      "2024-1-1",
      "today",
      20240101,
      "",
    ],
  },
  {
    column: { type: "timestamp" },
    good: [
      ["2026-02-28T09:30:00Z", "2026-02-28T09:30:00.000Z"],
      ["2026-02-28T09:30:00.123456+01:00", "2026-02-28T08:30:00.123Z"],
      ["1900-01-01T00:00:00Z", "1900-01-01T00:00:00.000Z"],
      ["9999-12-31T23:59:59.999Z"],
    ],
    bad: [
      "2026-02-28",
      "2026-02-30T00:00:00Z",
      "2026-02-28T24:00:00Z",
      "2026-02-28T09:30:00",
      "1900-01-01T00:00:00+01:00",
      "9999-12-31T23:59:59-01:00",
      "now",
      1,
    ],
  },
  {
    column: { type: "json" },
    good: [[{ a: [1, null, "x"] }], ["text"], [0], [-0, 0], [false], [[]], [deep(32)]],
    bad: [
      deep(33),
      deep(5_000),
      ["\0"],
      { "\0": 1 },
      "\ud800",
      Infinity,
      undefined,
      "x".repeat(262_143),
    ],
  },
  {
    column: { type: "enum", options: { values: ["red", "it's", "grün"] } },
    good: [["red"], ["it's"], ["grün"]],
    bad: ["Red", "", 1, ["red"], "toString"],
  },
  {
    column: { type: "multi_enum", options: { values: ["red", "a;b", "[c"] } },
    good: [[[]], [["red"]], [["[c", "a;b", "red"]]],
    bad: ["red", ["red", "red"], ["blue"], [null], [1], {}],
  },
  {
    column: { type: "reference", options: { table: "orders" } },
    good: [[REC]],
    bad: [USR, "rec_1", 1, `${REC}\n`, { id: REC }],
  },
  { column: { type: "reference", options: { table: "users" } }, good: [[USR]], bad: [REC, ""] },
  { column: { type: "autonumber" }, good: [], bad: [1, "1"] },
];

test.each(VALUES)("values of $column.type $column.options", ({ column, good, bad }) => {
  const it = columnOf(column);
  const { parse: read, parseCell: parse, formatCell: format } = columnTypeOf(it);
  for (const given of good) {
    const canonical = given.length === 2 ? given[1] : given[0];
    expect(read(given[0], it)).toEqual({ value: canonical });
    // A cell of a file holds the same value.
    const cell = format(canonical as never);
    expect(read(parse(cell, it), it)).toEqual({ value: canonical });
  }
  for (const [index, given] of bad.entries()) {
    expect(read(given, it), `the one at ${index}`).toHaveProperty("error");
  }
});

test.each([
  ["boolean", " Yes", true],
  ["boolean", "FALSE", false],
  ["boolean", "maybe", undefined],
  ["integer", " 42 ", 42],
  ["integer", "4.2", undefined],
  ["integer", "1e3", undefined],
  ["json", "{broken", undefined],
] as const)("a %s in a file may be written as %j", (type, cell, value) => {
  const it = columnOf({ type });
  const read = columnTypeOf(it).parse(columnTypeOf(it).parseCell(cell, it), it);
  if (value === undefined) expect(read).toHaveProperty("error");
  else expect(read).toEqual({ value });
});

test("each conversion of a column can be reversed", () => {
  const options: Record<string, Record<string, unknown>> = {
    enum: { values: ["a"] },
    multi_enum: { values: ["a"] },
    reference: { table: "t" },
    links: { table: "t" },
    vector: { dimensions: 3 },
  };
  const stored = COLUMN_TYPES.filter((type) => !isComputed({ type }));
  const all = stored.map((type) => columnOf({ type, options: options[type] ?? {} }));
  const becomes = (from: Column, to: Column) =>
    columnTypeOf(to).convertFrom(from, to, '"it"') !== undefined;
  const lost = all.flatMap((from) =>
    all
      .filter((to) => becomes(from, to) && !becomes(to, from))
      .map((to) => `${from.type} to ${to.type}`),
  );
  expect(lost).toEqual([]);
});

test("parses a column with all properties", () => {
  const { columns, errors } = parseColumns(
    [
      { name: "title", type: "text", required: true },
      { name: "owner", type: "reference", options: { table: "users" }, default: "$user" },
      { name: "parent", type: "reference", options: { table: "items" }, onDelete: "cascade" },
      { name: "other", type: "reference", options: { table: "items" }, indexed: false },
      { name: "number", type: "autonumber", required: false },
      { name: "price", type: "decimal", default: "1.50", description: "Net" },
      { name: "due", type: "date", default: "$now" },
      { name: "word", type: "text", default: "$now" },
    ],
    { path: "/columns" },
  );
  expect(errors).toEqual([]);
  const plain = {
    required: false,
    unique: false,
    indexed: false,
    default: null,
    options: {},
    description: "",
  };
  expect(columns).toEqual([
    { ...plain, name: "title", title: "Title", type: "text", required: true },
    {
      ...plain,
      name: "owner",
      title: "Owner",
      type: "reference",
      indexed: true,
      options: { table: "users" },
      default: "$user",
    },
    {
      ...plain,
      name: "parent",
      title: "Parent",
      type: "reference",
      indexed: true,
      options: { table: "items", onDelete: "cascade" },
    },
    {
      ...plain,
      name: "other",
      title: "Other",
      type: "reference",
      options: { table: "items", onDelete: "restrict" },
    },
    { ...plain, name: "number", title: "Number", type: "autonumber", required: true },
    { ...plain, name: "price", title: "Price", type: "decimal", default: 1.5, description: "Net" },
    { ...plain, name: "due", title: "Due", type: "date", default: "$now" },
    { ...plain, name: "word", title: "Word", type: "text", default: "$now" },
  ]);
});

test("reports all errors in columns, each with its path", () => {
  const { errors } = parseColumns(
    [
      { name: "createdat", type: "text" },
      { name: "Title", type: "text", options: { maxLength: 0, colour: 1 } },
      { name: "TITLE", type: "enum" },
      { name: "a", type: "enum", options: { values: ["x", "x", "y\n", " z"] } },
      { name: "b", type: "integer", options: { min: 2, max: 1 } },
      { name: "c", type: "integer", default: "1" },
      {
        name: "d",
        type: "reference",
        options: { table: "t", onDelete: "cascade" },
        onDelete: "restrict",
      },
      {
        name: "e",
        type: "reference",
        options: { table: "t" },
        onDelete: "set_null",
        required: true,
      },
      { name: "f", type: "reference", options: { table: "users" }, onDelete: "restrict" },
      { name: "g", type: "text", onDelete: "restrict" },
      { name: "h", type: "json", unique: true },
      { name: "i", type: "text", indexed: true, options: { maxLength: 601 } },
      { name: "j", type: "autonumber", default: 1 },
      { name: "k", type: "reference", options: { table: "t" }, default: "$user" },
      { name: "l", type: "enum", options: { values: ["x"] }, default: "y" },
      { name: "m", type: "text" },
    ],
    {
      path: "/columns",
      beside: [columnOf({ type: "text" }), { ...columnOf({ type: "text" }), name: "M" }],
    },
  );
  expect(errors.map(({ path }) => path)).toEqual([
    "/columns/0/name",
    "/columns/1/options/colour",
    "/columns/1/options/maxLength",
    "/columns/2/options/values",
    "/columns/2/name",
    "/columns/3/options/values/1",
    "/columns/3/options/values/2",
    "/columns/3/options/values/3",
    "/columns/4/options/max",
    "/columns/5/default",
    "/columns/6/onDelete",
    "/columns/7/options/onDelete",
    "/columns/8/options/onDelete",
    "/columns/9/onDelete",
    "/columns/10/unique",
    "/columns/11/options/maxLength",
    "/columns/12/default",
    "/columns/13/default",
    "/columns/14/default",
    "/columns/15/name",
  ]);
  const many = Array.from({ length: 201 }, (_, index) => ({
    name: `c${index}`,
    type: "text" as const,
  }));
  expect(parseColumns(many, { path: "/columns" }).errors).toMatchObject([{ path: "/columns" }]);
});

const table = resolveTable(
  {
    id: "tbl_01jd0000000000000000000000",
    slug: "items",
    name: "Items",
    description: "",
    rules: [],
    createdBy: USR,
    createdAt: NOW.toISOString(),
    updatedAt: NOW.toISOString(),
    revision: 1,
    renamedRevision: 0,
    columns: [
      ...parseColumns(
        [
          { name: "title", type: "text", required: true },
          { name: "constructor", type: "integer", default: 7 },
          { name: "owner", type: "reference", options: { table: "users" }, default: "$user" },
          { name: "day", type: "date", default: "$now" },
          { name: "at", type: "timestamp", default: "$now" },
          { name: "number", type: "autonumber" },
        ],
        { path: "" },
      ).columns,
    ],
  } as unknown as Table,
  { workspace: "00000000-0000-0000-0000-000000000001", environment: "production" },
);

const writing = { now: NOW, principal: { id: USR, roles: [] } };

test("a new record gets defaults, and nulls for columns without a default", () => {
  expect(parseFields(table, { title: "x" }, { for: "create", ...writing })).toEqual({
    values: {
      title: "x",
      constructor: 7,
      owner: USR,
      day: "2026-03-01",
      at: "2026-03-01T23:59:59.123Z",
    },
  });
  // An explicit null overrides the default.
  const said = { title: "x", constructor: null, owner: null, day: null, at: null };
  expect(parseFields(table, said, { for: "create", now: NOW, principal: undefined })).toEqual({
    values: said,
  });
});

test("a change contains only the changed fields", () => {
  expect(parseFields(table, {}, { for: "update", ...writing })).toEqual({ values: {} });
  const { values } = parseFields(table, { day: "2026-01-01" }, { for: "update", ...writing }) as {
    values: object;
  };
  expect(Object.entries(values)).toEqual([["day", "2026-01-01"]]);
});

test("each field error has a path", () => {
  const body = { constructor: "x", number: 1, createdAt: "x", "a/b": 1, id: 1 };
  const { errors } = parseFields(table, body, { for: "create", ...writing }) as {
    errors: { path: string; message: string }[];
  };
  expect(errors).toEqual([
    { path: "/title", message: "is required" },
    { path: "/constructor", message: expect.stringContaining("whole number") },
    { path: "/number", message: "is set by the platform" },
    { path: "/createdAt", message: "is set by the platform" },
    { path: "/a~1b", message: "is not a field of this table" },
    { path: "/id", message: "is set by the platform" },
  ]);
  const update = parseFields(table, { title: null }, { for: "update", ...writing });
  expect(update).toEqual({ errors: [{ path: "/title", message: "is required" }] });
});
