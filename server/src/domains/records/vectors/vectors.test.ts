import { expect, test } from "vitest";
import { useModelService } from "#domains/agents/testing/model-service.ts";
import { createConnector } from "#domains/connectors/testing/connector.ts";
import { createFilledTable } from "#domains/records/testing/records.ts";
import { deployWorkflow, trigger, waitForRun } from "#domains/runs/testing/workflows.ts";
import { type Ask, until, useWorld } from "#kernel/testing/world.ts";

const service = await useModelService();
const world = await useWorld({ env: service.upstream.env, work: true });
const owner = await world.member(["owner"]);
const agent = await world.member(["agent"]);

const texts = [
  { name: "title", type: "text" },
  { name: "body", type: "text" },
  { name: "area", type: "enum", options: { values: ["kitchen", "money"] } },
];
const meaning = { name: "meaning", type: "embedding", options: { columns: ["title", "body"] } };
const COFFEE = {
  title: "Espresso machine",
  body: "Descale it with vinegar weekly.",
  area: "kitchen",
};
const TRAVEL = {
  title: "Trips",
  body: "Hand in receipts of hotels and trains within four weeks to get the money back.",
  area: "money",
};

async function createTable(slug: string, table: object): Promise<string> {
  const made = await owner("POST /api/v1/tables", { name: slug, slug, ...table });
  expect(made.body.errors ?? made.status).toBe(201);
  return `/api/v1/tables/${slug}`;
}

async function create(path: string, record: object): Promise<string> {
  const made = await owner(`POST ${path}/records`, record);
  expect(made.events).toEqual(["record.created"]);
  return made.body.data.id;
}

const similar = (path: string, body: object, ask: Ask = owner) =>
  ask(`POST ${path}/records/similar`, body);

async function found(path: string, body: object, ask: Ask = owner): Promise<string[]> {
  const answer = await similar(path, body, ask);
  expect(answer.body.errors ?? answer.status).toBe(200);
  expect(answer.events).toEqual([]);
  return answer.body.data.map(({ record }: any) => record.id);
}

/** Waits until all records have vectors. */
async function embedded(path: string, column = "meaning"): Promise<void> {
  await until(async () => {
    const filter = encodeURIComponent(JSON.stringify({ [column]: "pending" }));
    return (await owner(`GET ${path}/records?filter=${filter}`)).body.data.length === 0;
  });
}

const cleaning = { text: "how to clean a coffee maker" };
const refund = { text: "refund of travel expenses" };

test("records are found by the present meaning of their texts, the nearest first", async () => {
  const path = await createTable("handbook", { columns: [...texts, meaning] });
  const [coffee, travel, empty] = [
    await create(path, COFFEE),
    await create(path, TRAVEL),
    await create(path, { area: "money" }),
  ];
  await embedded(path);
  const all = (await owner(`GET ${path}/records?sort=id`)).body.data;
  expect(all.map((record: any) => record.meaning)).toEqual(["embedded", "embedded", null]);
  const near = await similar(path, { ...cleaning, fields: ["title"] });
  expect(near.body.data).toEqual([
    {
      score: expect.any(Number),
      passage: "Espresso machine Descale it with vinegar weekly.",
      record: { id: coffee, title: "Espresso machine" },
    },
    {
      score: expect.any(Number),
      passage: expect.stringContaining("Trips"),
      record: { id: travel, title: "Trips" },
    },
  ]);
  expect(near.body.data[0].score).toBeGreaterThan(near.body.data[1].score);
  expect(await found(path, { ...refund, limit: 1 })).toEqual([travel]);
  expect(await found(path, { ...refund, filter: { area: "kitchen" } })).toEqual([coffee]);
  expect(await found(path, { ...cleaning, scoreMin: near.body.data[0].score - 1e-6 })).toEqual([
    coffee,
  ]);

  // After the commit, the previous text no longer finds the record.
  await owner(`PATCH ${path}/records/${coffee}`, {
    title: "Lift",
    body: "Press the alarm and wait.",
  });
  expect(await found(path, cleaning)).not.toContain(coffee);
  await until(async () => (await found(path, { text: "stuck in the elevator" }))[0] === coffee);
  await owner(`PATCH ${path}/records/${empty}`, { body: "Bees live in the yard." });
  await until(async () => (await found(path, { text: "who makes the honey?" }))[0] === empty);
  await owner(`DELETE ${path}/records/${empty}`);
  expect(await found(path, { text: "who makes the honey?" })).not.toContain(empty);
  await until(async () => {
    const rows = await world.sql("select from record_vectors where record_id = $1", [empty]);
    return rows.length === 0;
  });
});

test("adding, renaming and dropping a column updates the vectors of existing records", async () => {
  const path = await createTable("later", { columns: texts });
  const ids = [await create(path, COFFEE), await create(path, TRAVEL)];
  await owner(`PATCH ${path}`, { addColumns: [meaning] });
  await embedded(path);
  expect(await found(path, cleaning)).toEqual(ids);
  const made = () =>
    world.sql(
      "select vectors, done from record_vectors where record_id = any($1) order by record_id",
      [ids],
    );
  const before = await made();
  const renamed = await owner(`PATCH ${path}`, {
    renameColumns: { meaning: "sense", title: "name" },
  });
  expect(renamed.body.data.columns.at(-1)).toMatchObject({
    name: "sense",
    options: { columns: ["name", "body"] },
  });
  expect(await found(path, { ...cleaning, column: "sense" })).toEqual(ids);
  expect(await made()).toEqual(before);
  await owner(`PATCH ${path}`, { dropColumns: ["sense"] });
  await until(async () => (await made()).length === 0);
  expect((await similar(path, cleaning)).body.errors[0].path).toBe("/column");
});

test("search by meaning does not return hidden records, or match hidden texts", async () => {
  const rules = [
    { roles: ["agent"], actions: ["read"], where: { area: "money" } },
    { roles: ["agent"], actions: ["read"], where: { title: "Safe" }, fields: ["title", "meaning"] },
  ];
  const path = await createTable("ruled", { columns: [...texts, meaning], rules });
  const coffee = await create(path, COFFEE);
  const travel = await create(path, TRAVEL);
  const safe = await create(path, {
    title: "Safe",
    body: "The coffee money is in the red box.",
    area: "kitchen",
  });
  await embedded(path);
  expect((await found(path, cleaning)).toSorted()).toEqual([coffee, travel, safe].toSorted());
  expect(await found(path, { text: "coffee money in a box" }, agent)).toEqual([travel]);
  const seen = (await agent(`GET ${path}/records`)).body.data;
  expect(seen.find(({ id }: any) => id === safe)).toMatchObject({ body: null, meaning: null });
});

test("client vectors are compared by angle, regardless of their length", async () => {
  const DIMENSIONS = 3;
  const path = await createTable("points", {
    columns: [
      { name: "at", type: "vector", options: { dimensions: DIMENSIONS } },
      { name: "side", type: "integer" },
    ],
  });
  const points = Array.from({ length: 60 }, (_, index) => ({
    at: [Math.sin(index * 7) * (index + 1), Math.cos(index * 3), Math.sin(index + 1)],
    side: index % 2,
  }));
  const made = await owner(`POST ${path}/records/bulk`, { records: points });
  expect(made.body.errors ?? made.status).toBe(201);
  await until(
    async () => (await found(path, { vector: [1, 0, 0], limit: 100 })).length === points.length,
  );
  const query = [0.3, -2, 5];
  const cosine = (a: readonly number[], b: readonly number[]) =>
    a.reduce((sum, one, at) => sum + one * (b[at] ?? 0), 0) / (Math.hypot(...a) * Math.hypot(...b));
  const expected = points
    .filter(({ side }) => side === 1)
    .toSorted((a, b) => cosine(query, b.at) - cosine(query, a.at))
    .slice(0, 5);
  const { body } = await similar(path, { vector: query, filter: { side: 1 }, limit: 5 });
  expect(body.data.map(({ record }: any) => record.at)).toEqual(expected.map(({ at }) => at));
  for (const [index, { at }] of expected.entries()) {
    expect(body.data[index].score).toBeCloseTo(cosine(query, at), 5);
  }
  const refused = async (asked: object) =>
    (await similar(path, asked)).body.errors.map(({ path: at }: any) => at);
  expect(await refused({ text: "north" })).toEqual(["/text"]);
  expect(await refused({})).toEqual(["/text"]);
  expect(await refused({ vector: [1, 2] })).toEqual(["/vector"]);
  expect(await refused({ vector: [0, 0, 0] })).toEqual(["/vector"]);
  expect(await refused({ vector: query, column: "side" })).toEqual(["/column"]);
  for (const at of [[1, 2], [0, 0, 0], [1, 2, "3"], "1,2,3"]) {
    const wrong = await owner(`POST ${path}/records`, { at });
    expect(wrong.body.errors).toEqual([
      { path: "/at", title: "At", message: expect.stringContaining("3 numbers") },
    ]);
  }
  const column = await owner(`PATCH ${path}`, {
    addColumns: [{ name: "x", type: "embedding", options: { columns: ["side", "gone"] } }],
  });
  expect(column.body.errors.map(({ path: at }: any) => at)).toEqual([
    "/addColumns/0/options/columns/0",
    "/addColumns/0/options/columns/1",
  ]);
});

test("records with long vectors are read in small pages, and all are compared", async () => {
  const [dimensions, count] = [4_096, 270];
  const column = { name: "at", type: "vector", options: { dimensions } };
  const { place, slug } = await createFilledTable(world, owner, { columns: [column] }, []);
  const path = `/api/v1/tables/${slug}`;
  // Inserts records without events; the event of the last record makes the job process them too.
  await world.sql(
    `with record as (
       insert into ${place} (id, at)
       select 'rec_' || lpad(n::text, 26, '0'), to_jsonb(array_fill(0, array[n]) || 1 || array_fill(0, array[$1 - 1 - n]))
         from generate_series(0, $2::int) as n returning id)
     insert into record_vectors (table_id, column_name, record_id, workspace_id, environment)
     select t.id, 'at', record.id, $3, 'production' from record, user_tables t where t.slug = $4`,
    [dimensions, count - 2, world.home, slug],
  );
  const pointTo = (at: number) => Array.from({ length: dimensions }, (_, n) => +(n === at));
  const last = await create(path, { at: pointTo(count - 1) });
  await until(async () => {
    const pending = "select from record_vectors where requested > done limit 1";
    const made = await world.sql("select from record_vectors where record_id = $1", [last]);
    return made.length === 1 && (await world.sql(pending)).length === 0;
  });
  for (const at of [0, count - 1]) {
    const { body } = await similar(path, { vector: pointTo(at), scoreMin: 0.5 });
    expect(body.data.map(({ record }: any) => record.at.indexOf(1))).toEqual([at]);
  }
});

test("agents search articles and records with the run's rights", async () => {
  const path = await createTable("manual", { columns: [...texts, meaning] });
  const coffee = await create(path, COFFEE);
  await embedded(path);
  const article = await owner("POST /api/v1/knowledge", {
    title: "Coffee",
    body: "Clean the coffee maker on Fridays.",
  });
  await owner(`POST /api/v1/knowledge/${article.body.data.id}/publish`);
  const { id: connectorId } = await createConnector(
    owner,
    "openai",
    { baseUrl: `${service.upstream.url}/v1` },
    { kind: "bearer", token: "sk-test-0123456789" },
  );
  const workflow = await deployWorkflow(owner, [
    {
      id: "bot",
      type: "agent",
      config: {
        connectorId,
        model: "gpt-4.1-mini",
        prompt: "{{ trigger.input.text }}",
        tools: [
          {
            name: "look_up",
            type: "knowledge_search",
            config: { articles: true, table: "manual" },
          },
        ],
      },
    },
  ]);
  service.say(
    { calls: [{ name: "look_up", arguments: { query: "how do I clean the coffee maker?" } }] },
    { text: "With vinegar." },
  );
  const { body } = await trigger(owner, workflow, { text: "It tastes odd." });
  const done = await waitForRun(owner, body.data.runId, ["completed", "failed"]);
  expect(done.error).toBeNull();
  const [offered] = service.asked[0].tools;
  expect(offered.function.parameters.required).toEqual(["query"]);
  const told = JSON.parse(service.asked[1].messages.at(-1).content);
  const ids = told.map(({ kind, id }: any) => `${kind} ${id}`);
  expect(ids.toSorted()).toEqual([`article ${article.body.data.id}`, `record ${coffee}`]);
  expect(told.find(({ kind }: any) => kind === "record").text).toContain("vinegar");
  const wrong = await owner("POST /api/v1/workflows", {
    name: "Wrong",
    trigger: { type: "manual" },
    nodes: [{ id: "look", type: "knowledge_search", config: { query: "x" } }],
    edges: [],
  });
  expect(wrong.body.errors[0].path).toMatch(/nodes\/0\/config\/table$/);
});
