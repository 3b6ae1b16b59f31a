import { afterAll, expect, test } from "vitest";
import { Sandbox } from "../sandbox.ts";
import { run } from "../testing/scripts.ts";

const sandbox = new Sandbox({ waitMs: 120_000, onError: () => undefined });
afterAll(() => sandbox.close());

const evaluate = async (source: string, input: unknown = null) => {
  const { output, error } = await run(sandbox, source, { input });
  expect(error).toBeNull();
  return output;
};

test("dates know zones, bytes their spellings, and JMESPath its queries", async () => {
  expect(
    await evaluate(`
      const at = DateTime.fromISO("2027-03-27T12:00", { zone: "Europe/Berlin" });
      return [at.plus({ days: 1 }).toISO(), at.plus({ hours: 24 }).toISO(), Duration.fromISO("PT90M").as("hours")];`),
  ).toEqual(["2027-03-28T12:00:00.000+02:00", "2027-03-28T13:00:00.000+02:00", 1.5]);
  const bytes = "ü€😀\u0000";
  expect(
    await evaluate(
      `const made = Buffer.from(input);
       const back = (encoding) => Buffer.from(made.toString(encoding), encoding).toString();
       return [made.length, made.toString("base64"), made.toString("hex"), back("base64url"), back("hex"), back("latin1"),
         new TextDecoder().decode(new TextEncoder().encode(input)), Buffer.from([0xff, 0x41]).toString()];`,
      bytes,
    ),
  ).toEqual([
    10,
    Buffer.from(bytes).toString("base64"),
    Buffer.from(bytes).toString("hex"),
    bytes,
    bytes,
    bytes,
    bytes,
    "\uFFFDA",
  ]);
  const people = {
    people: [{ n: "a", age: 30, tags: ["x"] }, { n: "b", age: 20, tags: ["y", "z"] }, { n: "c" }],
  };
  const queries: Record<string, unknown> = {
    "people[?age > `25`].n": ["a"],
    "people[*].{name: n, old: age >= `30`}": [
      { name: "a", old: true },
      { name: "b", old: false },
      { name: "c", old: null },
    ],
    "people[].tags[]": ["x", "y", "z"],
    "people[0:2].n | [1]": "b",
    "sort_by(people[?age], &age)[0].n": "b",
    "length(people)": 3,
    "people[-1].n": "c",
    "nothing.at.all": null,
    "people[?contains(tags || `[]`, 'z')] | [0].n": "b",
    "*[0].n": ["a"],
  };
  expect(
    await evaluate("return input.queries.map((one) => jmespath(input.data, one))", {
      data: people,
      queries: Object.keys(queries),
    }),
  ).toEqual(Object.values(queries));
  expect(
    await evaluate(`return [crypto.hash("sha256", "abc").slice(0, 8), lists.chunk([1, 2, 3], 2),
      lists.unique([{ a: 1 }, { a: 1 }], "a"), text.slugify("Änd the Rest!"), lists.sum([{ n: 1 }, { n: 2 }], "n")];`),
  ).toEqual(["ba7816bf", [[1, 2], [3]], [{ a: 1 }], "and-the-rest", 3]);
});

test("code of n8n finds its names: items, other nodes, and the methods of texts and lists", async () => {
  const scope = {
    trigger: { type: "manual", input: null },
    run: { id: "run_1" },
    steps: {
      get_all: { output: [{ n: 1 }, { n: 2 }] },
      if: { output: { o0: [{ yes: 1 }], o1: [] } },
    },
  };
  const source = `
    const options = { from: [["get_all"]], names: { "Get All": "get_all", "If": "if" } };
    const each = n8n.each(input, options, ({ $json, $, $itemIndex, value }) => ({
      n: $json.n, same: $("Get All").item.json.n, yes: $("If").first().json.yes, at: $itemIndex,
      missing: value(() => $json.a.b.c), mail: "x a@b.de y".extractEmail() }));
    const { $input, $node, $now } = n8n(input, options);
    return { each, sum: $input.all().map((one) => one.json.n).sum(), first: $node["Get All"].json.n,
      now: $now.isValid, holds: [n8n.holds("3", "gt", 2), n8n.holds("Ab", "equals", "aB", { caseSensitive: false })],
      list: n8n.toList([{ json: { a: 1 } }, { b: 2 }, 3]), set: n8n.set({ a: { b: 1 } }, "a.c", 2) };`;
  expect(await evaluate(source, scope)).toEqual({
    each: [
      { n: 1, same: 1, yes: 1, at: 0, mail: "a@b.de" },
      { n: 2, same: 2, yes: 1, at: 1, mail: "a@b.de" },
    ],
    sum: 3,
    first: 1,
    now: true,
    holds: [true, true],
    list: [{ a: 1 }, { b: 2 }, { data: 3 }],
    set: { a: { b: 1, c: 2 } },
  });
});

test("a script that names nothing of it has nothing of it", async () => {
  const names = ["luxon", "Buffer", "jmespath", "lists"].map((name) =>
    JSON.stringify(name.split("").toReversed().join("")),
  );
  expect(
    await evaluate(
      `return [${names.join()}].map((one) => one.split("").toReversed().join("") in globalThis);`,
    ),
  ).toEqual([false, false, false, false]);
});

test("statements of n8n quote names and take values as parameters; texts are cut where they can be", async () => {
  const evil = `x" ; drop table t; --`;
  expect(
    await evaluate(
      `return [n8n.sqlInsert("postgres", { schema: "s", table: input, row: { [input]: input }, keys: [input] }),
         n8n.sqlUpdate("postgres", { schema: "", table: "t", row: { id: 1, [input]: { a: input } }, keys: ["id"] }),
         n8n.sqlSelect("postgres", { table: "t", conditions: [{ column: input, value: input }], limit: "5" }),
         n8n.sqlQuery("mysql", "select $2, $1", "a, b"),
         n8n.splitText("p1 aa bb\\n\\np2 cc dd ee ff gg", 12, 4)];`,
      evil,
    ),
  ).toEqual([
    {
      sql: `INSERT INTO "s"."x"" ; drop table t; --" ("x"" ; drop table t; --") VALUES ($1) ON CONFLICT ("x"" ; drop table t; --") DO NOTHING RETURNING *`,
      params: [evil],
    },
    {
      sql: `UPDATE "t" SET "x"" ; drop table t; --" = $1 WHERE "id" = $2 RETURNING *`,
      params: [JSON.stringify({ a: evil }), 1],
    },
    { sql: `SELECT * FROM "t" WHERE "x"" ; drop table t; --" = $1 LIMIT 5`, params: [evil] },
    { sql: "select ?, ?", params: ["b", "a"] },
    ["p1 aa bb", "p2 cc dd ee", "ee ff gg"],
  ]);
});
