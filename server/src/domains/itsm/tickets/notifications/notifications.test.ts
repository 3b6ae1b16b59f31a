import { expect, test } from "vitest";
import { useMailbox } from "#kernel/testing/mailbox.ts";
import { until, useWorld, type World } from "#kernel/testing/world.ts";

const INCIDENTS = "/api/v1/itsm/incidents";
const PREFERENCES = "/api/v1/notifications/preferences";

const { url, mails } = await useMailbox();
const world = await useWorld({
  work: true,
  env: {
    MILLRACE_SMTP_URL: url,
    MILLRACE_MAIL_FROM: "Millrace <millrace@desk.example.com>",
    MILLRACE_MAIL_REPLY_TO: "Service desk <help@example.com>",
    MILLRACE_BASE_URL: "https://desk.example.com",
  },
});
type Person = Awaited<ReturnType<World["member"]>>;
const [owner, agent, colleague, caller] = await Promise.all([
  world.member(["owner"]),
  world.member(["agent"]),
  world.member(["agent"]),
  world.member(["member"]),
]);

const inboxOf = async (person: Person) => (await person("GET /api/v1/notifications")).body.data;
/** Resolves to a member's notifications about a ticket, oldest first, once this number exists. */
const told = (person: Person, id: string, count: number) =>
  until(async () => {
    const own = (await inboxOf(person)).filter(({ resource }: any) => resource?.id === id);
    return own.length === count && own.toReversed();
  });
const titlesOf = (own: any[], number: string) =>
  own.map(({ title }) => title.replace(`${number} `, ""));
const mailsTo = ({ userId }: Person) => mails.filter(({ to }) => to === `${userId}@example.com`);

test("notifies the caller of all public incident changes", async () => {
  await caller(`PUT ${PREFERENCES}`, { email: true, noEmailFor: ["*.reopened"] });
  const raised = { title: "The printer is on fire", callerId: caller.userId };
  const { body } = await agent(`POST ${INCIDENTS}`, raised);
  const { id, number } = body.data;
  const act = (by: Person, verb: string, more: object = {}) =>
    by(`POST ${INCIDENTS}/${id}/${verb}`, more);
  await act(agent, "assign", { assigneeId: colleague.userId });
  await act(agent, "comments", { body: "The caller shouts.", internal: true });
  await act(agent, "comments", { body: "Leave the room." });
  await act(agent, "escalate", { severity: "critical", reason: "Smoke" });
  await act(colleague, "resolve", { resolution: "Extinguished it" });
  await act(colleague, "reopen", { reason: "It smokes" });
  await act(colleague, "resolve", { resolution: "Replaced it" });
  await act(colleague, "close");
  const own = await told(caller, id, 6);
  expect(titlesOf(own, number)).toEqual([
    "was created for you",
    "has a new comment",
    "was resolved",
    "was reopened",
    "was resolved",
    "was closed",
  ]);
  expect(own[1].body).toContain("Leave the room.");
  expect(own[2].body).toContain("Extinguished it");
  // The assignee is notified of changes by others, internal or not.
  expect(titlesOf(await told(colleague, id, 4), number)).toEqual([
    "was assigned to you",
    "has a new comment",
    "has a new comment",
    "was escalated",
  ]);
  expect(await inboxOf(agent)).toEqual([]);

  await until(async () => mailsTo(caller).length === 5);
  const texts = mailsTo(caller).map(({ text }) => text);
  expect(texts.join()).not.toMatch(/shouts|was reopened|\/api\/v1/);
  const headersOf = (text: string, name: string) =>
    new RegExp(`^${name}: (.*)\r$`, "mi").exec(text)?.[1];
  const distinct = (name: string) => new Set(texts.map((text) => headersOf(text, name)));
  expect(distinct("subject")).toEqual(new Set([`[${number}] The printer is on fire`]));
  expect(distinct("reply-to")).toEqual(new Set(["Service desk <help@example.com>"]));
  expect(distinct("references")).toEqual(new Set([`<${id}@desk.example.com>`]));
  expect(distinct("in-reply-to")).toEqual(distinct("references"));
  expect(distinct("message-id").size).toBe(5);
  for (const text of texts) {
    const plain = text.replaceAll(/=\r\n/g, "").replaceAll("=3D", "=");
    expect(plain).toContain(`https://desk.example.com/tickets/${number}?workspace=default`);
    expect(plain).toContain("https://desk.example.com/settings/notifications?workspace=default");
  }
});

test("notifies the requester of the catalog request result", async () => {
  const approval = { required: true, approverIds: [agent.userId] };
  const item = { name: "A laptop", form: { type: "object" }, approval };
  const { body: made } = await owner("POST /api/v1/catalog/items", item);
  const wish = { itemId: made.data.id, values: {} };
  const { body } = await caller("POST /api/v1/catalog/requests", wish);
  const { id, number } = body.data;
  await agent(`POST /api/v1/catalog/requests/${id}/approve`);
  await agent(`POST /api/v1/catalog/requests/${id}/take`);
  await caller(`POST /api/v1/catalog/requests/${id}/comments`, { body: "When?" });
  await agent(`POST /api/v1/catalog/requests/${id}/fulfil`, { notes: "On your desk." });
  const own = await told(caller, id, 2);
  expect(titlesOf(own, number)).toEqual(["was approved", "was fulfilled"]);
  expect(own[1].body).toContain("On your desk.");
  // Two log readers send these notifications independently.
  const asked = ["has a new comment", "waits for your approval"];
  expect(titlesOf(await told(agent, id, 2), number).toSorted()).toEqual(asked);
});

test("if two members take a ticket concurrently, one succeeds and the other gets the assignee", async () => {
  const { body: team } = await owner("POST /api/v1/itsm/problems", { title: "Smoke" });
  const paths = [
    `${INCIDENTS}/${(await owner(`POST ${INCIDENTS}`, { title: "Fire" })).body.data.id}`,
    `/api/v1/itsm/problems/${team.data.id}`,
    `/api/v1/itsm/changes/${(await owner("POST /api/v1/itsm/changes", { title: "Swap" })).body.data.id}`,
  ];
  for (const path of paths) {
    const answers = await Promise.all([agent(`POST ${path}/take`), colleague(`POST ${path}/take`)]);
    const [got, missed] = answers.toSorted((a, b) => a.status - b.status);
    expect([got?.status, missed?.status]).toEqual([200, 409]);
    expect(missed).toMatchObject({
      events: [],
      body: { code: "ticket_taken", assigneeId: got?.body.data.assigneeId },
    });
    const winner = answers[0]?.status === 200 ? agent : colleague;
    expect(await winner(`POST ${path}/take`)).toMatchObject({ status: 200, events: [] });
    const kind = path.split("/").at(-2)?.slice(0, -1);
    const assigned = kind === "incident" ? ["incident.assigned"] : [];
    expect(got?.events).toEqual([`${kind}.updated`, ...assigned]);
  }
});

test("a 409 of a PATCH lists states that a PATCH can set", async () => {
  const { body } = await agent(`POST ${INCIDENTS}`, { title: "Fire" });
  const path = `${INCIDENTS}/${body.data.id}`;
  const refused = await agent(`PATCH ${path}`, { state: "closed" });
  expect(refused).toMatchObject({ status: 409, events: [], body: { state: "new" } });
  expect(refused.body.allowed).toEqual(["in_progress", "on_hold", "resolved", "cancelled"]);
  for (const state of refused.body.allowed) {
    const { body: other } = await agent(`POST ${INCIDENTS}`, { title: "Fire" });
    const resolution = state === "resolved" ? { resolution: "Done" } : {};
    const moved = await agent(`PATCH ${INCIDENTS}/${other.data.id}`, { state, ...resolution });
    expect([moved.status, moved.body.data?.state]).toEqual([200, state]);
  }
});
