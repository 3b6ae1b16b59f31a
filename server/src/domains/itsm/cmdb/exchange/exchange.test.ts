import { expect, test } from "vitest";
import { type Ask, useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();

const IMPORT = "POST /api/v1/cmdb/import";
const NONE = { created: 0, unchanged: 0, skipped: 0 };

/** An agent in a separate workspace. */
async function agent(slug: string): Promise<Ask> {
  return world.member(["agent"], await world.workspace(slug));
}

async function itemsOf(ask: Ask): Promise<any[]> {
  return (await ask("GET /api/v1/cmdb/items?sort=key&limit=200")).body.data;
}

function csv(ask: Ask, text: string, query = "") {
  return ask(`${IMPORT}${query}`, text, { "content-type": "text/csv" });
}

test("imports create and update items by key, and repeated imports make no changes", async () => {
  const ask = await agent("import-json");
  const body = {
    format: "json",
    class: "server",
    items: [
      { key: "web-1", name: "web-1", attributes: { os: "linux", cpus: 4 } },
      { key: "web-2", name: "web-2", status: "planned" },
      { key: "web-1", class: "application", name: "Web" },
    ],
    relationships: [
      { from: { class: "application", key: "web-1" }, to: { key: "web-1" }, type: "hosted_on" },
      { from: { class: "application", key: "web-1" }, to: { key: "web-2" }, type: "hosted_on" },
    ],
  };
  const first = await ask(IMPORT, body);
  expect(first.body.data).toEqual({
    created: 3,
    updated: 0,
    unchanged: 0,
    skipped: 0,
    relationships: { created: 2, unchanged: 0, skipped: 0 },
    errors: [],
  });
  expect(first.events).toEqual([
    ...Array.from({ length: 3 }, () => "cmdb_item.created"),
    ...Array.from({ length: 2 }, () => "cmdb_relationship.created"),
  ]);
  const second = await ask(IMPORT, body);
  expect(second).toMatchObject({ status: 200, events: [] });
  expect(second.body.data).toMatchObject({ unchanged: 3, relationships: { unchanged: 2 } });

  const items = [
    { key: "web-1", attributes: { cpus: 8, os: null } },
    { key: "web-2", name: "web-2" },
    { key: "web-3", name: "web-3" },
  ];
  const third = await ask(IMPORT, { class: "server", items });
  expect(third.events).toEqual(["cmdb_item.created", "cmdb_item.updated"]);
  expect(third.body.data).toMatchObject({ created: 1, updated: 1, unchanged: 1 });
  const all = await itemsOf(ask);
  expect(all.find((one) => one.key === "web-1" && one.class === "server")).toMatchObject({
    name: "web-1",
    attributes: { cpus: 8 },
  });
  const { revision: _, ...changed } = all.find(
    (one) => one.key === "web-1" && one.class === "server",
  );
  const history = (await ask(`GET /api/v1/cmdb/items/${changed.id}/history`)).body.data;
  expect(history).toMatchObject([
    { type: "cmdb_item.updated", data: { changes: ["attributes"], after: changed } },
    { type: "cmdb_item.created" },
  ]);
});

test("a CSV file can contain quotes, line breaks and blanks, and an export can be imported", async () => {
  const ask = await agent("import-csv");
  const attributes = { serial: { type: "string" }, cpus: { type: "integer" }, note: {} };
  await ask("POST /api/v1/cmdb/classes", { name: "machine", attributes });
  const text =
    "\uFEFFkey,name,class,description,attributes.serial,attributes.cpus,attributes.note\r\n" +
    'a,"Comma, ""quoted""",machine,"two\r\nlines",007,8,"[1,2]"\r\n' +
    "\r\n" +
    "b,=1+1,machine,,12,,12\n" +
    "c,Ünïcödé,server,,x,,\n";
  const first = await csv(ask, text);
  expect(first.body.data ?? first.body).toMatchObject({ created: 3, errors: [] });
  expect(first.events).toHaveLength(3);
  const items = await itemsOf(ask);
  expect(items).toMatchObject([
    {
      key: "a",
      name: 'Comma, "quoted"',
      description: "two\r\nlines",
      attributes: { serial: "007", cpus: 8, note: [1, 2] },
    },
    { key: "b", name: "=1+1", attributes: { serial: "12", note: 12 } },
    { key: "c", class: "server", attributes: { serial: "x" } },
  ]);
  expect(items[1].attributes).toEqual({ serial: "12", note: 12 });
  expect(await csv(ask, text)).toMatchObject({ events: [], body: { data: { unchanged: 3 } } });

  const exported = await ask("GET /api/v1/cmdb/items/export");
  expect(exported.headers["content-type"]).toMatch(/^text\/csv/);
  expect(await csv(ask, exported.body)).toMatchObject({
    status: 200,
    events: [],
    body: { data: { unchanged: 3, skipped: 0 } },
  });
  const elsewhere = await agent("import-elsewhere");
  await elsewhere("POST /api/v1/cmdb/classes", { name: "machine", attributes });
  expect((await csv(elsewhere, exported.body)).body.data).toMatchObject({ created: 3 });
  const bare = ({ id: _, createdBy: __, createdAt: ___, updatedAt: ____, ...rest }: any) => rest;
  expect((await itemsOf(elsewhere)).map(bare)).toEqual(items.map(bare));

  expect(exported.body).toContain("'=1+1");
  const raw = await ask("GET /api/v1/cmdb/items/export?formulas=raw&class=machine");
  expect(raw.body).toContain("=1+1");
  expect(raw.body).not.toMatch(/'=1\+1|Ünïcödé/);
  const json = await ask("GET /api/v1/cmdb/items/export?format=json");
  expect(json.body).toHaveLength(3);
  expect(await ask(IMPORT, { items: json.body })).toMatchObject({
    events: [],
    body: { data: { unchanged: 3 } },
  });
});

const BAD = [
  "key,name,status,attributes.cpus",
  "good,Good,active,4",
  ",No key,active,4",
  "status,Bad status,asleep,4",
  "good,Twice,active,4",
  "nameless,,active,4",
  "cpus,Bad cpus,active,many",
  "more,More,active,4,5",
  "last,Last,retired,2",
].join("\n");

test("an import is atomic, or skips invalid rows and reports them by line", async () => {
  const ask = await agent("import-bad");
  const attributes = { cpus: { type: "integer" } };
  await ask("POST /api/v1/cmdb/classes", { name: "machine", attributes });
  const refused = await csv(ask, BAD, "?class=machine");
  expect(refused).toMatchObject({ status: 422, events: [] });
  expect(refused.body.errors.map(({ path }: any) => path)).toEqual([
    "line 3/key",
    "line 4/status",
    "line 5/key",
    "line 8",
  ]);
  expect(await itemsOf(ask)).toEqual([]);

  const dry = await csv(ask, BAD, "?class=machine&onError=skip&dryRun=true");
  expect(dry).toMatchObject({
    status: 200,
    events: [],
    body: { data: { created: 2, skipped: 6 } },
  });
  expect(await itemsOf(ask)).toEqual([]);

  const skipped = await csv(ask, BAD, "?class=machine&onError=skip");
  expect(skipped.events).toEqual(["cmdb_item.created", "cmdb_item.created"]);
  expect(skipped.body.data).toMatchObject({ created: 2, updated: 0, unchanged: 0, skipped: 6 });
  expect(skipped.body.data.errors.map(({ path }: any) => path)).toEqual([
    "line 3/key",
    "line 4/status",
    "line 5/key",
    "line 8",
    "line 6/name",
    "line 7/attributes/cpus",
  ]);
  expect((await itemsOf(ask)).map(({ key }) => key)).toEqual(["good", "last"]);
});

test("errors name their position, and nothing is written", async () => {
  const ask = await agent("import-errors");
  const body = (more: object) => ({ class: "server", items: [{ key: "a", name: "A" }], ...more });
  const tie = { from: { key: "a" }, to: { key: "a" }, type: "uses" };
  const wrong: [unknown, string][] = [
    [body({ items: [{ key: "a", name: "A", surplus: 1 }] }), "/items/0/surplus"],
    [body({ items: [{ key: "a", name: "A", class: "nothing" }] }), "/items/0/class"],
    [{ items: [{ key: "a", name: "A" }] }, "/items/0/class"],
    [
      body({ items: [{ key: "a", name: "A", ownerId: "usr_00000000000000000000000000" }] }),
      "/items/0/ownerId",
    ],
    [body({ relationships: [tie] }), "/relationships/0/to"],
    [body({ relationships: [{ ...tie, to: { key: "b" } }] }), "/relationships/0/to"],
    [body({ relationships: [{ ...tie, to: 7 }] }), "/relationships/0/to"],
    [body({ relationships: [{ ...tie, type: "likes" }] }), "/relationships/0/type"],
    [
      body({ relationships: [{ ...tie, from: "ci_00000000000000000000000000" }] }),
      "/relationships/0/from",
    ],
    [body({ csv: "key\na" }), "/csv"],
    [{ format: "csv" }, "/csv"],
    [{}, "/items"],
    [{ csv: "key,colour\na,red" }, "line 1/colour"],
    [{ csv: "key,key\na,b" }, "line 1/key"],
    [{ csv: 'key,name\n"a,b' }, "line 2"],
    [{ class: "server", csv: "key,name,attributes\na,A,[1]" }, "line 2/attributes"],
  ];
  for (const [given, path] of wrong) {
    const answer = await ask(IMPORT, given);
    expect([answer.status, answer.body.errors?.[0]?.path], JSON.stringify(given)).toEqual([
      422,
      path,
    ]);
    expect(answer.events).toEqual([]);
  }
  expect(await itemsOf(ask)).toEqual([]);
  const mixed = body({
    onError: "skip",
    relationships: [tie, { ...tie, to: { key: "b" } }, { from: 1, to: 2, type: "x" }],
  });
  const skipped = await ask(IMPORT, mixed);
  expect(skipped.events).toEqual(["cmdb_item.created"]);
  expect(skipped.body.data).toMatchObject({
    created: 1,
    relationships: { ...NONE, skipped: 3 },
  });
  expect(skipped.body.data.errors).toHaveLength(5);
});

test("two concurrent imports of the same items create each once", async () => {
  const ask = await agent("import-twice");
  const items = Array.from({ length: 50 }, (_, n) => ({ key: `k${n}`, name: `Item ${n}` }));
  const answers = await Promise.all([1, 2, 3].map(() => ask(IMPORT, { class: "server", items })));
  expect(answers.map(({ body }) => body.data.created).toSorted()).toEqual([0, 0, 50]);
  expect(answers.map(({ events }) => events.length).toSorted()).toEqual([0, 0, 50]);
  expect(await itemsOf(ask)).toHaveLength(50);
});

test("an export contains all items, page by page", async () => {
  const ask = await agent("export-long");
  const items = Array.from({ length: 1_201 }, (_, n) => ({
    key: `k${n}`,
    name: `Item ${n}`,
    attributes: { n },
  }));
  expect((await ask(IMPORT, { class: "server", items })).body.data.created).toBe(1_201);
  const { body } = await ask("GET /api/v1/cmdb/items/export?format=json");
  expect(new Set(body.map(({ key }: any) => key)).size).toBe(1_201);
  expect(body).toHaveLength(1_201);
  const empty = await ask("GET /api/v1/cmdb/items/export?format=json&status=retired");
  expect(empty.body).toEqual([]);
});
