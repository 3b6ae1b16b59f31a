import fc from "fast-check";
import { expect, test } from "vitest";
import { createFilledTable } from "#domains/records/testing/records.ts";
import { compileJsonata, BASE64, type Jsonata } from "#kernel/expression/jsonata.ts";
import { useWorld } from "#kernel/testing/world.ts";
import { tries } from "#kernel/testing/thorough.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);

const columns = [
  { name: "a", type: "decimal" },
  { name: "b", type: "integer" },
  { name: "s", type: "text" },
  { name: "t", type: "text" },
  { name: "yes", type: "boolean" },
  { name: "day", type: "date" },
];

const row = fc.record(
  {
    a: fc.option(fc.integer({ min: -9_999, max: 9_999 }).map((cents) => cents / 100)),
    b: fc.option(fc.integer({ min: -50, max: 50 })),
    s: fc.option(fc.constantFrom("", "Äpfel", "b c", " x  y ", "7")),
    t: fc.option(fc.constantFrom("Äpfel", "b", "z")),
    yes: fc.option(fc.boolean()),
    day: fc.option(fc.constantFrom("0999-01-01", "2026-02-28", "2026-03-01")),
  },
  { noNullPrototype: true },
);

/** Random formulas, with matching kinds. */
const { number, condition, word } = fc.letrec<Record<"number" | "condition" | "word", string>>(
  (tie) => ({
    number: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom("a", "b", "2", "0.1", "-3"),
      fc
        .tuple(tie("number"), fc.constantFrom("+", "-", "*"), tie("number"))
        .map(([left, operator, right]) => `(${left} ${operator} ${right})`),
      fc.tuple(fc.constantFrom("abs", "floor", "ceil"), tie("number")).map(call),
      tie("word").map((text) => `$length(${text})`),
      fc.tuple(tie("condition"), tie("number"), tie("number")).map(choose),
    ),
    condition: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom("yes", "true", "(day = day)"),
      fc
        .tuple(tie("number"), fc.constantFrom("=", "!=", "<", "<=", ">", ">="), tie("number"))
        .map(([left, operator, right]) => `(${left} ${operator} ${right})`),
      fc
        .tuple(tie("word"), fc.constantFrom("=", "!="), tie("word"))
        .map(([left, operator, right]) => `(${left} ${operator} ${right})`),
      fc
        .tuple(tie("condition"), fc.constantFrom("and", "or"), tie("condition"))
        .map(([left, operator, right]) => `(${left} ${operator} ${right})`),
      fc.constantFrom("a", "s", "day").map((field) => `$exists(${field})`),
    ),
    word: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom("s", "t", '"é"', "$string(b)", "$string(day)", "$string(yes)"),
      fc.tuple(tie("word"), tie("word")).map(([left, right]) => `(${left} & ${right})`),
      fc.tuple(fc.constantFrom("uppercase", "lowercase", "trim"), tie("word")).map(call),
      tie("word").map((text) => `$substring(${text}, 1, 2)`),
      fc.tuple(tie("condition"), tie("word"), tie("word")).map(choose),
    ),
  }),
);

function call([name, value]: readonly [string, string]): string {
  return `$${name}(${value})`;
}

function choose([condition, then, otherwise]: readonly [string, string, string]): string {
  return `(${condition} ? ${then} : ${otherwise})`;
}

const module: { exports: unknown } = { exports: {} };
compileJsonata()(module, module.exports, JSON, Date, BASE64);
const jsonata = module.exports as Jsonata;

/** The value computed by the expression language; a field without a value is missing there. */
async function evaluate(expression: string, record: object): Promise<unknown> {
  const present = Object.entries(record).filter(([, value]) => value !== null);
  const value: unknown = await jsonata(expression).evaluate(Object.fromEntries(present));
  return typeof value === "number" ? Number(value.toPrecision(15)) : (value ?? null);
}

test("a formula has the same result in SQL and in memory", async () => {
  const rows = fc.sample(row, { numRuns: 30, seed: 7 });
  const table = await createFilledTable(world, owner, { columns }, rows);
  const formula = fc.oneof(number, condition, word);
  await fc.assert(
    fc.asyncProperty(fc.array(formula, { minLength: 8, maxLength: 8 }), async (expressions) => {
      const addColumns = expressions.map((expression, index) => ({
        name: `f${index}`,
        type: "formula",
        options: { expression },
      }));
      const added = await owner(`PATCH /api/v1/tables/${table.slug}`, { addColumns });
      expect(added.body.errors ?? added.status).toBe(200);
      const { body } = await owner(`GET ${table.path}?sort=id&limit=100`);
      const expected = await Promise.all(
        rows.map((record) => Promise.all(expressions.map((text) => evaluate(text, record)))),
      );
      for (const [at, record] of body.data.entries()) {
        for (const [index, text] of expressions.entries()) {
          expect([text, rows[at], record[`f${index}`]]).toEqual([
            text,
            rows[at],
            expected[at]?.[index],
          ]);
        }
      }
      const dropColumns = addColumns.map(({ name }) => name);
      await owner(`PATCH /api/v1/tables/${table.slug}`, { dropColumns });
    }),
    { numRuns: tries(12), endOnFailure: true },
  );
});

test("a formula index remains valid after all column changes", async () => {
  const text = (name: string) => ({ name, type: "text" });
  const formula = (name: string, expression: string, more: object = {}) => ({
    name,
    type: "formula",
    options: { expression },
    ...more,
  });
  await owner("POST /api/v1/tables", { name: "clients", slug: "clients", columns: [text("name")] });
  const columnsOfCarts = [
    { name: "price", type: "decimal" },
    { name: "amount", type: "integer" },
    { name: "day", type: "date" },
    formula("sum", "price * amount"),
    formula("half", "sum / 2", { indexed: true }),
  ];
  const made = await owner("POST /api/v1/tables", {
    name: "carts",
    slug: "carts",
    columns: columnsOfCarts,
  });
  expect(made.body.errors ?? made.status).toBe(201);
  const records = [4, 1, 3].map((price) => ({ price, amount: 2 }));
  await owner("POST /api/v1/tables/carts/records/bulk", { records });
  const change = async (input: object): Promise<void> => {
    const { status, body } = await owner("PATCH /api/v1/tables/carts", input);
    expect(body.errors ?? status).toBe(200);
  };
  const list = async (query: Readonly<Record<string, string>> = {}): Promise<any[]> => {
    const asked = new URLSearchParams(query).toString();
    return (await owner(`GET /api/v1/tables/carts/records?${asked}`)).body.data;
  };
  const indexes = async () =>
    (
      await world.sql(
        "select indexdef from pg_indexes where tablename = 'carts' and indexdef like '%formula_over%'",
      )
    ).map(({ indexdef }) => String(indexdef).replace(/^.* USING/, "USING"));
  const [first] = await indexes();
  expect(first).toContain("formula_times");
  const halves = async (query: Readonly<Record<string, string>>) =>
    (await list(query)).map(({ half }) => half);
  expect(await halves({ sort: "half" })).toEqual([1, 3, 4]);
  expect(await halves({ sort: "-half", filter: '{"half":{"gte":3}}' })).toEqual([4, 3]);

  // Renaming a column renames it in the index, a new type rebuilds the index, and source columns cannot be dropped.
  await change({ renameColumns: { price: "cost", half: "part" } });
  expect(await indexes()).toEqual([first?.replaceAll("price", "cost")]);
  await change({ alterColumns: [{ name: "amount", type: "decimal" }] });
  expect((await list({ sort: "part" })).map(({ part }) => part)).toEqual([1, 3, 4]);
  const refuse = async (input: object) => {
    const answer = await owner("PATCH /api/v1/tables/carts", input);
    expect(answer.status).toBe(422);
    return answer.body.errors as unknown;
  };
  expect(await refuse({ dropColumns: ["amount"] })).toEqual([
    { path: expect.any(String), message: "is used by the index of part" },
  ]);
  expect(await indexes()).toHaveLength(1);

  // Without the index the columns are free again.
  await change({ alterColumns: [{ name: "part", indexed: false }] });
  expect(await indexes()).toEqual([]);
  await change({ dropColumns: ["amount"] });
  expect((await list()).map(({ part }) => part)).toEqual([null, null, null]);

  // A formula that depends on other records, or is not immutable, has no index.
  await change({
    addColumns: [{ name: "client", type: "reference", options: { table: "clients" } }],
  });
  for (const [expression, reason] of [
    ["client.name", "client.name is not stored in the record and can change independently"],
    ["$string(day)", "the text of a date or time depends on database settings"],
  ]) {
    const addColumns = [formula("bad", String(expression), { indexed: true })];
    expect(await refuse({ addColumns })).toEqual([
      { path: "/addColumns/0/indexed", message: `is not possible: ${reason}` },
    ]);
  }
  const lookup = { name: "x", type: "lookup", options: { path: "client.name" }, indexed: true };
  expect(await refuse({ addColumns: [lookup] })).toEqual([
    { path: "/addColumns/0/indexed", message: "is not supported for this type" },
  ]);
});
