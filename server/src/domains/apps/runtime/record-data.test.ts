import { expect, test } from "vitest";
import { type Ask, useWorld } from "#kernel/testing/world.ts";
import { browser, deployedApp, tableOf } from "../testing/apps.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);

const page = (...components: object[]) => [{ path: "/", title: "Things", components }];

function state(by: Ask, slug: string) {
  return by(`POST /apps/default/${slug}/_state`, { page: "/" });
}

function act(by: Ask, slug: string, body: object) {
  return by(`POST /apps/default/${slug}/_act`, { page: "/", ...body });
}

test("numbers are computed over all records, and a number from partial data is marked", async () => {
  const values = Array.from({ length: 205 }, (_, at) => ({
    size: 2,
    kind: at < 3 ? "few" : "many",
  }));
  const many = await tableOf(
    owner,
    [
      { name: "size", type: "integer" },
      { name: "kind", type: "text" },
    ],
    values,
  );
  await owner(`POST /api/v1/tables/${many}/records`, { kind: "few" });
  const aggregates = [
    { fn: "count", as: "rows" },
    { fn: "sum", field: "size", as: "total" },
  ];
  const { slug } = await deployedApp(owner, {
    dataSources: [
      { name: "all", kind: "table", config: { table: many } },
      { name: "ten", kind: "table", config: { table: many, limit: 10 } },
      { name: "totals", kind: "aggregate", config: { table: many, aggregates } },
      {
        name: "kinds",
        kind: "aggregate",
        config: { table: many, filter: { size: 2 }, groupBy: ["kind"], sort: "kind" },
      },
    ],
    pages: page(
      { id: "some", type: "stat", label: "Rows", value: "{{ $count(data.all) }}" },
      { id: "chosen", type: "stat", label: "Rows", value: "{{ $count(data.ten) }}" },
      { id: "rows", type: "stat", label: "Rows", value: "{{ data.totals.rows }}" },
      { id: "total", type: "stat", label: "Total", value: "{{ data.totals.total }}" },
      { id: "kinds", type: "chart", kind: "bar", dataSource: "kinds", x: "kind", y: "count" },
      { id: "points", type: "chart", kind: "bar", dataSource: "all", x: "kind", y: "size" },
    ),
  });
  // A member may read records, and no reports.
  const member = await world.member(["member"]);
  const { components } = (await state(browser(world, member.token), slug)).body.data;
  expect(components).toMatchObject([
    { id: "some", value: 200, notice: "Only the first 200 of 206 records." },
    { id: "chosen", value: 10 },
    { id: "rows", value: 206 },
    { id: "total", value: 410 },
    {
      id: "kinds",
      figure: {
        kind: "bars",
        bars: [
          { label: "few", mark: { value: 3 } },
          { label: "many", mark: { value: 202 } },
        ],
      },
    },
    { id: "points", notice: "Shows only the first 100 of 200 values." },
  ]);
  expect(components.filter((one: object) => "notice" in one)).toHaveLength(2);
});

test("a form omits empty fields, so that defaults apply; an update clears them", async () => {
  const parcels = await tableOf(
    owner,
    [
      { name: "name", type: "text", required: true },
      { name: "status", type: "text", default: "open" },
      { name: "size", type: "integer" },
    ],
    [{ name: "Old", size: 3 }],
  );
  const { slug } = await deployedApp(owner, {
    dataSources: [{ name: "old", kind: "table", config: { table: parcels, limit: 1 } }],
    pages: page(
      ...[undefined, { name: "{{ inputs.name }}", status: "{{ inputs.status }}" }].map(
        (values, at) => ({
          id: `add${at}`,
          type: "form",
          fields: [
            { name: "name", required: true },
            { name: "status" },
            { name: "size", input: "number" },
          ],
          submit: { type: "create_record", table: parcels, ...(values && { values }) },
        }),
      ),
      {
        id: "change",
        type: "form",
        dataSource: "old",
        fields: [{ name: "name" }, { name: "size", input: "number" }],
        submit: { type: "update_record", table: parcels, id: "{{ data.old[0].id }}" },
      },
    ),
  });
  const by = browser(world, owner.token);
  const send = (componentId: string, values: object) =>
    act(by, slug, { componentId, action: "/submit", values });
  const records = async () =>
    (await owner(`GET /api/v1/tables/${parcels}/records?sort=createdAt`)).body.data;
  expect(await send("change", { name: "Old", size: "" })).toMatchObject({
    events: ["record.updated", "app.action_performed"],
  });
  for (const id of ["add0", "add1"]) {
    expect(await send(id, { name: id, status: "", size: "" })).toMatchObject({
      events: ["record.created", "app.action_performed"],
    });
  }
  expect(await records()).toMatchObject([
    { name: "Old", size: null },
    { name: "add0", status: "open", size: null },
    { name: "add1", status: "open", size: null },
  ]);
});
