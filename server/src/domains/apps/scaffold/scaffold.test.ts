import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";
import { browser, deploy, makeApp, tableOf } from "../testing/apps.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);

const columns = [
  { name: "title", title: "What it is", type: "text", required: true },
  { name: "employee", title: "Employee", type: "user" },
  { name: "approver", title: "Approver", type: "reference", options: { table: "users" } },
  { name: "extra", title: "Extra data", type: "json" },
  { name: "tags", title: "Tags", type: "multi_enum", options: { values: ["a", "b"] } },
  { name: "number", title: "No.", type: "autonumber" },
];
const table = await tableOf(owner, columns, []);

const openApp = async (more: object) => {
  const app = await makeApp(owner, more);
  await deploy(owner, app.id);
  const by = browser(world, owner.token);
  const { components } = (await by(`POST /apps/default/${app.slug}/_state`, { page: "/" })).body
    .data;
  const act = (body: object) =>
    by(`POST /apps/default/${app.slug}/_act`, { page: "/", action: "/submit", ...body });
  return { components, act };
};

test("a generated app selects users by name and reports columns missing from the form", async () => {
  const { data } = (await owner("POST /api/v1/apps/scaffold", { table })).body;
  expect(data.leftOut).toEqual([
    { column: "extra", title: "Extra data", reason: "Forms do not support JSON." },
    { column: "tags", title: "Tags", reason: "Forms do not support selecting several values." },
  ]);
  const { pages, dataSources } = data;
  const { components, act } = await openApp({ pages, dataSources });
  const [modal] = components;
  const [form] = modal.components;
  const inputs = form.fields.map(({ label, input }: any) => [label, input]);
  expect(inputs).toEqual([
    ["What it is", "text"],
    ["Employee", "select"],
    ["Approver", "select"],
  ]);
  const me = (await owner("GET /api/v1/auth/me")).body.data.user;
  for (const field of form.fields.slice(1)) {
    expect(field.options).toContainEqual({ value: me.id, label: me.name });
  }
  const values = { title: "Laptop", employee: me.id, approver: me.id };
  const sent = await act({ componentId: form.id, values });
  expect([sent.status, sent.events]).toEqual([200, ["record.created", "app.action_performed"]]);
  const records = (await owner(`GET /api/v1/tables/${table}/records`)).body.data;
  expect(records).toMatchObject([values]);
});

test("components without labels show the titles of columns", async () => {
  const { components, act } = await openApp({
    dataSources: [{ name: "things", kind: "table", config: { table } }],
    pages: [
      {
        path: "/",
        title: "Home",
        components: [
          {
            type: "table",
            dataSource: "things",
            columns: [{ field: "title" }, { field: "number" }, { field: "id" }],
          },
          { type: "detail", dataSource: "things", fields: [{ field: "title" }] },
          {
            type: "form",
            fields: [{ name: "title" }, { name: "number", label: "Own label" }],
            submit: { type: "create_record", table },
          },
        ],
      },
    ],
  });
  const labels = components.map(({ columns: shown, fields }: any) =>
    (shown ?? fields).map(({ label }: any) => label),
  );
  expect(labels).toEqual([
    ["What it is", "No.", "ID"],
    ["What it is"],
    ["What it is", "Own label"],
  ]);
  const { id: componentId } = components[2];
  const refused = await act({ componentId, values: { title: "x".repeat(10_001) } });
  expect(JSON.stringify(refused.body)).toContain("What it is must");
});
