import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";
import { type FilledTable, createFilledTable } from "../testing/records.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);

const TITLE = { name: "title", type: "text" };
const refer = (name: string, { slug }: { slug: string }, onDelete: string) => ({
  name,
  type: "reference",
  options: { table: slug, onDelete },
});

const table = (...columns: object[]) =>
  createFilledTable(world, owner, { columns: [TITLE, ...columns] }, []);

const put = async (to: FilledTable, fields: object): Promise<string> => {
  const { status, body } = await owner(`POST ${to.path}`, fields);
  expect(body.errors ?? status).toBe(201);
  return body.data.id;
};

const titlesIn = async ({ place }: FilledTable): Promise<string[]> =>
  (await world.sql(`select title from ${place} order by title`)).map(({ title }) => title);

/** The events of a request in order. */
async function toldBy({ headers }: { headers: Record<string, string> }): Promise<string[]> {
  const rows = await world.sql(
    "select type, data from events where request_id = $1 order by epoch, xid, seq",
    [headers["x-request-id"]],
  );
  return rows.map(({ type, data }) =>
    type === "record.updated"
      ? `${data.after.title} loses ${data.changes.join()}`
      : `${type.slice("record.".length)} ${data.title}`,
  );
}

test("rejects the deletion of a referenced record if the column restricts it", async () => {
  const customers = await table();
  const orders = await table(refer("customer", customers, "restrict"));
  const ada = await put(customers, { title: "Ada" });
  const order = await put(orders, { title: "order", customer: ada });
  const refused = {
    status: 409,
    body: {
      code: "record_referenced",
      detail: `Records of the table ${orders.slug} refer to this record.`,
    },
    events: [],
  };
  expect(await owner(`DELETE ${customers.path}/${ada}`)).toMatchObject(refused);
  expect(await owner(`DELETE ${customers.path}/bulk?filter={}`)).toMatchObject(refused);
  await owner(`DELETE ${orders.path}/${order}`);
  const answer = await owner(`DELETE ${customers.path}/${ada}`);
  expect(answer).toMatchObject({ status: 204, events: ["record.deleted"] });
});

test("a record with a restricting reference to itself cannot be deleted", async () => {
  const people = await table();
  await owner(`PATCH /api/v1/tables/${people.slug}`, {
    addColumns: [refer("boss", people, "restrict")],
  });
  const ada = await put(people, { title: "Ada" });
  const bo = await put(people, { title: "Bo", boss: ada });
  expect(await owner(`DELETE ${people.path}/${ada}`)).toMatchObject({
    status: 409,
    body: { code: "record_referenced" },
  });
  expect((await owner(`DELETE ${people.path}/${bo}`)).status).toBe(204);
  expect((await owner(`DELETE ${people.path}/${ada}`)).status).toBe(204);
});

test("cascading deletions emit events, starting with the outermost record", async () => {
  const customers = await table();
  const orders = await table(refer("customer", customers, "cascade"));
  const lines = await table(refer("order", orders, "cascade"));
  const notes = await table(refer("about", orders, "set_null"), refer("by", customers, "set_null"));
  const [ada, bo] = [await put(customers, { title: "Ada" }), await put(customers, { title: "Bo" })];
  const one = await put(orders, { title: "order 1", customer: ada });
  const two = await put(orders, { title: "order 2", customer: ada });
  const other = await put(orders, { title: "order 3", customer: bo });
  await put(lines, { title: "line 1", order: one });
  await put(lines, { title: "line 2", order: two });
  await put(lines, { title: "line 3", order: other });
  const note = await put(notes, { title: "note 1", about: one, by: ada });
  await put(notes, { title: "note 2", by: ada });
  await put(notes, { title: "note 3", about: other, by: bo });
  const answer = await owner(`DELETE ${customers.path}/${ada}`);
  expect(answer.status).toBe(204);
  expect(await toldBy(answer)).toEqual([
    "note 1 loses about,by",
    "note 2 loses by",
    "deleted line 1",
    "deleted line 2",
    "deleted order 1",
    "deleted order 2",
    "deleted Ada",
  ]);
  expect(await titlesIn(customers)).toEqual(["Bo"]);
  expect(await titlesIn(orders)).toEqual(["order 3"]);
  expect(await titlesIn(lines)).toEqual(["line 3"]);
  const left = await owner(`GET ${notes.path}/${note}`);
  expect(left.body.data).toMatchObject({ title: "note 1", about: null, by: null });
  expect(left.headers["etag"]).toBe('"2"');
});

test("reference cycles are handled", async () => {
  const people = await table();
  await owner(`PATCH /api/v1/tables/${people.slug}`, {
    addColumns: [refer("boss", people, "cascade"), refer("friend", people, "set_null")],
  });
  const ada = await put(people, { title: "Ada" });
  const bo = await put(people, { title: "Bo", boss: ada });
  const cy = await put(people, { title: "Cy", boss: bo, friend: ada });
  await put(people, { title: "Di", friend: cy });
  await owner(`PATCH ${people.path}/${ada}`, { boss: cy, friend: ada });
  const answer = await owner(`DELETE ${people.path}/${bo}`);
  expect(answer.status).toBe(204);
  expect(await toldBy(answer)).toEqual([
    "Di loses friend",
    "deleted Ada",
    "deleted Cy",
    "deleted Bo",
  ]);
  expect(await titlesIn(people)).toEqual(["Di"]);
});

test("a record that is deleted by the cascade does not block the deletion", async () => {
  const customers = await table();
  const orders = await table(refer("customer", customers, "cascade"));
  const lines = await table(
    refer("customer", customers, "cascade"),
    refer("order", orders, "restrict"),
  );
  const ada = await put(customers, { title: "Ada" });
  const order = await put(orders, { title: "order", customer: ada });
  await put(lines, { title: "line", customer: ada, order });
  const answer = await owner(`DELETE ${customers.path}/${ada}`);
  expect(await toldBy(answer)).toEqual(["deleted line", "deleted order", "deleted Ada"]);
});

test("cascades do not depend on the order of table names", async () => {
  const customers = await table();
  const [first, second] = [await table(), await table()];
  const add = ({ slug }: FilledTable, ...columns: object[]) =>
    owner(`PATCH /api/v1/tables/${slug}`, { addColumns: columns });
  for (const [orders, lines] of [
    [first, second],
    [second, first],
  ] as const) {
    await add(orders, refer("customer", customers, "cascade"));
    await add(lines, refer("buyer", customers, "cascade"), refer("order", orders, "restrict"));
    const ada = await put(customers, { title: "Ada" });
    const order = await put(orders, { title: "order", customer: ada });
    await put(lines, { title: "line", buyer: ada, order });
    const answer = await owner(`DELETE ${customers.path}/${ada}`);
    expect(answer.body?.detail ?? answer.status).toBe(204);
    expect((await toldBy(answer)).toSorted()).toEqual([
      "deleted Ada",
      "deleted line",
      "deleted order",
    ]);
    for (const each of [customers, orders, lines]) expect(await titlesIn(each)).toEqual([]);
    await owner(`PATCH /api/v1/tables/${lines.slug}`, { dropColumns: ["buyer", "order"] });
    await owner(`PATCH /api/v1/tables/${orders.slug}`, { dropColumns: ["customer"] });
  }
});

test("deletes two records that refer to each other if one reference cascades", async () => {
  const teams = await table();
  const leads = await table(refer("team", teams, "cascade"));
  await owner(`PATCH /api/v1/tables/${teams.slug}`, {
    addColumns: [refer("lead", leads, "restrict")],
  });
  const team = await put(teams, { title: "team" });
  const lead = await put(leads, { title: "lead", team });
  await owner(`PATCH ${teams.path}/${team}`, { lead });
  const kept = await put(teams, { title: "other team", lead });
  const refused = await owner(`DELETE ${teams.path}/${team}`);
  expect(refused).toMatchObject({
    status: 409,
    body: {
      code: "record_referenced",
      detail: `Records of the table ${teams.slug} refer to this record.`,
    },
    events: [],
  });
  await owner(`PATCH ${teams.path}/${kept}`, { lead: null });
  const answer = await owner(`DELETE ${teams.path}/${team}`);
  expect(await toldBy(answer)).toEqual(["deleted lead", "deleted team"]);
  expect(await titlesIn(teams)).toEqual(["other team"]);
  expect(await titlesIn(leads)).toEqual([]);
});

test("deletes nothing if one record is protected", async () => {
  const customers = await table();
  const orders = await table(refer("customer", customers, "cascade"));
  const lines = await table(refer("order", orders, "restrict"));
  const ada = await put(customers, { title: "Ada" });
  const order = await put(orders, { title: "order", customer: ada });
  await put(lines, { title: "line", order });
  expect(await owner(`DELETE ${customers.path}/${ada}`)).toMatchObject({
    status: 409,
    body: { code: "record_referenced" },
    events: [],
  });
  expect(await titlesIn(orders)).toEqual(["order"]);
});

test("rejects a deletion with ten thousand dependents", async () => {
  const customers = await table();
  const orders = await table(refer("customer", customers, "cascade"));
  const ada = await put(customers, { title: "Ada" });
  await world.sql(
    `insert into ${orders.place} (customer) select $1 from generate_series(1, 10001)`,
    [ada],
  );
  expect(await owner(`DELETE ${customers.path}/${ada}`)).toMatchObject({
    status: 409,
    body: { code: "too_many_dependants" },
    events: [],
  });
});

test("a reference added during a deletion is deleted with the record or rejected", async () => {
  const customers = await table();
  const orders = await table(refer("customer", customers, "cascade"));
  const ada = await put(customers, { title: "Ada" });
  const answers = await Promise.all([
    ...Array.from({ length: 6 }, (_, index) =>
      owner(`POST ${orders.path}`, { title: `order ${index}`, customer: ada }),
    ),
    owner(`DELETE ${customers.path}/${ada}`),
  ]);
  const made = answers.slice(0, -1).filter(({ status }) => status === 201);
  const [deletion] = answers.slice(-1);
  expect(deletion?.events).toHaveLength(made.length + 1);
  for (const { status, body } of answers.slice(0, -1)) {
    expect(body.errors?.[0]?.path ?? status).toBe(status === 201 ? 201 : "/customer");
  }
  expect(await titlesIn(orders)).toEqual([]);
});

test("record history is complete, even after deletion", async () => {
  const customers = await table();
  const ada = await put(customers, { title: "Ada" });
  const place = `${customers.path}/${ada}`;
  await owner(`PATCH ${place}`, { title: "Ada L." });
  await owner(`PATCH ${place}`, { title: "Ada L." });
  await owner(`PATCH ${place}`, { title: null });
  const types = ({ body }: { body: any }) => body.data.map(({ type }: { type: string }) => type);
  const all = ["record.updated", "record.updated", "record.created"];
  const now = await owner(`GET ${place}/history`);
  expect(types(now)).toEqual(all);
  expect(now.body.data[1]).toMatchObject({
    resource: { type: "record", id: ada, displayName: "Ada L." },
    actor: { id: owner.userId },
    data: { before: { title: "Ada" }, after: { title: "Ada L." }, changes: ["title"] },
  });
  await owner(`DELETE ${place}`);
  const later = await owner(`GET ${place}/history`);
  expect(types(later)).toEqual(["record.deleted", ...all]);
  const first = await owner(`GET ${place}/history?limit=3`);
  const { nextCursor } = first.body.pagination;
  const rest = await owner(`GET ${place}/history?limit=3&after=${nextCursor}`);
  expect([...types(first), ...types(rest)]).toEqual(["record.deleted", ...all]);
  expect(rest.body.pagination).toEqual({ nextCursor: null, hasMore: false, limit: 3 });
  const strange = `${customers.path}/rec_${"0".repeat(26)}/history`;
  expect((await owner(`GET ${strange}`)).status).toBe(404);
  expect((await owner(`GET ${place}/history?after=evt_1`)).status).toBe(422);
  const elsewhere = await table();
  expect((await owner(`GET ${elsewhere.path}/${ada}/history`)).status).toBe(404);
});

test("a record without log events has an empty history", async () => {
  const { path, ids } = await createFilledTable(world, owner, { columns: [TITLE] }, [
    { title: "silent" },
  ]);
  const answer = await owner(`GET ${path}/${ids[0]}/history`);
  expect(answer).toMatchObject({ status: 200, body: { data: [] } });
});
