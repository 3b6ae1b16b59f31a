import { expect, test } from "vitest";
import { useRuledTables } from "../testing/ruled-table.ts";

const { owner, agent, auditor, create, builder } = await useRuledTables();
const VIEWS = "/api/v1/table-views";

test("a view is private until it is shared, and hidden from members who cannot read its table", async () => {
  const { slug } = await create();
  const made = await agent(`POST ${VIEWS}`, {
    name: "Mine",
    table: slug,
    filter: { state: "open" },
    sort: "-title",
    groupBy: "state",
  });
  expect(made).toMatchObject({ status: 201, events: ["table_view.created"] });
  const { id } = made.body.data;
  const names = async (ask: typeof owner): Promise<string[]> => {
    const filter = encodeURIComponent(JSON.stringify({ table: slug }));
    const { body } = await ask(`GET ${VIEWS}?filter=${filter}`);
    return body.data.map(({ name }: { name: string }) => name);
  };
  expect(await names(agent)).toEqual(["Mine"]);
  expect(await names(owner)).toEqual([]);
  expect((await owner(`GET ${VIEWS}/${id}`)).status).toBe(404);
  expect(await agent(`PATCH ${VIEWS}/${id}`, { shared: true })).toMatchObject({
    status: 200,
    events: ["table_view.updated"],
  });
  expect(await names(owner)).toEqual(["Mine"]);
  expect(await names(auditor)).toEqual(["Mine"]);
  // No rule lets builders read this table.
  expect(await names(builder)).toEqual([]);
  expect((await builder(`GET ${VIEWS}/${id}`)).status).toBe(404);
  expect((await auditor(`PATCH ${VIEWS}/${id}`, { name: "Theirs" })).status).toBe(403);
  expect((await auditor(`POST ${VIEWS}`, { name: "All", table: slug, shared: true })).status).toBe(
    403,
  );
});

test("a view can contain only existing fields, and deleting the table deletes the view", async () => {
  const { slug } = await create();
  const send = (fields: object) => owner(`POST ${VIEWS}`, { name: "One", table: slug, ...fields });
  expect((await send({ filter: { nothing: 1 } })).status).toBe(422);
  expect((await send({ sort: "nothing" })).status).toBe(422);
  expect((await send({ groupBy: "nothing" })).status).toBe(422);
  const { body } = await send({ widths: { title: 300 } });
  expect((await owner(`DELETE /api/v1/tables/${slug}`)).status).toBe(204);
  expect((await owner(`GET ${VIEWS}/${body.data.id}`)).status).toBe(404);
});

test("a view follows a renamed column in its filter, sort, groups, widths and form", async () => {
  const { slug } = await create();
  const rest = { hidden: ["title"], columns: ["title", "state"], summaries: { title: "count" } };
  const content = (state: string) => ({
    filter: { or: [{ [state]: "open" }, { not: { [state]: null } }] },
    sort: `-${state},title`,
    groupBy: state,
    widths: { [state]: 120 },
    form: { fields: [{ name: state, label: "State" }] },
  });
  const body = { name: "One", table: slug, ...rest, ...content("state") };
  const { id } = (await owner(`POST ${VIEWS}`, body)).body.data;
  const renamed = await owner(`PATCH /api/v1/tables/${slug}`, {
    renameColumns: [{ from: "state", to: "stage" }],
  });
  expect([renamed.status, renamed.events]).toEqual([200, ["table.updated"]]);
  const { data } = (await owner(`GET ${VIEWS}/${id}`)).body;
  expect(data).toMatchObject({ ...content("stage"), ...rest, columns: ["title", "stage"] });
});
