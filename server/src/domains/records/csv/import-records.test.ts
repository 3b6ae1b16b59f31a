import { describe, expect, test } from "vitest";
import { type Ask, useWorld } from "#kernel/testing/world.ts";
import { created, createFilledTable, importCsv, valuesIn } from "../testing/records.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);

const imported = (path: string, csv: string, query?: Record<string, string>, ask: Ask = owner) =>
  importCsv(ask, path, csv, query);
const all = (path: string, fields: readonly string[]) => valuesIn(owner, path, fields);

describe("an import", () => {
  const columns = [
    { name: "number", type: "text", required: true, unique: true },
    { name: "count", type: "integer", default: 7 },
    {
      name: "state",
      type: "enum",
      required: true,
      default: "new",
      options: { values: ["new", "old"] },
    },
    { name: "note", type: "text" },
  ];
  const fields = ["number", "count", "state", "note"];
  const fresh = () => createFilledTable(world, owner, { columns }, []);

  test("creates one record and one event per row", async () => {
    const { path, slug } = await fresh();
    const csv =
      '\ufeffnumber,state,note,count\r\nA-1,old,"two\r\nlines",3\n\nA-2,,"",\r\n" A 3 ",new,,"12"';
    const answer = await imported(path, csv);
    expect(answer).toMatchObject({ status: 200, events: created(3) });
    expect(answer.body).toEqual({
      data: { imported: 3, updated: 0, unchanged: 0, skipped: 0, errors: [] },
    });
    expect(await all(path, fields)).toEqual([
      ["A-1", 3, "old", "two\r\nlines"],
      ["A-2", null, "new", ""],
      [" A 3 ", 12, "new", null],
    ]);
    const [event] = await world.sql(
      "select data from events where type = 'record.created' and data ->> 'tableSlug' = $1 and data ->> 'number' = 'A-1'",
      [slug],
    );
    expect(event.data).toMatchObject({ count: 3, createdBy: owner.userId });
  });

  test("uses the default for a missing column", async () => {
    const { path } = await fresh();
    expect((await imported(path, "number\nA-1\n")).body.data.imported).toBe(1);
    expect(await all(path, fields)).toEqual([["A-1", 7, "new", null]]);
  });

  test("accepts JSON with the text", async () => {
    const { path } = await fresh();
    const answer = await owner(`POST ${path}/import`, { csv: "number\nA-1\n" });
    expect(answer).toMatchObject({ status: 200, events: created(1) });
  });

  test("writes nothing if a row is invalid, and reports the row", async () => {
    const { path } = await fresh();
    const csv =
      'number,count,state\nA-1,1,new\nA-2,x,lost\n,2,old\nA-3,1\n"A\n4",1,new\nA-5,1.5,new\n';
    const answer = await imported(path, csv);
    expect([answer.status, answer.body.code, answer.events]).toEqual([422, "invalid", []]);
    expect(answer.body.errors.map((fault: { path: string }) => fault.path)).toEqual([
      "line 3/count",
      "line 3/state",
      "line 4/number",
      "line 5",
      "line 8/count",
    ]);
    expect(await all(path, fields)).toEqual([]);
  });

  test("also reports errors that only the database detects", async () => {
    const { path } = await fresh();
    await imported(path, "number\nA-1\n");
    const answer = await imported(path, "number\nA-0\nA-1\nA-2\nA-2\n");
    expect([answer.status, answer.body.code, answer.events]).toEqual([
      409,
      "record_not_unique",
      [],
    ]);
    expect(answer.body.errors.map((fault: { path: string }) => fault.path)).toEqual([
      "line 3/number",
      "line 5/number",
    ]);
    expect(await all(path, ["number"])).toEqual([["A-1"]]);
  });

  test("skips invalid rows with the option to skip", async () => {
    const { path } = await fresh();
    await imported(path, "number\nA-1\n");
    const csv = "number,count\nA-0,1\nA-1,1\nA-2,x\nA-2,1\nA-2,2\nA-3,3\n";
    const answer = await imported(path, csv, { onError: "skip" });
    expect([answer.status, answer.events]).toEqual([200, created(3)]);
    const { errors, ...counts } = answer.body.data;
    expect(counts).toEqual({ imported: 3, updated: 0, unchanged: 0, skipped: 3 });
    expect(errors.map((fault: { path: string }) => fault.path)).toEqual([
      "line 4/count",
      "line 3/number",
      "line 6/number",
    ]);
    expect(await all(path, ["number", "count"])).toEqual([
      ["A-1", 7],
      ["A-0", 1],
      ["A-2", 1],
      ["A-3", 3],
    ]);
  });

  test("updates existing records, found by a key", async () => {
    const { path } = await fresh();
    await imported(path, "number,count,note\nA-1,1,one\nA-2,2,two\nA-3,3,three\n");
    const csv = "number,note,state\nA-2,second,\nA-4,four,old\nA-3,three,\n";
    const answer = await imported(path, csv, { key: "number" });
    expect(answer.body).toEqual({
      data: { imported: 1, updated: 1, unchanged: 1, skipped: 0, errors: [] },
    });
    expect(answer.events.toSorted()).toEqual(["record.created", "record.updated"]);
    expect(await all(path, fields)).toEqual([
      ["A-1", 1, "new", "one"],
      ["A-2", 2, "new", "second"],
      ["A-3", 3, "new", "three"],
      ["A-4", 7, "old", "four"],
    ]);
    const twice = await imported(path, "number\nA-9\n\nA-9\n", { key: "number" });
    expect(twice.body.errors).toMatchObject([{ path: "line 4/number" }]);
    const other = await imported(path, "number\nA-9\n", { key: "count" });
    expect(other.body.errors).toMatchObject([{ path: "?key" }]);
  });

  test("a dry run only reports the result", async () => {
    const { path } = await fresh();
    await imported(path, "number\nA-1\n");
    const csv = "number,count\nA-1,2\nA-2,3\n";
    const skipping = await imported(path, csv, { dryRun: "true", onError: "skip" });
    expect(skipping).toMatchObject({ status: 200, events: [] });
    expect(skipping.body.data).toMatchObject({ imported: 1, skipped: 1 });
    const keyed = await imported(path, csv, { dryRun: "true", key: "number" });
    expect(keyed.events).toEqual([]);
    expect(keyed.body.data).toMatchObject({ imported: 1, updated: 1 });
    expect(await imported(path, csv, { dryRun: "true" })).toMatchObject({
      status: 409,
      events: [],
    });
    expect(await imported(path, "number\nA-1\n", { dryRun: "true" })).toMatchObject({
      status: 409,
    });
    expect(await all(path, ["number", "count"])).toEqual([["A-1", 7]]);
  });

  test("rejects an invalid file", async () => {
    const { path } = await fresh();
    const faultOf = async (csv: string) => {
      const { status, body } = await imported(path, csv);
      return [status, body.errors?.[0]?.path];
    };
    expect(await faultOf("number,nothing\nA-1,1\n")).toEqual([422, "line 1/nothing"]);
    expect(await faultOf("number,number\n")).toEqual([422, "line 1/number"]);
    expect(await faultOf('number\nA-1\n"A-2\n')).toEqual([422, "line 3"]);
    expect(await faultOf('number,note\nA-1,a"b"\n')).toEqual([422, "line 2"]);
    expect(await faultOf("\n\n")).toEqual([422, "line 1"]);
    expect(await faultOf("number\nA\0\n")).toEqual([422, ""]);
    const { status } = await owner(`POST ${path}/import`, "number\n", {
      "content-type": "text/plain",
    });
    expect(status).toBe(415);
    const elsewhere = await owner(`POST ${path}`, "number\n", { "content-type": "text/csv" });
    expect(elsewhere.status).toBe(415);
    const none = await imported(path, "number\n");
    expect(none).toMatchObject({ status: 200, body: { data: { imported: 0 } }, events: [] });
  });

  test("is limited by access rules", async () => {
    const agent = await world.member(["agent"]);
    const rules = [
      {
        roles: ["agent"],
        actions: ["create"],
        where: { state: "new" },
        fields: ["number", "state"],
      },
    ];
    const { path } = await createFilledTable(world, owner, { columns, rules }, []);
    const csv = "number,state\nA-1,new\nA-2,old\n";
    expect(await imported(path, csv, {}, agent)).toMatchObject({ status: 403, events: [] });
    const skipping = await imported(path, csv, { onError: "skip" }, agent);
    expect(skipping).toMatchObject({ status: 200, events: created(1) });
    expect(skipping.body.data.errors).toMatchObject([{ path: "line 3" }]);
    const field = await imported(path, "number,note\nA-3,x\n", {}, agent);
    expect(field.body).toMatchObject({
      code: "record_forbidden",
      errors: [{ path: "line 2/note" }],
    });
  });

  test("imports all batches in one transaction", async () => {
    const { path, place } = await fresh();
    const lines = Array.from({ length: 2_500 }, (_, index) => `A-${index},${index}\n`).join("");
    const answer = await imported(path, `number,count\n${lines}`);
    expect(answer.body.data.imported).toBe(2_500);
    expect(answer.events).toEqual(created(2_500));
    expect(await world.sql(`select sum(count)::int as sum from ${place}`)).toEqual([
      { sum: (2_499 * 2_500) / 2 },
    ]);
    const again = await imported(path, `number,count\nB-1,1\n${lines}`);
    expect(again).toMatchObject({ status: 409, events: [] });
    expect(await world.sql(`select count(*)::int as count from ${place}`)).toEqual([
      { count: 2_500 },
    ]);
  });
});
