import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";

const INCIDENTS = "/api/v1/itsm/incidents";
const SETTINGS = "/api/v1/itsm/status-page";
const COMPONENTS = "/api/v1/itsm/status-components";
const PAGE = "/status/default";
const SECRET = "db-orders-01 was dropped by hand";

const world = await useWorld({ work: true });
const owner = await world.member(["owner"]);
const agent = await world.member(["agent"]);
const viewer = await world.member(["viewer"]);

async function major(title: string): Promise<any> {
  const { body } = await agent(`POST ${INCIDENTS}`, { title, description: SECRET });
  return (await agent(`POST ${INCIDENTS}/${body.data.id}/major`, {})).body.data;
}

/** The public page once it contains a text. The clock moves past the cache time. */
async function pageWith(words: string): Promise<string> {
  await expect
    .poll(async () => {
      world.clock.advance(6_000);
      return (await world.stranger(`GET ${PAGE}`)).body;
    })
    .toContain(words);
  return (await world.stranger(`GET ${PAGE}`)).body;
}

test("a role belongs to one member, can be reassigned or removed, and exists only in major incidents", async () => {
  const { id } = await major("Card payments fail");
  const assign = (role: string, userId: string | null) =>
    agent(`PUT ${INCIDENTS}/${id}/roles/${role}`, { userId });
  const given = await assign("commander", agent.userId);
  expect(given).toMatchObject({ status: 200, events: ["incident.role_assigned"] });
  expect(await assign("commander", agent.userId)).toMatchObject({ status: 200, events: [] });
  await assign("communications", viewer.userId);
  await assign("commander", owner.userId);
  expect(await assign("communications", null)).toMatchObject({
    events: ["incident.role_assigned"],
  });
  expect(await assign("janitor", agent.userId)).toMatchObject({ status: 404 });
  expect(await assign("operations", "usr_01jzt3n5k8q2x4v6w8y0z2b4d6")).toMatchObject({
    status: 422,
  });
  const { body } = await viewer(`GET ${INCIDENTS}/${id}/room`);
  expect(body.data.roles).toMatchObject([{ role: "commander", userId: owner.userId }]);
  expect(await viewer(`PUT ${INCIDENTS}/${id}/roles/commander`, { userId: null })).toMatchObject({
    status: 403,
  });
  const plain = await agent(`POST ${INCIDENTS}`, { title: "A mouse" });
  expect(
    await agent(`PUT ${INCIDENTS}/${plain.body.data.id}/roles/commander`, { userId: null }),
  ).toMatchObject({
    status: 409,
    body: { code: "incident_not_major" },
  });
});

test("the status page is inactive until an admin enables it, and shows only texts written for it", async () => {
  expect(await world.stranger(`GET ${PAGE}`)).toMatchObject({ status: 404 });
  expect(await world.stranger(`GET ${PAGE}/feed.atom`)).toMatchObject({ status: 404 });
  expect(await agent(`PATCH ${SETTINGS}`, { isOn: true })).toMatchObject({
    status: 403,
    events: [],
  });
  const on = await owner(`PATCH ${SETTINGS}`, { isOn: true, title: "Shop <status>" });
  expect(on).toMatchObject({
    status: 200,
    events: ["audit.status_page.updated"],
    body: { data: { path: PAGE } },
  });
  expect(await owner(`PATCH ${SETTINGS}`, { isOn: true })).toMatchObject({
    status: 200,
    events: [],
  });
  const item = (await owner("POST /api/v1/cmdb/items", { name: "pg-secret-07", class: "database" }))
    .body.data.id;
  const { body } = await owner(`POST ${COMPONENTS}`, { name: "Payments", ciIds: [item] });
  await pageWith("All systems healthy");

  const incident = await major("Checkout answers 502");
  await agent(`POST ${INCIDENTS}/${incident.id}/broadcast`, { message: "For us alone" });
  const told = await agent(`POST ${INCIDENTS}/${incident.id}/broadcast`, {
    message: "Cards are refused. <b>Cash works.</b>",
    statusPage: {
      title: "Card payments",
      status: "identified",
      effect: "down",
      componentIds: [body.data.id],
    },
  });
  expect(told).toMatchObject({ status: 200, events: ["incident.broadcast"] });
  const page = await pageWith("Card payments");
  expect(page).toContain("Some systems down");
  expect(page).toContain("&#60;b&#62;Cash works.");
  for (const inside of [
    "For us alone",
    incident.number,
    incident.id,
    "502",
    SECRET,
    "pg-secret",
    item,
    agent.userId,
  ]) {
    expect(page).not.toContain(inside);
  }
  const answer = await world.stranger(`GET ${PAGE}`);
  expect(answer.headers["content-security-policy"]).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'/,
  );
  expect(answer.headers["cache-control"]).toContain("public");
  expect(page).not.toMatch(/<script|style="|\son\w+="/);
  const feed = await world.stranger(`GET ${PAGE}/feed.atom`);
  expect(feed.headers["content-type"]).toContain("application/atom+xml");
  expect(feed.body).toContain("<title>Card payments: Identified</title>");
  expect(feed.body).not.toContain(incident.number);

  await agent(`POST ${INCIDENTS}/${incident.id}/resolve`, { resolution: SECRET });
  const after = await pageWith("All systems healthy");
  expect(after).toContain("This incident is resolved.");
  expect(after).not.toContain(SECRET);
  await agent(`POST ${INCIDENTS}/${incident.id}/reopen`, {});
  await pageWith("The problem has returned.");
  await owner(`PATCH ${SETTINGS}`, { isOn: false });
  world.clock.advance(6_000);
  expect(await world.stranger(`GET ${PAGE}`)).toMatchObject({ status: 404 });
});

test("a room shows broadcasts and the number of affected users; the review draft omits internal comments", async () => {
  const incident = await major("Mail is late");
  const child = (await owner(`POST ${INCIDENTS}`, { title: "No mail for me" })).body.data;
  await agent(`POST ${INCIDENTS}/${incident.id}/children`, { incidentId: child.id });
  await agent(`PUT ${INCIDENTS}/${incident.id}/roles/commander`, { userId: agent.userId });
  await agent(`POST ${INCIDENTS}/${incident.id}/comments`, {
    body: "Between us: the cable",
    internal: true,
  });
  await agent(`POST ${INCIDENTS}/${incident.id}/broadcast`, {
    message: "An hour more\n# not a heading",
  });
  const room = (await viewer(`GET ${INCIDENTS}/${incident.id}/room`)).body.data;
  expect(room).toMatchObject({
    children: { total: 1, open: 1 },
    people: 2,
    broadcasts: [{ statusPage: null }],
  });
  await agent(`POST ${INCIDENTS}/${incident.id}/resolve`, { resolution: "Restarted the *queue*" });
  const { body } = await agent(`GET ${INCIDENTS}/${incident.id}/review-draft`);
  const { title, body: text, tags } = body.data;
  expect(title).toBe(`Review of ${incident.number}: Mail is late`);
  expect(tags).toContain(incident.number.toLowerCase());
  expect(text).toContain(
    "sent an update: An hour more \\\\# not a heading".replaceAll("\\\\", "\\"),
  );
  expect(text).toContain(`added a child: ${child.number}`);
  expect(text).toContain("Restarted the \\*queue\\*");
  expect(text).not.toContain("the cable");
  expect(await viewer(`GET ${INCIDENTS}/${incident.id}/review-draft`)).toMatchObject({
    status: 403,
  });
  const article = await agent("POST /api/v1/knowledge", { title, body: text, tags });
  expect(article).toMatchObject({ status: 201, events: ["article.created"] });
});
