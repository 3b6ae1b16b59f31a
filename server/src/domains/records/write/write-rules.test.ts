import { describe, expect, test } from "vitest";
import { startNode, send } from "#domains/bus/testing/node.ts";
import { type Ask, until, useWorld } from "#kernel/testing/world.ts";
import { type FilledTable, createFilledTable, recordId } from "../testing/records.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);
const agent = await world.member(["agent"]);

describe("a change that waited for another one", () => {
  const columns = Array.from({ length: 6 }, (_, index) => ({ name: `f${index}`, type: "text" }));

  /** The response to a request that began before another statement on the record was committed. */
  async function after(statement: string, ask: () => ReturnType<Ask>): ReturnType<Ask> {
    const partition = { workspace: world.home, environment: "production" } as const;
    let answer: ReturnType<Ask> | undefined;
    await world.kernel.db.write(partition, async (session) => {
      await session.send(statement, []);
      answer = ask();
      await until(async () => {
        const waiting = await world.sql(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        );
        return waiting.length > 0;
      });
    });
    return answer ?? ask();
  }

  /** Fills the cache of statements per set of fields, so that the generic statement is used. */
  async function useManySets({ path, ids }: FilledTable): Promise<void> {
    for (let set = 1; set < 20; set += 1) {
      const named = columns.filter((_, index) => (set >> index) & 1);
      const fields = Object.fromEntries(named.map(({ name }) => [name, "x"]));
      await owner(`PATCH ${path}/${ids[0]}`, fields);
    }
  }

  test.each([
    ["of usual fields", async () => undefined],
    ["of any fields", useManySets],
  ])("%s is made upon what that left", async (_, prepare) => {
    const all = Object.fromEntries(columns.map(({ name }) => [name, "x"]));
    const table = await createFilledTable(world, owner, { columns }, [all]);
    await prepare(table);
    const id = table.ids[0];
    const change = () => owner(`PATCH ${table.path}/${id}`, { f0: "x", f5: "x" });
    const made = await after(`update ${table.place} set f0 = 'y' where id = '${id}'`, change);
    expect(made).toMatchObject({ status: 200, body: { data: all }, events: ["record.updated"] });
    expect(await world.sql(`select f0 from ${table.place}`)).toEqual([{ f0: "x" }]);
    const none = await after(
      `update ${table.place} set f1 = 'z', f0 = 'q' where id = '${id}'`,
      () => owner(`PATCH ${table.path}/${id}`, { f0: "q", f5: "x" }),
    );
    expect(none).toMatchObject({ status: 200, body: { data: { f0: "q", f1: "z" } }, events: [] });
  });
});

describe("members with access rules", () => {
  const columns = [
    { name: "title", type: "text" },
    { name: "salary", type: "integer", unique: true },
    { name: "code", type: "text", unique: true },
  ];
  const where = { title: { ne: "hidden" } };
  const rules = [
    { roles: ["agent"], actions: ["read", "update", "create"], where, fields: ["title", "code"] },
    { roles: ["agent"], actions: ["delete"], where },
  ];
  const rows = [
    { title: "seen", salary: 1, code: "a" },
    { title: "hidden", salary: 777, code: "b" },
  ];
  const make = (...more: object[]) =>
    createFilledTable(world, owner, { columns: [...columns, ...more], rules }, rows);
  const NUMBER = { name: "no", type: "autonumber" };

  /** Expects the same result for existing and missing values. */
  async function expectAlike(ask: (salary: number) => ReturnType<Ask>, expected: object) {
    const [taken, free] = [await ask(777), await ask(778)];
    expect(taken).toMatchObject({ ...expected, events: [] });
    const { requestId: _one, ...first } = taken.body;
    const { requestId: _other, ...second } = free.body;
    expect({ ...first, status: taken.status }).toEqual({ ...second, status: free.status });
  }

  const refused = (path: string) => ({
    status: 403,
    body: { code: "record_forbidden", errors: [{ path }] },
  });

  test("cannot infer hidden values by changing a field", async () => {
    const { path } = await make();
    await expectAlike(
      (salary) => agent(`PATCH ${path}/${recordId(1)}`, { salary }),
      refused("/salary"),
    );
    await expectAlike(
      (salary) => agent(`PATCH ${path}/bulk`, { filter: {}, set: { salary } }),
      refused("/set/salary"),
    );
  });

  test("cannot infer hidden values by creating records, also if the table generates values", async () => {
    for (const more of [[], [NUMBER]]) {
      const { path } = await make(...more);
      const draft = { title: "new" };
      await expectAlike(
        (salary) => agent(`POST ${path}`, { ...draft, salary }),
        refused("/salary"),
      );
      await expectAlike(
        (salary) => agent(`POST ${path}/bulk`, { records: [draft, { ...draft, salary }] }),
        refused("/records/1/salary"),
      );
      // Such a record is forbidden, regardless of its other fields.
      const hidden = { title: "hidden", code: "b" };
      expect(await agent(`POST ${path}`, hidden)).toMatchObject({ ...refused(""), events: [] });
    }
  });

  test("may create records with generated values that a rule allows", async () => {
    const early = { roles: ["agent"], actions: ["create"], where: { no: { lt: 2 } } };
    const all = { columns: [...columns, NUMBER], rules: [early] };
    const { path } = await createFilledTable(world, owner, all, []);
    const draft = { title: "new" };
    expect(await agent(`POST ${path}`, draft)).toMatchObject({
      status: 201,
      events: ["record.created"],
    });
    expect(await agent(`POST ${path}`, draft)).toMatchObject({ ...refused(""), events: [] });
  });

  test("cannot infer hidden values by an upsert", async () => {
    const { path } = await make();
    const put = (key: string) => (value: unknown) =>
      agent(`PUT ${path}/bulk`, { key, records: [{ title: "new", [key]: value }] });
    await expectAlike(put("salary"), refused("/records/0/salary"));
  });

  test("no write affects a hidden record", async () => {
    const customers = await make();
    const orders = await createFilledTable(
      world,
      owner,
      {
        columns: [{ name: "by", type: "reference", options: { table: customers.slug } }],
        rules: [{ roles: ["member"], actions: ["read"] }],
      },
      [{ by: recordId(1) }, { by: recordId(2) }],
    );
    const gone = { status: 404, body: { code: "not_found" }, events: [] };
    const hidden = `${customers.path}/${recordId(2)}`;
    expect(await agent(`PATCH ${hidden}`, { code: "a" })).toMatchObject(gone);
    expect(await agent(`DELETE ${hidden}`)).toMatchObject(gone);
    // A referencing record stays as hidden as its table.
    const kept = { status: 409, body: { code: "record_referenced" }, events: [] };
    const answer = await agent(`DELETE ${customers.path}/${recordId(1)}`);
    expect(answer).toMatchObject(kept);
    // The id of a request may well hold so short a name.
    expect(JSON.stringify({ ...answer.body, requestId: "" })).not.toContain(orders.slug);
  });
});

test("no column has a name that the generated SQL uses", async () => {
  const columns = ["any", "f0", "f1", "f2", "f3", "f4"].map((name) => ({ name, type: "text" }));
  const { path, ids } = await createFilledTable(world, owner, { columns }, [{ any: "x" }]);
  for (let set = 1; set < 40; set += 1) {
    const named = columns.filter((_, index) => (set >> index) & 1);
    const fields = Object.fromEntries(named.map(({ name }) => [name, `${set}`]));
    expect(await owner(`PATCH ${path}/${ids[0]}`, fields)).toMatchObject({
      status: 200,
      body: { data: fields },
    });
  }
});

test("emits events of cascading deletions for a referencing table that another node created", async () => {
  const columns = [{ name: "title", type: "text" }];
  const customers = await createFilledTable(world, owner, { columns }, [
    { title: "Ada" },
    { title: "Bo" },
  ]);
  await using node = await startNode(world);
  const [ada, bo] = customers.ids;
  const remove = (id: string | undefined) => owner(`DELETE ${customers.path}/${id}`);
  const options = { table: customers.slug, onDelete: "cascade" };
  // This node has cached the list of tables before the other table exists.
  expect((await remove(bo)).events).toEqual(["record.deleted"]);
  const slug = "elsewhere";
  const table = { name: slug, slug, columns: [{ name: "by", type: "reference", options }] };
  await send(node.app, owner, "POST /api/v1/tables", table);
  await send(node.app, owner, `POST /api/v1/tables/${slug}/records`, { by: ada });
  expect((await remove(ada)).events).toEqual(["record.deleted", "record.deleted"]);
});
