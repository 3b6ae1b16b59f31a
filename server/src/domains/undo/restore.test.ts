import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();
const owner = await world.member(["owner"]);
const reader = await world.member(["requester"]);
type Answered = { readonly headers: Record<string, string> };
const undoOf = (answer: Answered, more: object = {}, ask = owner) =>
  ask("POST /api/v1/undo", { correlationId: answer.headers["x-correlation-id"], ...more });
const make = async (path: string, input: object): Promise<any> => {
  const { status, body } = await owner(`POST /api/v1/${path}`, input);
  expect([status, body.errors]).toEqual([201, undefined]);
  return body.data;
};

test("restores a deleted page with its id, unless another page uses its path", async () => {
  const app = await make("apps", { name: "Shop", slug: "shop" });
  const all = `/api/v1/apps/${app.id}/pages`;
  const content = { components: [{ type: "markdown", text: "# Orders" }] };
  const page = await make(`apps/${app.id}/pages`, { path: "/orders", title: "Orders", ...content });
  const deleted = await owner(`DELETE ${all}/${page.id}`);
  expect([deleted.status, deleted.events]).toEqual([204, ["app.updated"]]);
  expect((await undoOf(deleted, {}, reader)).status).not.toBe(200);
  const dry = await undoOf(deleted, { dryRun: true });
  expect([dry.status, dry.events, dry.body.data.things]).toEqual([200, [], 1]);
  expect((await owner(`GET ${all}/${page.id}`)).status).toBe(404);
  const back = await undoOf(deleted);
  expect([back.status, back.events]).toEqual([200, ["app.updated"]]);
  expect((await owner(`GET ${all}/${page.id}`)).body.data).toEqual(page);
  // After undoing the undo, it is deleted again.
  const gone = await undoOf(back);
  expect([gone.status, gone.events]).toEqual([200, ["app.updated"]]);
  await make(`apps/${app.id}/pages`, { path: "/orders", title: "Other", ...content });
  const taken = await undoOf(gone);
  expect([taken.status, taken.body.code, taken.events]).toEqual([409, "undo_refused", []]);
  expect(taken.body.errors[0].path).toMatch(new RegExp(`^/app/${app.id}`));
});

test("restores a page at its place despite changes of others, and reports a page that was itself changed", async () => {
  const app = await make("apps", { name: "Store", slug: "store" });
  const all = `/api/v1/apps/${app.id}/pages`;
  const add = (path: string) =>
    make(`apps/${app.id}/pages`, {
      path,
      title: path,
      components: [{ type: "markdown", text: path }],
    });
  const [one, two, three] = [await add("/one"), await add("/two"), await add("/three")];
  const deleted = await owner(`DELETE ${all}/${two.id}`);
  await owner(`PATCH ${all}/${three.id}`, { title: "Third" });
  const dry = await undoOf(deleted, { dryRun: true });
  expect([dry.status, dry.events, dry.body.data.things]).toEqual([200, [], 1]);
  const back = await undoOf(deleted);
  expect([back.status, back.events]).toEqual([200, ["app.updated"]]);
  const { pages } = (await owner(`GET /api/v1/apps/${app.id}`)).body.data;
  expect(pages).toEqual([one, two, { ...three, title: "Third" }]);
  const renamed = await owner(`PATCH ${all}/${one.id}`, { title: "First" });
  await owner(`PATCH ${all}/${one.id}`, { title: "Number one" });
  const refused = await undoOf(renamed);
  expect([refused.status, refused.events, refused.body.errors]).toEqual([
    409,
    [],
    [{ path: `/app/${app.id}/pages/${one.id}`, message: "was changed later" }],
  ]);
  expect((await undoOf(back)).events).toEqual(["app.updated"]);
  const left = (await owner(`GET /api/v1/apps/${app.id}`)).body.data.pages;
  expect(left.map(({ title }: any) => title)).toEqual(["Number one", "Third"]);
});

test("restores a removed link, unless the tickets are linked again", async () => {
  const incident = await make("itsm/incidents", { title: "Mail" });
  const problem = await make("itsm/problems", { title: "Disk" });
  const links = `/api/v1/itsm/incidents/${incident.id}/links`;
  const unlink = async () => {
    const { body } = await owner(`GET ${links}`);
    return owner(`DELETE ${links}/${body.data[0].id}`);
  };
  await make(`itsm/incidents/${incident.id}/links`, { ticketId: problem.id, type: "caused_by" });
  const removed = await unlink();
  const dry = await undoOf(removed, { dryRun: true });
  expect([dry.status, dry.events]).toEqual([200, []]);
  expect((await owner(`GET ${links}`)).body.data).toEqual([]);
  const back = await undoOf(removed);
  expect([back.status, back.events]).toEqual([200, ["incident.linked"]]);
  expect((await owner(`GET ${links}`)).body.data).toMatchObject([
    { type: "caused_by", direction: "out", ticket: { id: problem.id } },
  ]);
  const again = await unlink();
  await make(`itsm/incidents/${incident.id}/links`, { ticketId: problem.id, type: "caused_by" });
  for (const more of [{}, { dryRun: true }]) {
    const taken = await undoOf(again, more);
    expect([taken.status, taken.body.code, taken.events]).toEqual([409, "undo_refused", []]);
    expect(taken.body.errors[0].message).toBe("The tickets already have a link of this type.");
  }
  expect((await owner(`GET ${links}`)).body.data).toHaveLength(1);
});

const PLANTED = ["planted-key-8f21", "planted-token-77c0"];

test("an undo neither loses nor reveals credentials of a connector", async () => {
  const input = {
    name: "Bank",
    type: "http",
    config: { baseUrl: "https://bank.example.com", headers: { "X-Api-Key": PLANTED[0] } },
    auth: { kind: "bearer", token: PLANTED[1] },
  };
  const { id } = await make("connectors", input);
  const path = `/api/v1/connectors/${id}`;
  const sealed = () => world.sql("select sealed from connectors where id = $1", [id]);
  const before = await sealed();
  const renamed = await owner(`PATCH ${path}`, { name: "Other bank" });
  const back = await undoOf(renamed);
  expect([back.status, back.events]).toEqual([200, ["connector.updated"]]);
  expect(await sealed()).toEqual(before);
  const deleted = await owner(`DELETE ${path}`);
  const answers = [renamed, back, deleted];
  for (const more of [{}, { dryRun: true }]) {
    const refused = await undoOf(deleted, more);
    expect([refused.status, refused.body.code, refused.events]).toEqual([409, "undo_refused", []]);
    expect(refused.body.errors[0].path).toBe(`/connector/${id}/config/headers/X-Api-Key`);
    answers.push(refused);
  }
  // A restored connector without credentials would call its service unauthenticated.
  expect([(await owner(`GET ${path}`)).status, await sealed()]).toEqual([404, []]);
  const log = await world.sql("select data from events where resource_id = $1", [id]);
  const told = JSON.stringify([log, answers.map(({ body, headers }) => [body, headers])]);
  for (const secret of PLANTED) expect(told).not.toContain(secret);
  // A connector with named secrets can be restored completely.
  const named = await make("secrets", { name: "BANK", value: PLANTED[1] });
  expect(named.name).toBe("BANK");
  const auth = { kind: "bearer", token: "{{secrets.BANK}}" };
  const other = await make("connectors", {
    ...input,
    config: { baseUrl: "https://b.example.com" },
    auth,
  });
  const gone = await owner(`DELETE /api/v1/connectors/${other.id}`);
  expect((await undoOf(gone)).events).toEqual(["connector.created"]);
  expect((await owner(`GET /api/v1/connectors/${other.id}`)).body.data).toMatchObject({ auth });
});
