import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";
import { migrationWorkspace } from "./testing/workspace.ts";

const world = await useWorld();

const LIST = { type: "multi_enum", options: { values: ["x", "y", "y;z"] } };

test.each<[from: Record<string, unknown>, to: object, values: unknown[]]>([
  [{ type: "autonumber", unique: true, options: { start: 7 } }, { type: "text" }, [7, 8]],
  [{ type: "autonumber" }, { type: "decimal" }, [1, 2]],
  [{ type: "autonumber" }, { type: "json" }, [1, 2]],
  [{ type: "autonumber" }, { type: "enum", options: { values: ["1", "2"] } }, [1, 2]],
  [LIST, { type: "text" }, [["x", "y"], ["y;z"], ["y", "y;z"], []]],
  [LIST, { type: "json", indexed: true }, [["x", "y"], ["y;z"], []]],
])("%j that became %j has its values again when that is rolled back", async (from, to, values) => {
  const { owner, applied, rollBack, dumpTables: everything } = await migrationWorkspace(world);
  await owner("POST /api/v1/tables", { name: "T", columns: [{ name: "c", ...from }] });
  const generated = from["type"] === "autonumber";
  const insert = (value: unknown) =>
    owner("POST /api/v1/tables/t/records", generated ? {} : { c: value });
  for (const value of values) expect(await insert(value)).toMatchObject({ status: 201 });
  const shown = async () => {
    const { body } = await owner("GET /api/v1/tables/t/records?sort=createdAt");
    return body.data.map(({ c }: { c: unknown }) => c);
  };
  const before = await everything();
  const id = await applied([{ op: "alter_column", table: "t", column: "c", change: to }]);
  expect((await owner("GET /api/v1/tables/t")).body.data.columns).toMatchObject([to]);
  expect(await rollBack(id)).toMatchObject({
    status: 200,
    events: ["table.updated", "migration.rolled_back"],
  });
  expect(await shown()).toEqual(values);
  expect(await everything()).toEqual(before);
  if (generated) {
    await insert(undefined);
    expect(await shown()).toEqual([...values, Number(values.at(-1)) + 1]);
  }
});

test("a reference converted to JSON and back refers to the same record", async () => {
  const { owner, applied, rollBack } = await migrationWorkspace(world);
  const options = { table: "t", onDelete: "cascade" };
  await owner("POST /api/v1/tables", {
    name: "T",
    columns: [{ name: "c", type: "reference", options }],
  });
  const { id: first } = (await owner("POST /api/v1/tables/t/records", {})).body.data;
  const { id: second } = (await owner("POST /api/v1/tables/t/records", { c: first })).body.data;
  const retyped = [
    { op: "alter_column", table: "t", column: "c", change: { type: "json", indexed: false } },
  ];
  expect(await rollBack(await applied(retyped))).toMatchObject({ status: 200 });
  expect((await owner("GET /api/v1/tables/t")).body.data.columns).toMatchObject([
    { options, indexed: true },
  ]);
  expect((await owner(`GET /api/v1/tables/t/records/${second}`)).body.data).toMatchObject({
    c: first,
  });
});
