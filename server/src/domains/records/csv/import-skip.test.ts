import { describe, expect, test } from "vitest";
import { type Ask, useWorld } from "#kernel/testing/world.ts";
import { created, createFilledTable, importCsv, valuesIn } from "../testing/records.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);

const imported = (path: string, csv: string, query?: Record<string, string>, ask: Ask = owner) =>
  importCsv(ask, path, csv, query);
const all = (path: string, fields: readonly string[]) => valuesIn(owner, path, fields);

describe("an import into a table whose records differ in several fields together", () => {
  const indexes = [
    { columns: ["number", "count", "createdBy"], unique: true, name: "numbered" },
    { columns: ["count", "note"], unique: true },
  ];
  const several = [
    { name: "key", type: "text", unique: true },
    { name: "number", type: "text" },
    { name: "count", type: "integer" },
    { name: "note", type: "text" },
  ];
  const openTable = () => createFilledTable(world, owner, { columns: several, indexes }, []);
  const shown = ["number", "count", "note"];
  // The maximum length, with content that PostgreSQL cannot compress.
  const long = Array.from({ length: 250 }, () => crypto.randomUUID()).join("");

  test("skips duplicate rows", async () => {
    const { path } = await openTable();
    await imported(path, "number,count\nA,1\n");
    const csv = "number,count,note\nB,1,\nA,1,\nA,2,x\nA,,\nA,,\nC,2,x\nB,1,\nD,4,\n";
    const answer = await imported(path, csv, { onError: "skip" });
    expect([answer.status, answer.events]).toEqual([200, created(5)]);
    const { errors, ...counts } = answer.body.data;
    expect(counts).toEqual({ imported: 5, updated: 0, unchanged: 0, skipped: 3 });
    expect(errors.map((fault: { path: string }) => fault.path)).toEqual([
      "line 3/number",
      "line 3/count",
      "line 3/createdBy",
      "line 8/number",
      "line 8/count",
      "line 8/createdBy",
      "line 7/count",
      "line 7/note",
    ]);
    expect(await all(path, shown)).toEqual([
      ["A", 1, null],
      ["B", 1, null],
      ["A", 2, "x"],
      ["A", null, null],
      ["A", null, null],
      ["D", 4, null],
    ]);
    expect(await imported(path, csv)).toMatchObject({ status: 409, events: [] });
  });

  test("skips rows that are too long for the unique index", async () => {
    const { path } = await openTable();
    const lines = Array.from({ length: 40 }, (_, index) =>
      [7, 8, 31].includes(index) ? `N-${index},${index},${long}` : `N-${index},${index},x`,
    );
    const csv = `number,count,note\n${lines.join("\n")}\n`;
    expect(await imported(path, csv)).toMatchObject({
      status: 422,
      body: { errors: [{ path: "line 9" }, { path: "line 10" }, { path: "line 33" }] },
      events: [],
    });
    const answer = await imported(path, csv, { onError: "skip" });
    expect(answer.events).toEqual(created(37));
    const { errors, ...counts } = answer.body.data;
    expect(counts).toEqual({ imported: 37, updated: 0, unchanged: 0, skipped: 3 });
    expect(errors.map((fault: { path: string }) => fault.path)).toEqual([
      "line 9",
      "line 10",
      "line 33",
    ]);
  });

  test("also skips duplicates of existing records", async () => {
    const { path } = await openTable();
    const first = Array.from({ length: 9 }, (_, index) => `K-${index},${index},x\n`).join("");
    await imported(path, `key,count,note\n${first}`);
    const csv = `key,count,note\nK-1,1,y\nK-2,2,${long}\nK-3,4,x\nK-5,5,z\nK-10,10,x\nK-11,11,${long}\n`;
    const answer = await imported(path, csv, { onError: "skip", key: "key" });
    expect(answer.status).toBe(200);
    const { errors, ...counts } = answer.body.data;
    expect(counts).toEqual({ imported: 1, updated: 2, unchanged: 0, skipped: 3 });
    expect(errors.map((fault: { path: string }) => fault.path).toSorted()).toEqual([
      "line 3",
      "line 4/count",
      "line 4/note",
      "line 7",
    ]);
    expect((await all(path, ["key", "count", "note"])).slice(1, 6)).toEqual([
      ["K-1", 1, "y"],
      ["K-2", 2, "x"],
      ["K-3", 3, "x"],
      ["K-4", 4, "x"],
      ["K-5", 5, "z"],
    ]);
  });
});
