import { afterAll, expect, test } from "vitest";
import { Sandbox } from "#kernel/sandbox/sandbox.ts";
import { run } from "#kernel/sandbox/testing/scripts.ts";

import { n8nLibrary } from "./script-library.ts";

const sandbox = new Sandbox({ waitMs: 120_000, libraries: [n8nLibrary] });
afterAll(() => sandbox.close());

const evaluate = async (source: string, input: unknown = null) => {
  const { output, error } = await run(sandbox, source, { input });
  expect(error).toBeNull();
  return output;
};

test("n8n code finds its names: items, other nodes, and methods of strings and arrays", async () => {
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

test("n8n statements quote names and use parameters; texts are split at separators", async () => {
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
