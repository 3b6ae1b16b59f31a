import { expect, test } from "vitest";
import { type Ask, useWorld } from "#kernel/testing/world.ts";
import { browser, deploy, makeApp, tableOf } from "../testing/apps.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);

const state = (by: Ask, slug: string) => by(`POST /apps/default/${slug}/_state`, { page: "/" });
const act = (by: Ask, slug: string, body: object) =>
  by(`POST /apps/default/${slug}/_act`, { page: "/", ...body });

const columns = [
  { name: "title", type: "text", required: true },
  { name: "status", type: "enum", options: { values: ["open", "done"] } },
];

/** Rules that show done items to viewers, and open items to builders. */
const rules = [
  { roles: ["viewer"], actions: ["read"], where: { status: "done" } },
  { roles: ["builder"], actions: ["read"], where: { status: "open" } },
];

const definitionOf = (table: string, components: readonly object[]) => ({
  name: "Draft",
  pages: [{ path: "/", title: "Home", components }],
  dataSources: [{ name: "things", kind: "table", config: { table } }],
});

test("previews a draft as a role without exceeding the caller's permissions", async () => {
  const records = [
    { title: "A", status: "open" },
    { title: "B", status: "done" },
  ];
  const table = await tableOf(owner, columns, records, { rules });
  const list = { type: "table", dataSource: "things", columns: [{ field: "title" }] };
  const definition = definitionOf(table, [list]);
  const titlesAs = async (by: typeof owner, role?: string) => {
    const body = { definition, page: "/", ...(role !== undefined && { role }) };
    const { status, body: answer, events } = await by("POST /api/v1/apps/preview", body);
    expect({ status, events }).toEqual({ status: 200, events: [] });
    const [shown] = answer.data.state.components;
    return (shown.rows ?? []).map(({ cells }: { cells: unknown[] }) => cells[0]).toSorted();
  };
  expect(await titlesAs(owner)).toEqual(["A", "B"]);
  expect(await titlesAs(owner, "viewer")).toEqual(["B"]);
  const builder = await world.member(["builder"]);
  expect(await titlesAs(builder)).toEqual(["A"]);
  // A preview as a role does not show rows that only the role may see.
  expect(await titlesAs(builder, "viewer")).toEqual([]);
  expect(await titlesAs(builder, "owner")).toEqual(["A"]);
  const member = await world.member(["member"]);
  const refused = await member("POST /api/v1/apps/preview", { definition, page: "/" });
  expect(refused.status).toBe(403);
});

test("reports draft problems with paths and renders the valid parts", async () => {
  const definition = {
    ...definitionOf("nowhere", [
      { type: "text", text: "Hello {{ user.name }}" },
      { type: "table", dataSource: "gone" },
      { type: "columns", columns: [{ components: [{ type: "strange" }] }] },
    ]),
  };
  const { body } = await owner("POST /api/v1/apps/preview", { definition, page: "/" });
  const { state: page, problems, pointers } = body.data;
  expect(page.components).toMatchObject([
    { type: "text" },
    { type: "failed" },
    { type: "columns", columns: [{ components: [{ type: "failed" }] }] },
  ]);
  expect(problems.map(({ path }: { path: string }) => path)).toEqual([
    "/pages/0/components/1/dataSource",
    "/pages/0/components/2/columns/0/components/0/type",
  ]);
  expect(Object.values(pointers)).toContain("/pages/0/components/2/columns/0/components/0");
});

test("an incompletely checked draft shows only checked parts", async () => {
  const hostile = [
    { type: "constructor" },
    { type: "tabs", tabs: [5] },
    { type: "table", dataSource: "things", columns: 5 },
  ];
  const tooMany = [...Array.from({ length: 100 }, () => ({})), ...hostile];
  const tooLarge = [{ type: "text", text: "x".repeat(300_000) }, ...hostile];
  for (const components of [hostile, tooMany, tooLarge]) {
    const definition = definitionOf("nowhere", components);
    const answer = await owner("POST /api/v1/apps/preview", { definition, page: "/" });
    expect(answer.status).toBe(200);
    const { state: page, problems } = answer.body.data;
    expect(problems.length).toBeGreaterThan(0);
    const shown = page.components as { type: string }[];
    expect(shown.filter(({ type }) => type !== "failed")).toEqual([]);
  }
});

test("a generated app for a table lists records, shows names, creates, edits in place, and reports errors to builders", async () => {
  const customers = await tableOf(owner, [{ name: "name", type: "text" }], [{ name: "Ada" }]);
  const [ada] = (await owner(`GET /api/v1/tables/${customers}/records`)).body.data;
  const more = { name: "customer", type: "reference", options: { table: customers } };
  const table = await tableOf(owner, [...columns, more], [{ title: "A", customer: ada.id }]);
  const { data } = (await owner("POST /api/v1/apps/scaffold", { table })).body;
  data.pages[0].components[1].columns[0].edit = true;
  data.pages[0].components.push({ id: "bad", type: "text", text: "{{ $number('x') }}" });
  const app = await makeApp(owner, { pages: data.pages, dataSources: data.dataSources });
  await deploy(owner, app.id);
  const agent = await world.member(["agent"]);
  const by = browser(world, agent.token);
  const [modal, list, bad] = (await state(by, app.slug)).body.data.components;
  expect(list.rows[0].cells).toEqual(["A", null, "Ada"]);
  expect(bad.type).toBe("failed");
  const [form] = modal.components;
  expect(form.fields[2].options).toEqual([{ value: ada.id, label: "Ada" }]);
  const row = list.rows[0].key;
  const change = { componentId: list.id, action: "/edit", row };
  const edited = await act(by, app.slug, { ...change, values: { field: "title", value: "Z" } });
  expect(edited.events).toEqual(["record.updated", "app.action_performed"]);
  const other = { ...change, values: { field: "status", value: "done" } };
  expect((await act(by, app.slug, other)).status).toBe(403);
  const { errors } = (await owner(`GET /api/v1/apps/${app.id}/errors`)).body.data;
  expect(errors).toMatchObject([{ page: "/", componentId: "bad", count: 1 }]);
  expect((await agent(`GET /api/v1/apps/${app.id}/errors`)).status).toBe(403);
  const listed = (await owner("GET /api/v1/apps?limit=200")).body.data;
  const found = listed.find(({ id }: { id: string }) => id === app.id);
  expect(found).toMatchObject({ errors: { production: 1 }, environments: { staging: null } });
});
