import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Ask, startWorld, type World } from "#kernel/testing/world.ts";
import { schemaIn, tableOf } from "./testing.ts";

const MIGRATION = join(import.meta.dirname, "../../../../migrations/0034_checks.sql");

let world: World;
let owner: Ask;
beforeAll(async () => {
  world = await startWorld();
  owner = await world.member(["owner"]);
});
afterAll(() => world[Symbol.asyncDispose]());

const COLUMNS = [
  { name: "words", type: "text" },
  { name: "short", type: "text", options: { maxLength: 5 } },
  { name: "found", type: "text", indexed: true },
  { name: "code", type: "text", unique: true },
  { name: "whole", type: "integer" },
  { name: "low", type: "integer", options: { max: 9 } },
  { name: "exact", type: "decimal" },
  { name: "money", type: "decimal", options: { scale: 2 } },
  { name: "day", type: "date" },
  { name: "moment", type: "timestamp" },
  { name: "data", type: "json" },
  { name: "person", type: "reference", options: { table: "users" } },
  { name: "one", type: "enum", options: { values: ["a"] } },
  { name: "some", type: "multi_enum", options: { values: ["a"] } },
];
const GUARDED = ["code", "found", "low", "money", "one", "short", "some"];

test("tables of before lose the checks that tables of today do not have, and no other", async () => {
  const slug = await tableOf(owner, COLUMNS);
  const place = `${schemaIn(world.home)}.${slug}`;
  const checked = async () =>
    (
      await world.sql(
        `select a.attname as name from pg_constraint o
           join pg_attribute a on a.attrelid = o.conrelid and o.conkey = array[a.attnum]
          where o.conrelid = $1::regclass and o.contype = 'c' order by 1`,
        [place],
      )
    ).map(({ name }) => name as string);
  expect(await checked()).toEqual(GUARDED);
  const others = COLUMNS.map(({ name }) => name).filter((name) => !GUARDED.includes(name));
  for (const name of others) {
    await world.sql(
      `alter table ${place} add constraint "Check_of_${name}" check (${name}::text <> '-')`,
    );
  }
  await world.sql(readFileSync(MIGRATION, "utf8"));
  expect(await checked()).toEqual(GUARDED);
});
