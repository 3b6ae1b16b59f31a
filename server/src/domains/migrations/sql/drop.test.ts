import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";
import { migrationWorkspace } from "../testing/workspace.ts";

const world = await useWorld();

test("an index created by SQL can be dropped by the name that PostgreSQL gives it", async () => {
  const { owner, applied } = await migrationWorkspace(world);
  await owner("POST /api/v1/tables", {
    name: "T",
    columns: ["a", "b"].map((name) => ({ name, type: "text" })),
  });
  const shown = async () => {
    const { columns, indexes } = (await owner("GET /api/v1/tables/t")).body.data;
    return [indexes.length, ...columns.map((one: { unique: boolean }) => one.unique)];
  };
  await applied([
    "create unique index on t (a); create unique index on t (a, b); create index on t (a, b)",
  ]);
  expect(await shown()).toEqual([2, true, false]);
  await applied(["drop index t_a_idx; drop index t_a_b_idx"]);
  expect((await owner("GET /api/v1/tables/t")).body.data.indexes).toMatchObject([{ unique: true }]);
  await applied(["drop index t_a_b_idx"]);
  expect(await shown()).toEqual([0, false, false]);
});
