import fc from "fast-check";
import pg from "pg";
import { afterAll, describe, expect, inject, test } from "vitest";
import { tries } from "#kernel/testing/thorough.ts";
import { compileCondition, type Condition } from "./condition.ts";
import { conditionToSql, type ConditionField } from "./sql.ts";
import { parseCondition } from "./parse-condition.ts";
import { toTypedCondition } from "./typed-condition.ts";

const FIELDS: Readonly<Record<string, ConditionField & { readonly definition: string }>> = {
  title: { sql: "title", kind: "text", definition: 'text collate "C"' },
  // Any collation other than "C" is suitable.
  place: { sql: "place", kind: "text", definition: 'text collate "und-x-icu"' },
  count: { sql: "count", kind: "number", type: "bigint", definition: "bigint" },
  price: { sql: "price", kind: "number", type: "numeric", definition: "numeric" },
  open: { sql: "open", kind: "boolean", definition: "boolean" },
  at: { sql: '"at"', kind: "time", definition: "timestamptz(3)" },
  day: { sql: "day", kind: "date", definition: "date" },
  tags: { sql: "tags", kind: "texts", definition: "text[]" },
  extra: { sql: "extra", kind: "json", definition: "jsonb" },
  // A column name that generated SQL might use itself.
  member: { sql: "member", kind: "json", hasContainmentIndex: true, definition: "jsonb" },
};
const NAMES = Object.keys(FIELDS);

// Few values, so that operands often match. Surrogate pairs and characters above U+E000 sort differently by
// UTF-16 than by code points.
const text = fc.oneof(
  fc.constantFrom(
    "",
    "a",
    "ab",
    "b",
    "B",
    "ä",
    "a%_\\",
    "\uffee",
    "\ue000x",
    "😀",
    "😀a",
    "0",
    "1",
  ),
  fc.string({ unit: fc.constantFrom("a", "b", "ä", "😀", "\uff5e", "'", '"', "\\"), maxLength: 3 }),
);
const whole = fc.oneof(
  fc.integer({ min: -2, max: 2 }),
  fc.constantFrom(Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER),
);
const decimal = fc.oneof(whole, fc.constantFrom(0.1, 0.5, -1.5, 1e-10, 123_456.789));
const time = fc
  .integer({ min: -3, max: 3 })
  .map((step) => new Date(Date.UTC(2026, 1, 28) + step * 43_200_001).toISOString());
const day = time.map((moment) => moment.slice(0, 10));
const texts = fc.uniqueArray(fc.constantFrom("a", "b", "😀", "a,b", "{}", '"', "null"), {
  maxLength: 3,
});
const key = fc.constantFrom("a", "b", "0", "1", "01", "-1", "😀");
const scalar = fc.oneof(fc.constant(null), fc.boolean(), decimal, text);
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    scalar,
    fc.array(tie("json"), { maxLength: 3 }),
    fc.dictionary(key, tie("json"), { maxKeys: 3, noNullPrototype: true }),
  ),
}));
const VALUES: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  title: text,
  place: text,
  count: whole,
  price: decimal,
  open: fc.boolean(),
  at: time,
  day,
  tags: texts,
  extra: json,
  member: json,
};
const JSON_NAMES = new Set(["extra", "member"]);
const record = fc.record(
  Object.fromEntries(NAMES.map((name) => [name, fc.option(VALUES[name]!, { freq: 4 })])),
  { noNullPrototype: true },
);

const EQUALITY = ["eq", "ne", "in", "nin"];
const ORDER = ["gt", "gte", "lt", "lte"];

/** An operator with an operand that may have a wrong type. `value` creates the operands. */
function operatorsOf(value: fc.Arbitrary<unknown>): fc.Arbitrary<Condition> {
  const ordered = fc.oneof(text, decimal, time, day);
  const operands: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
    ...Object.fromEntries(EQUALITY.slice(0, 2).map((name) => [name, fc.option(value)])),
    ...Object.fromEntries(
      EQUALITY.slice(2).map((name) => [name, fc.array(fc.option(value), { minLength: 1 })]),
    ),
    ...Object.fromEntries(
      ORDER.map((name) => [
        name,
        fc
          .oneof(value, ordered)
          .filter((made) => typeof made === "string" || typeof made === "number"),
      ]),
    ),
    contains: fc.oneof(value, scalar, text),
    startsWith: fc.oneof(
      text,
      day.map((made) => made.slice(0, 7)),
    ),
    endsWith: fc.oneof(text, fc.constant("Z")),
    exists: fc.boolean(),
  };
  const one = fc.oneof(
    ...Object.entries(operands).map(([name, operand]) => fc.tuple(fc.constant(name), operand)),
  );
  return fc
    .uniqueArray(one, { selector: ([name]) => name, minLength: 1, maxLength: 2 })
    .map((entries) => Object.fromEntries(entries));
}

const anyValue = fc.oneof(...Object.values(VALUES));
const path = fc
  .oneof(
    ...NAMES.map((name) =>
      fc.tuple(
        fc
          .array(key, { maxLength: JSON_NAMES.has(name) ? 3 : 1 })
          .map((words) => [
            name,
            ...(JSON_NAMES.has(name) ? words : words.filter(() => name === "tags")),
          ]),
        fc.oneof(
          { weight: 4, arbitrary: operatorsOf(VALUES[name]!) },
          { weight: 1, arbitrary: operatorsOf(anyValue) },
        ),
      ),
    ),
    fc.tuple(fc.constantFrom(["nothing"], ["title", "a"]), operatorsOf(anyValue)),
  )
  .map(([words, what]): Condition => ({ [words.join(".")]: what }));
const { condition } = fc.letrec<{ condition: Condition }>((tie) => {
  const parts = fc.array(tie("condition"), { minLength: 1, maxLength: 3 });
  return {
    condition: fc.oneof(
      { maxDepth: 3 },
      { weight: 2, arbitrary: path },
      fc.record({ and: parts }),
      fc.record({ or: parts }),
      fc.record({ not: tie("condition") }),
    ),
  };
});

const client: pg.Client = new pg.Client(inject("database").owner);
await client.connect();
const columns = Object.entries(FIELDS).map(([name, { definition }]) => `"${name}" ${definition}`);
await client.query(`create temp table conditions (id integer, ${columns.join(", ")})`);

afterAll(() => client.end());

interface Row {
  readonly id: number;
  readonly [name: string]: unknown;
}

async function fill(rows: readonly Row[]): Promise<void> {
  await client.query("truncate conditions");
  for (const { id, ...values } of rows) {
    const stored = NAMES.map((name) =>
      JSON_NAMES.has(name) ? JSON.stringify(values[name]) : values[name],
    );
    const places = NAMES.map((_, index) => `$${index + 2}`);
    await client.query(`insert into conditions values ($1, ${places.join(", ")})`, [id, ...stored]);
  }
}

async function idsBySql(made: Condition): Promise<number[]> {
  const values: unknown[] = [];
  const parameters = { add: (value: unknown, type: string) => `$${values.push(value)}::${type}` };
  const { tree } = parseCondition(made);
  const sql = conditionToSql(tree, (name) => FIELDS[name], parameters);
  const { rows } = await client.query(`select id from conditions where ${sql} order by id`, values);
  return rows.map(({ id }) => id);
}

function idsInMemory(made: Condition, rows: readonly Row[]): number[] {
  const holds = compileCondition(made);
  return rows.filter(holds).map(({ id }) => id);
}

describe("for all conditions and rows", () => {
  test("SQL finds the same rows as the in-memory evaluation", async () => {
    const rows = fc.sample(record, 60).map((made, id): Row => ({ id, ...made }));
    await fill(rows);
    let found = 0;
    const numRuns = tries(400, 5_000);
    await fc.assert(
      fc.asyncProperty(condition, async (made) => {
        const expected = idsInMemory(made, rows);
        expect(await idsBySql(made)).toEqual(expected);
        found += expected.length;
      }),
      { numRuns },
    );
    // The samples are only useful if both results are frequent.
    expect(found).toBeGreaterThan(numRuns * 6);
    expect(found).toBeLessThan(numRuns * 54);
  });

  test("a typed condition keeps its meaning, and no operand makes SQL fail", async () => {
    await fill([{ id: 1 }]);
    const kindOf = (name: string) => FIELDS[name]?.kind;
    let typedOnes = 0;
    await fc.assert(
      fc.asyncProperty(condition, async (made) => {
        const typed = toTypedCondition(made, kindOf);
        if ("errors" in typed) {
          expect(typed.errors).not.toEqual([]);
          return;
        }
        typedOnes += 1;
        expect(await idsBySql(typed.condition)).toEqual(idsInMemory(made, [{ id: 1 }]));
      }),
      { numRuns: tries(100, 1_000) },
    );
    expect(typedOnes).toBeGreaterThan(10);
  });
});
