import fc from "fast-check";
import pg from "pg";
import { afterAll, expect, inject, test } from "vitest";
import { columnParsers } from "#kernel/db/connection.ts";
import { newId } from "#kernel/schema/id.ts";
import { useWorld } from "#kernel/testing/world.ts";
import type { Column } from "../table.ts";
import type { NewColumn } from "./new-column.ts";
import { columnTypeOf } from "./registry.ts";
import type { Json } from "./column-type.ts";
import { defaultSql, toLiteral } from "./default.ts";
import { parseColumn } from "./parse-fields.ts";
import { tries } from "#kernel/testing/thorough.ts";

const world = await useWorld();
const client: pg.Client = new pg.Client({
  ...inject("database").owner,
  database: world.database.app.database,
  types: columnParsers,
});
await client.connect();
await client.query("set timezone = 'UTC'");
afterAll(async () => {
  await client.end();
});

type Given = Omit<NewColumn, "name">;

function columnOf(given: Given): Column {
  const { column, errors } = parseColumn({ name: "it", ...given }, "");
  expect(errors).toEqual([]);
  return column;
}

/** Creates a table with one column and its constraint. */
async function inTable(column: Column, work: () => Promise<void>): Promise<void> {
  const { sqlType, constraint } = columnTypeOf(column);
  const check = constraint?.(column, '"it"');
  const rule = check === undefined ? "" : `, constraint fits check (${check})`;
  const preset = defaultSql(column);
  await client.query(
    `create temp table t (n integer, "it" ${sqlType(column)}${preset === undefined ? "" : ` default ${preset}`}${rule})`,
  );
  try {
    await work();
  } finally {
    await client.query("drop table t");
  }
}

/** Inserts raw values, and returns how they are read. */
async function kept(
  written: readonly string[],
  parameters: unknown[],
  show: (stored: unknown) => Json,
): Promise<Json[]> {
  const rows = written.map((value, n) => `(${n}, ${value})`).join(", ");
  await client.query(`insert into t values ${rows}`, parameters);
  const { rows: found } = await client.query('delete from t returning n, "it"');
  return found.toSorted((left, right) => left.n - right.n).map(({ it }) => show(it));
}

const words = fc.string({ unit: "binary", maxLength: 20 }).filter((text) => !text.includes("\0"));
const VALUES = ["red", "it's", "gr\\ün", "a;b", '"', "{x}", "null", "NULL", "a,b"];
const year = { min: new Date("1900-01-01T00:00:00Z"), max: new Date("9999-12-31T23:59:59.999Z") };
const moments = fc.date({ ...year, noInvalidDate: true }).map((time) => time.toISOString());

const ARBITRARY: readonly { readonly given: Given; readonly values: fc.Arbitrary<unknown> }[] = [
  { given: { type: "text" }, values: words },
  { given: { type: "text", unique: true, options: { maxLength: 20 } }, values: words },
  { given: { type: "integer" }, values: fc.maxSafeInteger() },
  {
    given: { type: "integer", options: { min: -5, max: 5 } },
    values: fc.integer({ min: -5, max: 5 }),
  },
  {
    given: { type: "decimal" },
    values: fc
      .tuple(
        fc.integer({ min: -999_999_999_999_999, max: 999_999_999_999_999 }),
        fc.integer({ min: -30, max: 14 }),
      )
      .map(([digits, exponent]) => `${digits}e${exponent}`),
  },
  {
    given: { type: "decimal", options: { scale: 3, min: -99.5, max: 1e6 } },
    values: fc.integer({ min: -99_500, max: 1_000_000_000 }).map((digits) => digits / 1_000),
  },
  { given: { type: "boolean" }, values: fc.boolean() },
  { given: { type: "date" }, values: moments.map((time) => time.slice(0, 10)) },
  { given: { type: "timestamp" }, values: moments },
  {
    given: { type: "json" },
    values: fc
      .jsonValue({ maxDepth: 5, stringUnit: "binary" })
      .filter((value) => value !== null && !JSON.stringify(value).includes("\\u0000")),
  },
  { given: { type: "enum", options: { values: VALUES } }, values: fc.constantFrom(...VALUES) },
  {
    given: { type: "multi_enum", options: { values: VALUES } },
    values: fc.shuffledSubarray(VALUES),
  },
  {
    given: { type: "reference", options: { table: "t" } },
    values: fc.nat().map((n) => newId("rec", n)),
  },
];

test.each(ARBITRARY)(
  "$given.type $given.options comes back as it was read",
  async ({ given, values }) => {
    const column = columnOf(given);
    const {
      parse: read,
      store,
      show,
      parameterType,
      parseCell: parse,
      formatCell: format,
    } = columnTypeOf(column);
    await inTable(column, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(values, { minLength: 1, maxLength: 40 }), async (given) => {
          const canonical = given.map((value) => {
            const one = read(value, column);
            if ("error" in one) throw new Error(`${JSON.stringify(value)} ${one.error}`);
            // A canonical value is parsed to itself, also from CSV.
            expect(read(one.value, column)).toEqual(one);
            expect(read(parse(format(one.value), column), column)).toEqual(one);
            return one.value;
          });
          const places = canonical.map((_, n) => `$${n + 1}::${parameterType}`);
          expect(await kept(places, canonical.map(store), show)).toEqual(canonical);
          // The same as literals, because defaults are literals.
          const literals = canonical.map((value) => toLiteral(column, value));
          expect(await kept(literals, [], show)).toEqual(canonical);
        }),
        { numRuns: tries(25), endOnFailure: true },
      );
    });
  },
);

test.each([
  [{ type: "text", options: { maxLength: 3 } }, "'abcd'"],
  [{ type: "integer" }, "9007199254740992"],
  [{ type: "integer", options: { max: 5 } }, "6"],
  [{ type: "decimal" }, "'NaN'"],
  [{ type: "decimal" }, "'-Infinity'"],
  [{ type: "decimal" }, "1.0 / 3"],
  [{ type: "decimal", options: { scale: 2 } }, "0.125"],
  [{ type: "date" }, "'infinity'"],
  [{ type: "date" }, "'0001-12-31 BC'"],
  [{ type: "timestamp" }, "'-infinity'"],
  [{ type: "timestamp" }, "'10000-01-01'"],
  [{ type: "json" }, "'null'"],
  [{ type: "enum", options: { values: ["a"] } }, "'b'"],
  [{ type: "multi_enum", options: { values: ["a"] } }, "array['b']"],
  [{ type: "multi_enum", options: { values: ["a"] } }, "array[null]::text[]"],
  [{ type: "multi_enum", options: { values: ["a"] } }, "array['a', 'a']"],
  [{ type: "multi_enum", options: { values: ["a"] } }, "array[array['a']]"],
  [{ type: "reference", options: { table: "users" } }, "'usr_me'"],
] as const)("in %j the database itself refuses %s", async (given, value) => {
  await inTable(columnOf(given as unknown as Given), async () => {
    await expect(client.query(`insert into t ("it") values (${value})`)).rejects.toMatchObject({
      code: "23514",
    });
  });
});

test.each([
  [{ type: "date", default: "$now" }, /^\d{4}-\d\d-\d\d$/],
  [{ type: "timestamp", default: "$now" }, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/],
  [{ type: "text", default: "it's \\ $now" }, /^it's \\ \$now$/],
] as const)("the default of %j equals that of the database", async (given, form) => {
  const column = columnOf(given as Given);
  await inTable(column, async () => {
    const { rows } = await client.query('insert into t (n) values (1) returning "it"');
    expect(columnTypeOf(column).show(rows[0].it)).toMatch(form);
  });
});

const A = { values: ["a", "1", "true"] };
const A_USER = newId("usr", 0);

/** Conversions between types: the resulting value; undefined if the change must fail. */
const CHANGES: readonly (readonly [
  from: Given,
  to: Given,
  before: Json,
  after: Json | undefined,
])[] = [
  [{ type: "integer" }, { type: "text" }, -5, "-5"],
  [{ type: "decimal" }, { type: "text" }, 1.5, "1.5"],
  [{ type: "boolean" }, { type: "text" }, true, "true"],
  [{ type: "date" }, { type: "text" }, "2026-01-02", "2026-01-02"],
  [{ type: "timestamp" }, { type: "text" }, "2026-01-02T03:04:05.600Z", "2026-01-02T03:04:05.600Z"],
  [{ type: "json" }, { type: "text" }, { a: 1 }, '{"a": 1}'],
  [{ type: "json" }, { type: "text" }, "plain", "plain"],
  [{ type: "enum", options: A }, { type: "text" }, "a", "a"],
  [{ type: "multi_enum", options: A }, { type: "text" }, ["a", "1"], "a;1"],
  [{ type: "text" }, { type: "integer" }, "42", 42],
  [{ type: "text" }, { type: "integer" }, "4.2", undefined],
  [{ type: "text" }, { type: "integer" }, "9007199254740992", undefined],
  [{ type: "decimal" }, { type: "integer" }, 4, 4],
  [{ type: "decimal" }, { type: "integer" }, 4.5, undefined],
  [{ type: "boolean" }, { type: "integer" }, true, 1],
  [{ type: "integer" }, { type: "decimal" }, 7, 7],
  [{ type: "integer" }, { type: "decimal" }, 9007199254740991, undefined],
  [{ type: "text" }, { type: "decimal" }, "1.50", 1.5],
  [{ type: "text" }, { type: "decimal" }, "NaN", undefined],
  [{ type: "text" }, { type: "boolean" }, "yes", true],
  [{ type: "text" }, { type: "boolean" }, "perhaps", undefined],
  [{ type: "integer" }, { type: "boolean" }, 0, false],
  [{ type: "integer" }, { type: "boolean" }, 2, undefined],
  [{ type: "text" }, { type: "date" }, "2026-01-02", "2026-01-02"],
  [{ type: "text" }, { type: "date" }, "tomorrow", undefined],
  [{ type: "text" }, { type: "date" }, "01/02/2026", undefined],
  [{ type: "timestamp" }, { type: "date" }, "2026-01-02T23:59:59.999Z", "2026-01-02"],
  [{ type: "date" }, { type: "timestamp" }, "2026-01-02", "2026-01-02T00:00:00.000Z"],
  [
    { type: "text" },
    { type: "timestamp" },
    "2026-01-02T03:04:05+01:00",
    "2026-01-02T02:04:05.000Z",
  ],
  [{ type: "text" }, { type: "timestamp" }, "2026-01-02", "2026-01-02T00:00:00.000Z"],
  [{ type: "text" }, { type: "timestamp" }, "now", undefined],
  [{ type: "text" }, { type: "json" }, '{"a":1}', { a: 1 }],
  [{ type: "text" }, { type: "json" }, "{", undefined],
  [{ type: "decimal" }, { type: "json" }, 1.5, 1.5],
  [{ type: "timestamp" }, { type: "json" }, "2026-01-02T03:04:05.600Z", "2026-01-02T03:04:05.600Z"],
  [{ type: "multi_enum", options: A }, { type: "json" }, ["a"], ["a"]],
  [{ type: "text" }, { type: "enum", options: A }, "a", "a"],
  [{ type: "text" }, { type: "enum", options: A }, "b", undefined],
  [{ type: "integer" }, { type: "enum", options: A }, 1, "1"],
  [{ type: "boolean" }, { type: "enum", options: A }, true, "true"],
  [{ type: "multi_enum", options: A }, { type: "enum", options: A }, ["a"], "a"],
  [{ type: "multi_enum", options: A }, { type: "enum", options: A }, ["a", "1"], undefined],
  [{ type: "enum", options: A }, { type: "multi_enum", options: A }, "a", ["a"]],
  [{ type: "text" }, { type: "multi_enum", options: A }, "x", undefined],
  [{ type: "text" }, { type: "multi_enum", options: A }, "1;a", ["1", "a"]],
  [{ type: "text" }, { type: "multi_enum", options: A }, '["1", "a"]', ["1", "a"]],
  [{ type: "text" }, { type: "multi_enum", options: { values: ["[c", "a;b"] } }, "[c", ["[c"]],
  [{ type: "text" }, { type: "multi_enum", options: { values: ["[c", "a;b"] } }, "a;b", ["a;b"]],
  [{ type: "text" }, { type: "multi_enum", options: A }, "a;a", undefined],
  [{ type: "text" }, { type: "multi_enum", options: A }, "[broken", undefined],
  [{ type: "json" }, { type: "multi_enum", options: A }, ["1", "a"], ["1", "a"]],
  [{ type: "json" }, { type: "multi_enum", options: A }, [1], undefined],
  [{ type: "json" }, { type: "multi_enum", options: A }, ["a", "a"], undefined],
  [{ type: "json" }, { type: "multi_enum", options: A }, ["a", null], undefined],
  [{ type: "json" }, { type: "multi_enum", options: A }, [["a"]], undefined],
  [{ type: "json" }, { type: "multi_enum", options: A }, "a", undefined],
  [{ type: "json" }, { type: "multi_enum", options: { values: ["anb"] } }, ["a\nb"], undefined],
  [{ type: "json" }, { type: "reference", options: { table: "users" } }, A_USER, A_USER],
  [{ type: "json" }, { type: "reference", options: { table: "users" } }, [A_USER], undefined],
  [{ type: "text" }, { type: "text", options: { maxLength: 1 } }, "xy", undefined],
];

test.each(CHANGES)("from %j to %j the value %j becomes %j", async (from, to, before, after) => {
  const [old, now] = [columnOf(from), columnOf(to)];
  const { sqlType, constraint, show, convertFrom } = columnTypeOf(now);
  const using = convertFrom(old, now, '"it"');
  expect(using).toBeDefined();
  const check = constraint?.(now, '"it"');
  const change =
    `alter table t drop constraint if exists fits, alter column "it" type ${sqlType(now)} using ${using}` +
    (check === undefined ? "" : `, add constraint fits check (${check})`);
  await inTable(old, async () => {
    await client.query(`insert into t ("it") values (${toLiteral(old, before)}), (null)`);
    if (after === undefined) {
      await expect(client.query(change)).rejects.toMatchObject({
        code: expect.stringMatching(/^2[23]/),
      });
      return;
    }
    await client.query(change);
    const { rows } = await client.query('select "it" from t order by "it" is null');
    expect(rows.map(({ it }) => (it === null ? null : show(it)))).toEqual([after, null]);
  });
});

test.each(["text", "json"] as const)(
  "a list of values is restored after it was %s",
  async (type) => {
    const values = [...VALUES, "[c", "x", "y"];
    const [list, other] = [
      columnOf({ type: "multi_enum", options: { values } }),
      columnOf({ type }),
    ];
    const become = (from: Column, to: Column) => {
      const using = columnTypeOf(to).convertFrom(from, to, '"it"');
      return `alter table t alter column "it" type ${columnTypeOf(to).sqlType(to)} using ${using}`;
    };
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(values), async (given) => {
        await client.query(`create temp table t ("it" text[])`);
        await client.query("insert into t values ($1)", [given]);
        await client.query(become(list, other));
        await client.query(become(other, list));
        const { rows } = await client.query('select "it" from t');
        await client.query("drop table t");
        expect(rows).toEqual([{ it: given }]);
      }),
      { numRuns: tries(50), endOnFailure: true },
    );
  },
);

test("an autonumber starts from the configured number", async () => {
  await inTable(columnOf({ type: "autonumber", options: { start: 100 } }), async () => {
    const { rows } = await client.query('insert into t (n) values (1), (2) returning "it"');
    expect(rows).toEqual([{ it: 100 }, { it: 101 }]);
  });
});
