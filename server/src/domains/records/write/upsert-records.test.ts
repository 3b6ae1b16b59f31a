import { describe, expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";
import { type FilledTable, createFilledTable, rowsOf, eventDataOf } from "../testing/records.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);

describe("an upsert", () => {
  const columns = [
    { name: "email", type: "text", unique: true },
    { name: "name", type: "text", required: true },
    { name: "level", type: "integer", default: 1 },
    { name: "code", type: "integer", unique: true },
    { name: "tags", type: "multi_enum", options: { values: ["a", "b"] } },
  ];
  const upsert = (table: FilledTable, records: object[], key = "email") =>
    owner(`PUT ${table.path}/bulk`, { key, records });

  test("creates missing records and updates existing ones", async () => {
    const table = await createFilledTable(world, owner, { columns }, []);
    await owner(`POST ${table.path}/bulk`, {
      records: [
        { email: "a", name: "Ada", level: 5, tags: ["a"] },
        { email: "b", name: "Bo" },
        { email: "c", name: "Cy" },
      ],
    });
    const answer = await upsert(table, [
      { email: "d", name: "Di", tags: ["b", "a"] },
      { email: "a", name: "Ada L.", tags: [] },
      { email: "b", name: "Bo" },
      { email: "c", level: 9 },
    ]);
    expect(answer).toMatchObject({
      status: 200,
      body: { data: { created: 1, updated: 2, unchanged: 1 } },
      events: ["record.updated", "record.updated", "record.created"],
    });
    const { records } = answer.body.data;
    expect(records).toMatchObject([
      { email: "d", name: "Di", level: 1, tags: ["b", "a"] },
      { email: "a", name: "Ada L.", level: 5, tags: [] },
      { email: "b", name: "Bo", level: 1, tags: null },
      { email: "c", name: "Cy", level: 9, tags: null },
    ]);
    const { body } = await owner(`GET ${table.path}?sort=email`);
    const byEmail = records.toSorted((a: any, b: any) => (a.email < b.email ? -1 : 1));
    expect(body.data).toMatchObject(byEmail);
    const told = await eventDataOf(world, answer.headers["x-request-id"] ?? "");
    expect(told.map(({ changes }) => changes)).toEqual([["name", "tags"], ["level"], undefined]);
    const again = await upsert(table, [{ email: "b", name: "Bo" }]);
    expect(again).toMatchObject({ body: { data: { unchanged: 1 } }, events: [] });
  });

  test("writes all or none, and reports each error with its path", async () => {
    const table = await createFilledTable(world, owner, { columns }, []);
    await owner(`POST ${table.path}`, { email: "a", name: "Ada", code: 1 });
    const faults = async (records: object[], key = "email") => {
      const { status, body, events } = await upsert(table, records, key);
      expect(events).toEqual([]);
      return [status, ...(body.errors?.map((fault: any) => fault.path) ?? [])];
    };
    const good = { email: "b", name: "Bo" };
    expect(await faults([good, { name: "x" }, { email: 7 }, good])).toEqual([
      422,
      "/records/1/email",
      "/records/2/email",
      "/records/3/email",
    ]);
    expect(await faults([good, { email: "a", name: null }])).toEqual([422, "/records/1/name"]);
    expect(await faults([{ email: "c" }, { email: "a", level: 2 }])).toEqual([
      422,
      "/records/0/name",
    ]);
    expect(await faults([{ email: "c", name: "Cy", code: 1 }])).toEqual([409, "/records/0/code"]);
    expect(await faults([good], "name")).toEqual([422, "/key"]);
    expect(await faults([good], "colour")).toEqual([422, "/key"]);
    expect(await rowsOf(world, table)).toMatchObject([{ email: "a", level: "1", revision: 1 }]);
  });

  test("creates one record per key under concurrency", async () => {
    const table = await createFilledTable(world, owner, { columns }, []);
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, index) => {
        const records = ["k", "l", "m"].map((email) => ({ email, name: `by ${index}` }));
        return upsert(table, index % 2 ? records : records.toReversed());
      }),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const created = answers.reduce((sum, { body }) => sum + body.data.created, 0);
    const updated = answers.reduce((sum, { body }) => sum + body.data.updated, 0);
    expect([created, updated]).toEqual([3, 45]);
    const rows = await rowsOf(world, table);
    expect(rows.map(({ email, revision }) => [email, revision]).toSorted()).toEqual([
      ["k", 16],
      ["l", 16],
      ["m", 16],
    ]);
    const told = answers.flatMap(({ events }) => events);
    expect(told.filter((type) => type === "record.created")).toHaveLength(3);
    expect(told).toHaveLength(48);
  });
});
