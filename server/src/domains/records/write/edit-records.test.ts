import { expect, test } from "vitest";
import { useRuledTables } from "../testing/ruled-table.ts";

const { owner, agent, create } = await useRuledTables();

test("edits are applied all or none, at the given revisions", async () => {
  const { slug } = await create();
  const path = `/api/v1/tables/${slug}/records`;
  const { body } = await owner(`GET ${path}?sort=salary`);
  const [one, two] = body.data;
  const edit = (edits: readonly object[]) => owner(`POST ${path}/edits`, { edits });
  const first = await edit([
    { id: two.id, revision: 1, set: { title: "zwei" } },
    { id: one.id, set: { title: "eins", salary: 11 } },
  ]);
  expect(first.status).toBe(200);
  expect(first.body.data).toMatchObject([
    { id: two.id, title: "zwei", salary: 2, revision: 2 },
    { id: one.id, title: "eins", salary: 11, revision: 2 },
  ]);
  const stale = await edit([
    { id: one.id, revision: 2, set: { title: "uno" } },
    { id: two.id, revision: 1, set: { title: "due" } },
  ]);
  expect(stale.body).toMatchObject({
    code: "records_changed",
    errors: [{ path: "/edits/1/revision", message: "is 2 now" }],
  });
  const wrong = await edit([{ id: one.id, set: { salary: "much" } }]);
  expect(wrong.body.errors[0].path).toBe("/edits/0/set/salary");
  expect([first, stale, wrong].map(({ events }) => events)).toEqual([
    ["record.updated", "record.updated"],
    [],
    [],
  ]);
});

test("a member cannot edit a hidden record or field, or infer its value", async () => {
  const { slug } = await create();
  const path = `/api/v1/tables/${slug}/records`;
  const { body } = await owner(`GET ${path}?sort=salary`);
  const [open, , hidden] = body.data;
  const edit = (id: string, set: object) => agent(`POST ${path}/edits`, { edits: [{ id, set }] });
  expect((await edit(open.id, { salary: 9 })).status).toBe(403);
  expect((await edit(hidden.id, { title: "seen" })).body.code).toBe("records_changed");
  expect((await edit(open.id, { title: "worked on" })).status).toBe(200);
  const groups = async (ask: typeof owner, query: string) =>
    (await ask(`GET ${path}/summary?${query}`)).body.data.groups;
  expect(await groups(owner, "figures=sum:salary,max:salary,filled:state,unique:state")).toEqual([
    {
      value: null,
      count: 3,
      figures: { "sum:salary": 6, "max:salary": 3, "filled:state": 2, "unique:state": 2 },
    },
  ]);
  expect(await groups(agent, "figures=sum:salary")).toEqual([
    { value: null, count: 2, figures: { "sum:salary": null } },
  ]);
  expect(await groups(owner, "by=state")).toEqual([
    { value: "closed", count: 1, figures: {} },
    { value: "open", count: 1, figures: {} },
    { value: null, count: 1, figures: {} },
  ]);
  expect(await groups(agent, "by=salary")).toEqual([{ value: null, count: 2, figures: {} }]);
  expect((await owner(`GET ${path}/summary?figures=sum:title`)).status).toBe(422);
});
