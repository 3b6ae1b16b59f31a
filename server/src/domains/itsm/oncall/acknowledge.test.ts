import { expect, test } from "vitest";
import { useMailbox } from "#kernel/testing/mailbox.ts";
import { until, useWorld } from "#kernel/testing/world.ts";

const BASE = "http://desk.example.com";
const { url, mails } = await useMailbox();
const world = await useWorld({
  work: true,
  env: {
    MILLRACE_SMTP_URL: url,
    MILLRACE_MAIL_FROM: "Millrace <desk@example.com>",
    MILLRACE_BASE_URL: BASE,
  },
});
const owner = await world.member(["owner"]);
const ann = await world.member(["agent"]);
const ben = await world.member(["agent"]);
const ITSM = "/api/v1/itsm";
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const { body: policy } = await owner(`POST ${ITSM}/escalation-policies`, {
  name: "First Ann, then Ben",
  steps: [
    { targets: [{ type: "user", id: ann.userId }], waitMinutes: 5 },
    { targets: [{ type: "user", id: ben.userId }], waitMinutes: 5 },
  ],
});

async function startPage(title: string) {
  const { body } = await owner(`POST ${ITSM}/incidents`, { title });
  const ticket = body.data as { id: string; number: string };
  const paged = await owner(`POST ${ITSM}/pages`, {
    policyId: policy.data.id,
    ticketId: ticket.id,
  });
  return { ticket, id: paged.body.data.id as string };
}

const readPage = async (id: string): Promise<any> =>
  (await owner(`GET ${ITSM}/pages/${id}`)).body.data;

const eventsOf = async (id: string) =>
  (
    await world.sql(
      "select type, actor_id from events where resource_id = $1 order by epoch, xid, seq",
      [id],
    )
  ).map(({ type, actor_id }) => [type, actor_id]);

/** The path of the link in the mail about a ticket. */
async function linkMailedTo(person: typeof ann, number: string): Promise<string> {
  const text = await until(async () => {
    const mail = mails.findLast(
      (one) => one.text.includes(number) && one.to === `${person.userId}@example.com`,
    );
    return mail?.text.replaceAll("=\r\n", "").replaceAll("=3D", "=");
  });
  return new RegExp(`${BASE}(/pages/ack/\\S+)`).exec(text)?.[1] ?? "";
}

test("a page is mailed to a member who turned e-mail off, unless pages are excluded", async () => {
  const PREFERENCES = "PUT /api/v1/notifications/preferences";
  await ann(PREFERENCES, { email: false });
  const { ticket } = await startPage("Urgent");
  expect(await linkMailedTo(ann, ticket.number)).toMatch(/^\/pages\/ack\//);
  await ann(PREFERENCES, { email: true, noEmailFor: ["page.*"] });
  const { ticket: other } = await startPage("Excluded");
  const title = `Page: ${other.number}`;
  await until(async () => {
    const { body } = await ann("GET /api/v1/notifications");
    return body.data.find((one: { readonly title: string }) => one.title === title);
  });
  await ann(PREFERENCES, { email: true, noEmailFor: [] });
  const { ticket: last } = await startPage("Mailed again");
  await linkMailedTo(ann, last.number);
  expect(mails.filter(({ text }) => text.includes(other.number))).toEqual([]);
});

test("the link in the mail shows a form, and only the form acknowledges", async () => {
  const { id, ticket } = await startPage("From the mail");
  const link = await linkMailedTo(ann, ticket.number);
  const shown = await world.stranger(`GET ${link}`);
  expect(shown).toMatchObject({ status: 200, events: [] });
  expect(shown.body).toContain("From the mail");
  expect(shown.body).toContain("<button>Acknowledge</button>");
  expect(await readPage(id)).toMatchObject({ state: "paging" });

  const sent = await world.stranger(`POST ${link}`);
  expect(sent).toMatchObject({ status: 200, events: ["page.acknowledged"] });
  expect(await readPage(id)).toMatchObject({ state: "acknowledged", acknowledgedBy: ann.userId });
  expect((await eventsOf(id)).at(-1)).toEqual(["page.acknowledged", ann.userId]);
  expect(await world.stranger(`POST ${link}`)).toMatchObject({ status: 200, events: [] });
  expect((await world.stranger(`GET ${link}`)).body).toContain("Acknowledged by");

  world.clock.advance(HOUR_MS);
  expect(await readPage(id)).toMatchObject({ state: "acknowledged", step: 0 });
});

test("modified links, expired links and links of former members have no effect", async () => {
  const { id, ticket } = await startPage("Bad links");
  const link = await linkMailedTo(ann, ticket.number);
  const [payload = "", signature = ""] = link.replace("/pages/ack/", "").split(".");
  const content = JSON.parse(Buffer.from(payload, "base64url").toString()) as unknown[];
  const forged = Buffer.from(JSON.stringify(content.with(3, ben.userId))).toString("base64url");
  const refused = { status: 410, events: [] };
  expect(await world.stranger(`POST /pages/ack/${forged}.${signature}`)).toMatchObject({
    ...refused,
    status: 404,
  });
  const user = `PATCH /api/v1/settings/users/${ann.userId}`;
  await owner(user, { status: "deactivated" });
  expect(await world.stranger(`POST ${link}`)).toMatchObject(refused);
  await owner(user, { status: "active" });
  expect((await world.stranger(`GET ${link}`)).status).toBe(200);
  world.clock.advance(24 * HOUR_MS);
  expect(await world.stranger(`GET ${link}`)).toMatchObject(refused);
  expect(await world.stranger(`POST ${link}`)).toMatchObject(refused);
  expect((await readPage(id)).acknowledgedBy).toBeNull();
});

test("taking the ticket acknowledges its page, assigning it to another person does not", async () => {
  const { id, ticket } = await startPage("Taken");
  const path = `${ITSM}/incidents/${ticket.id}`;
  await owner(`POST ${path}/assign`, { assigneeId: ben.userId });
  await ann(`POST ${path}/assign`, { assigneeId: ann.userId });
  await until(async () => (await readPage(id)).state === "acknowledged");
  expect(await readPage(id)).toMatchObject({ acknowledgedBy: ann.userId, nextAt: null });
  expect((await eventsOf(id)).map(([type]) => type)).toEqual(["page.sent", "page.acknowledged"]);
  world.clock.advance(HOUR_MS);
  await ann(`POST ${path}/resolve`, { resolution: "Restarted" });
  await until(async () => (await readPage(id)).state === "ended");
  expect((await eventsOf(id)).map(([type]) => type)).toEqual([
    "page.sent",
    "page.acknowledged",
    "page.ended",
  ]);
});

test("taking an unassigned ticket acknowledges its page", async () => {
  const { id, ticket } = await startPage("Unassigned");
  expect((await ben(`POST ${ITSM}/incidents/${ticket.id}/take`)).status).toBe(200);
  await until(async () => (await readPage(id)).state === "acknowledged");
  expect(await readPage(id)).toMatchObject({ acknowledgedBy: ben.userId });
});

test("assigning a change to oneself also acknowledges its page", async () => {
  const { body } = await owner(`POST ${ITSM}/changes`, { title: "New disks", type: "normal" });
  const paged = await owner(`POST ${ITSM}/pages`, {
    policyId: policy.data.id,
    ticketId: body.data.id,
  });
  await owner(`PATCH ${ITSM}/changes/${body.data.id}`, { assigneeId: owner.userId });
  await until(async () => (await readPage(paged.body.data.id)).state === "acknowledged");
});

test("concurrent acknowledgements by link and API count once", async () => {
  const { id, ticket } = await startPage("Two at once");
  const link = await linkMailedTo(ann, ticket.number);
  const answers = await Promise.all([
    world.stranger(`POST ${link}`),
    ben(`POST ${ITSM}/pages/${id}/acknowledge`),
    world.stranger(`POST ${link}`),
  ]);
  expect(answers.flatMap(({ events }) => events)).toEqual(["page.acknowledged"]);
  expect((await eventsOf(id)).map(([type]) => type)).toEqual(["page.sent", "page.acknowledged"]);
});

test("an acknowledgement during an escalation ends it, whichever comes first", async () => {
  const { id } = await startPage("At the same time");
  world.clock.advance(5 * MINUTE_MS);
  await ann(`POST ${ITSM}/pages/${id}/acknowledge`);
  world.clock.advance(HOUR_MS);
  expect(await readPage(id)).toMatchObject({ state: "acknowledged", nextAt: null });
  const types = (await eventsOf(id)).map(([type]) => type);
  expect(types.at(-1)).toBe("page.acknowledged");
  expect(types.filter((type) => type === "page.acknowledged")).toHaveLength(1);
});

test("Home counts and lists open pages of a member", async () => {
  const { id } = await startPage("Waits for Ann");
  const waiting = async (person: typeof ann) =>
    (await person("GET /api/v1/home/waiting")).body.data.counts.pages as number;
  const mine = async (person: typeof ann) =>
    (await person(`GET ${ITSM}/pages?mine=true&state=paging`)).body.data.map(
      (page: any) => page.id,
    );
  expect(await mine(ann)).toContain(id);
  expect(await mine(ben)).not.toContain(id);
  const before = await waiting(ann);
  await ann(`POST ${ITSM}/pages/${id}/acknowledge`);
  expect(await waiting(ann)).toBe(before - 1);
  expect(await mine(ann)).not.toContain(id);
});
