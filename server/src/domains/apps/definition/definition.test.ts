import { Compile } from "typebox/schema";
import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";
import { aDefinition, followed, makeApp } from "../testing/apps.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);

const lastEvent = async (headers = {}): Promise<any> =>
  (await owner("GET /api/v1/audit?limit=1", undefined, headers)).body.data[0];
const SOURCE = { name: "orders", kind: "table", config: { table: "orders" } };
const COLUMNS = [{ field: "name", label: "Name" }];

test("creates, reads, changes and archives an app, and each event contains the entire app", async () => {
  const draft = aDefinition({
    slug: undefined,
    name: "Größe & Höhe 7",
    theme: { accent: "#AA3300" },
    dataSources: [SOURCE],
  });
  const made = await owner("POST /api/v1/apps", draft);
  expect(made).toMatchObject({ status: 201, events: ["app.created"], headers: { etag: '"1"' } });
  const app = made.body.data;
  expect(app).toMatchObject({
    slug: "gro-e-hohe-7",
    status: "active",
    theme: { accent: "#AA3300" },
    pages: [{ id: expect.stringMatching(/^pag_/), path: "/" }],
    dataSources: [{ id: expect.stringMatching(/^dsr_/), ...SOURCE }],
    environments: { production: null, staging: null, development: null },
  });
  const { createdBy: _, createdAt: __, updatedAt: ___, environments: ____, ...data } = app;
  expect((await lastEvent()).data).toEqual(data);
  expect((await owner(`GET /api/v1/apps/${app.id}`)).body).toEqual(made.body);

  const renamed = await owner(`PATCH /api/v1/apps/${app.id}`, { name: "Sizes" });
  expect(renamed).toMatchObject({ status: 200, events: ["app.updated"], headers: { etag: '"2"' } });
  expect((await lastEvent()).data).toEqual({
    before: data,
    after: { ...data, name: "Sizes" },
    changes: ["name"],
  });
  const same = await owner(`PATCH /api/v1/apps/${app.id}`, { name: "Sizes" });
  expect(same).toMatchObject({ status: 200, events: [], headers: { etag: '"2"' } });
  // A complete list keeps items with their ids, and deletes items it omits.
  const [page] = app.pages;
  const two = [
    { path: "help", title: "Help", components: [] },
    { ...page, title: "All" },
  ];
  const { body } = await owner(`PATCH /api/v1/apps/${app.id}`, { pages: two, dataSources: [] });
  expect(body.data).toMatchObject({
    dataSources: [],
    pages: [{ path: "/help" }, { id: page.id, title: "All" }],
  });
  const foreign = { pages: [{ ...page, id: "pag_01jd0000000000000000000000" }] };
  expect(await owner(`PATCH /api/v1/apps/${app.id}`, foreign)).toMatchObject({
    status: 422,
    body: { errors: [{ path: "/pages/0/id" }] },
    events: [],
  });

  const listed = await owner(`GET /api/v1/apps?filter={"slug":"${app.slug}"}&count=exact`);
  expect(listed.body).toMatchObject({
    data: [{ id: app.id, name: "Sizes" }],
    pagination: { total: 1 },
  });
  expect(listed.body.data[0].pages).toBeUndefined();
  expect(await owner("POST /api/v1/apps", { name: "Other", slug: app.slug })).toMatchObject({
    status: 409,
    body: { code: "app_slug_taken" },
    events: [],
  });
  expect(await owner(`DELETE /api/v1/apps/${app.id}`)).toMatchObject({
    status: 204,
    events: ["app.archived"],
  });
  for (const route of [`DELETE /api/v1/apps/${app.id}`, `POST /api/v1/apps/${app.id}/deploy`]) {
    expect(await owner(route)).toMatchObject({
      status: 409,
      body: { code: "app_archived" },
      events: [],
    });
  }
  expect((await owner("POST /api/v1/apps", { name: "Other", slug: app.slug })).status).toBe(201);
});

test("pages and data sources can be changed individually, and are validated with the entire app", async () => {
  const { id } = await makeApp(owner, { pages: [], dataSources: [] });
  const at = `/api/v1/apps/${id}`;
  const table = { type: "table", dataSource: "orders", columns: COLUMNS };
  const page = { path: "list", title: "List", components: [table] };
  expect(await owner(`POST ${at}/pages`, page)).toMatchObject({
    status: 422,
    body: { errors: [{ path: "/components/0/dataSource" }] },
    events: [],
  });
  const added = await owner(`POST ${at}/data-sources`, SOURCE);
  expect(added).toMatchObject({ status: 201, events: ["app.updated"], body: { data: SOURCE } });
  const made = await owner(`POST ${at}/pages`, page);
  expect(made).toMatchObject({
    status: 201,
    events: ["app.updated"],
    body: { data: { path: "/list" } },
  });
  expect((await owner(`GET ${at}/pages/${made.body.data.id}`)).body).toEqual(made.body);
  const source = `${at}/data-sources/${added.body.data.id}`;
  for (const attempt of [owner(`DELETE ${source}`), owner(`PATCH ${source}`, { name: "others" })]) {
    expect(await attempt).toMatchObject({
      status: 422,
      body: { errors: [{ path: "/pages/0/components/0/dataSource" }] },
      events: [],
    });
  }
  expect(await owner(`PATCH ${source}`, { config: { table: "orders", limit: 0 } })).toMatchObject({
    status: 422,
    body: { errors: [{ path: "/config/limit" }] },
  });
  expect(await owner(`PATCH ${at}/pages/${made.body.data.id}`, { components: [] })).toMatchObject({
    status: 200,
    events: ["app.updated"],
  });
  expect(await owner(`DELETE ${source}`)).toMatchObject({ status: 204, events: ["app.updated"] });
  const stale = await owner(`DELETE ${at}/pages/${made.body.data.id}`, undefined, {
    "if-match": '"1"',
  });
  expect(stale).toMatchObject({ status: 412, events: [] });
  expect(await owner(`DELETE ${at}/pages/${made.body.data.id}`)).toMatchObject({
    status: 204,
    events: ["app.updated"],
  });
  expect((await owner(`GET ${at}/pages`)).body.data).toEqual([]);
  expect((await owner(`GET ${at}/data-sources`)).body.data).toEqual([]);
});

test("reports all errors of a definition with their paths", async () => {
  const table = { type: "table", dataSource: "orders", columns: COLUMNS };
  const go = (action: object) => ({ type: "button", label: "Go", action });
  const nested = (depth: number): object =>
    depth === 0
      ? { type: "text", text: "x" }
      : { type: "modal", title: "x", openLabel: "x", components: [nested(depth - 1)] };
  const wrong: [unknown, string, number?][] = [
    [{ type: "marquee" }, "/type"],
    [{ type: "__proto__" }, "/type"],
    ["text", ""],
    [{ type: "text" }, "/text"],
    [{ type: "tabs", tabs: [null] }, "/tabs/0"],
    [{ type: "columns", columns: "x" }, "/columns"],
    [{ ...table, rowActions: [null, 1] }, "/rowActions/0"],
    [{ type: "form", fields: [null], submit: null }, "/fields/0"],
    [{ type: "modal", title: "x", openLabel: "x", components: {} }, "/components"],
    [{ type: "text", text: "x", onclick: "alert(1)" }, "/onclick"],
    [{ type: "text", text: "Hello {{ user. }}" }, "/text", 15],
    [{ type: "text", text: "{{ secrets.KEY }}" }, "/text"],
    [{ type: "text", text: "{{ data.others.name }}" }, "/text"],
    [{ type: "text", text: "x", visible: "{{ 1 + }}" }, "/visible", 7],
    [{ ...table, dataSource: "others" }, "/dataSource"],
    [{ ...table, columns: [] }, "/columns"],
    [
      { ...table, rowActions: [{ label: "x", action: { type: "explode" } }] },
      "/rowActions/0/action/type",
    ],
    [{ type: "chart", dataSource: "orders", kind: "round", x: "a", y: "b" }, "/kind"],
    [
      { type: "form", fields: [{ name: "a" }, { name: "a" }], submit: { type: "refresh" } },
      "/fields/1/name",
    ],
    [
      { type: "form", fields: [{ name: "a", input: "select" }], submit: { type: "refresh" } },
      "/fields/0/options",
    ],
    [
      { type: "tabs", tabs: [{ title: "x", components: [{ type: "text" }] }] },
      "/tabs/0/components/0/text",
    ],
    [go({ type: "create_record" }), "/action/table"],
    [go({ type: "create_record", table: "{{ params.table }}" }), "/action/table"],
    [go({ type: "create_record", table: "orders", values: { a: "{{ ( }}" } }), "/action/values/a"],
    [go({ type: "navigate" }), "/action"],
    [go({ type: "navigate", page: "/nowhere" }), "/action/page"],
    [go({ type: "navigate", path: "https://evil.example" }), "/action/path"],
    [go({ type: "navigate", path: "//evil.example" }), "/action/path"],
    [go({ type: "refresh", sources: ["others"] }), "/action/sources/0"],
    [
      go(followed({ type: "refresh" }, followed({ type: "refresh" }, { type: "no" }))),
      "/action/then/0/then/0/type",
    ],
    [
      nested(9),
      "/components/0/components/0/components/0/components/0/components/0/components/0/components/0/components",
    ],
  ];
  for (const [component, path, position] of wrong) {
    const pages = [{ path: "/", title: "x", components: [component] }];
    const answer = await owner("POST /api/v1/apps", aDefinition({ dataSources: [SOURCE], pages }));
    expect(answer, JSON.stringify(component)).toMatchObject({ status: 422, events: [] });
    const [error] = answer.body.errors;
    expect(error.path, JSON.stringify(component)).toBe(`/pages/0/components/0${path}`);
    if (position !== undefined) expect(error.position).toBe(position);
  }
  const twice = { id: "a", type: "text", text: "x" };
  const pages = [
    {
      path: "/",
      title: "x",
      components: [twice, { type: "modal", title: "x", openLabel: "x", components: [twice] }],
    },
    { path: "", title: "y", components: [] },
  ];
  const sources = [
    SOURCE,
    SOURCE,
    { name: "bad", kind: "query", config: { queryId: "x", params: ["{{ data.orders }}"] } },
  ];
  const { body } = await owner("POST /api/v1/apps", aDefinition({ pages, dataSources: sources }));
  expect(body.errors.map(({ path }: any) => path).toSorted()).toEqual([
    "/dataSources/1/name",
    "/dataSources/2/config/params/0",
    "/dataSources/2/config/queryId",
    "/pages/0/components/1/components/0/id",
    "/pages/1/path",
  ]);
  const many = [
    {
      path: "/",
      title: "x",
      components: Array.from({ length: 300 }, () => ({
        type: "columns",
        columns: [{ components: [{ type: "text", text: "x" }] }],
      })),
    },
  ];
  expect((await owner("POST /api/v1/apps", aDefinition({ pages: many }))).status).toBe(422);
  const long = [
    {
      path: "/",
      title: "x",
      components: Array.from({ length: 30 }, () => ({ type: "text", text: "x".repeat(9_999) })),
    },
  ];
  expect((await owner("POST /api/v1/apps", aDefinition({ pages: long }))).status).toBe(422);
});

test("the published schema accepts valid definitions and rejects invalid ones", async () => {
  const { body } = await owner("GET /api/v1/apps/schema");
  const schema = Compile(body.data);
  const check = (value: unknown): boolean => schema.Check(value);
  const form = {
    type: "form",
    fields: [{ name: "a", input: "number" }],
    submit: followed({ type: "create_record", table: "orders" }, { type: "refresh" }),
  };
  const good = [
    { type: "columns", columns: [{ width: 6, components: [form] }] },
    {
      type: "tabs",
      tabs: [
        { title: "x", components: [{ type: "table", dataSource: "orders", columns: COLUMNS }] },
      ],
    },
    { type: "button", label: "x", action: { type: "navigate", page: "/" } },
  ];
  expect(check(good)).toBe(true);
  const pages = [{ path: "/", title: "x", components: good }];
  expect(
    (await owner("POST /api/v1/apps", aDefinition({ pages, dataSources: [SOURCE] }))).status,
  ).toBe(201);
  for (const bad of [
    { type: "marquee" },
    { type: "text" },
    { ...form, submit: { type: "no" } },
    { type: "modal", title: "x", openLabel: "x", components: [{}] },
  ]) {
    expect(check([bad]), JSON.stringify(bad)).toBe(false);
  }
});
