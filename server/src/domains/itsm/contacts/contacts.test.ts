import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();
const [agent, member] = await Promise.all([world.member(["agent"]), world.member(["member"])]);

test("assigns contacts to an organisation by mail domain and allows a single address", async () => {
  const firm = await agent("POST /api/v1/itsm/organisations", {
    name: "Lind",
    mailDomains: ["LIND.example", "lind.test"],
  });
  expect([firm.status, firm.events]).toEqual([201, ["organisation.created"]]);
  const rival = await agent("POST /api/v1/itsm/organisations", {
    name: "Other",
    mailDomains: ["a.example", "lind.example"],
  });
  expect([rival.status, rival.body.errors[0].path]).toEqual([422, "/mailDomains/1"]);
  const rosa = await agent("POST /api/v1/itsm/contacts", {
    name: "Rosa",
    address: "Rosa@Lind.example",
  });
  expect([rosa.status, rosa.events]).toEqual([201, ["contact.created"]]);
  expect(rosa.body.data).toMatchObject({
    address: "rosa@lind.example",
    organisationId: firm.body.data.id,
    userId: null,
  });
  const twin = await agent("POST /api/v1/itsm/contacts", {
    name: "R",
    address: "ROSA@lind.EXAMPLE",
  });
  expect([twin.status, twin.body.code]).toEqual([409, "contact_exists"]);
  const kept = await agent(`DELETE /api/v1/itsm/organisations/${firm.body.data.id}`);
  expect([kept.status, kept.body.code]).toEqual([409, "organisation_in_use"]);
  expect((await member("GET /api/v1/itsm/contacts")).status).toBe(403);
});

test("a contact is linked to the member who verified its address", async () => {
  const someone = await world.member(["member"]);
  const [{ email }] = await world.sql("select email from users where id = $1", [someone.userId]);
  const made = await agent("POST /api/v1/itsm/contacts", { name: "Kai", address: email });
  const path = `GET /api/v1/itsm/contacts/${made.body.data.id}`;
  const verify = (at: string) =>
    world.sql(`update users set email_verified_at = ${at} where id = $1`, [someone.userId]);
  await verify("null");
  expect((await agent(path)).body.data.userId).toBe(null);
  await verify("now()");
  expect((await agent(path)).body.data.userId).toBe(someone.userId);
  await world.sql("update memberships set status = 'deactivated' where user_id = $1", [
    someone.userId,
  ]);
  expect((await agent(path)).body.data.userId).toBe(null);
});

test("the caller of an incident is an existing member or contact", async () => {
  const { body } = await agent("POST /api/v1/itsm/contacts", {
    name: "Io",
    address: "io@x.example",
  });
  const raised = await agent("POST /api/v1/itsm/incidents", {
    title: "No tone",
    callerId: body.data.id,
  });
  expect([raised.status, raised.events, raised.body.data.callerId]).toEqual([
    201,
    ["incident.created"],
    body.data.id,
  ]);
  const filter = encodeURIComponent(JSON.stringify({ callerId: body.data.id }));
  const list = await agent(`GET /api/v1/itsm/incidents?filter=${filter}`);
  expect(list.body.data.map(({ id }: any) => id)).toEqual([raised.body.data.id]);
  const unknown = await agent("POST /api/v1/itsm/incidents", {
    title: "No tone",
    callerId: "cnt_01jzt3n5k8q2x4v6w8y0z2b4d6",
  });
  expect([unknown.status, unknown.body.errors]).toEqual([
    422,
    [{ path: "/callerId", message: "is not the id of a contact" }],
  ]);
});

test("a contact can have a phone number instead of an address, and must keep one of them", async () => {
  const made = await agent("POST /api/v1/itsm/contacts", { name: "Vera", phone: "+41 44 555" });
  expect([made.status, made.events, made.body.data.address]).toEqual([
    201,
    ["contact.created"],
    null,
  ]);
  const neither = await agent("POST /api/v1/itsm/contacts", { name: "Vera" });
  expect([neither.status, neither.events, neither.body.errors]).toEqual([
    422,
    [],
    [{ path: "/address", message: "is required without a phone number" }],
  ]);
  const path = `/api/v1/itsm/contacts/${made.body.data.id}`;
  expect((await agent(`PATCH ${path}`, { phone: null })).status).toBe(422);
  const changed = await agent(`PATCH ${path}`, { address: "Vera@X.example", phone: null });
  expect([changed.status, changed.body.data.address]).toEqual([200, "vera@x.example"]);
});
